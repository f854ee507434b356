// ToolchainProcessTests.swift: programs on the toolchain's own Dispatch (HungProbe), read from outside: what their
// threads wait for, which thread has that, cycles, stacks; and that nothing is claimed of those that are well. The
// library is this machine's: so its layout is measured here.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("Processes on the toolchain's library") struct ToolchainProcessTests {
  private func program(_ kind: String) throws -> InspectedProgram {
    try InspectedProgram([], words: [InspectedProgram.programs + "HungProbe", kind])
  }

  private func waiting(_ inspection: Inspection) -> [Inspection.Thread] { inspection.threads.filter { $0.wait != nil } }

  /// Reads it again and again until `count` threads wait and are asleep for good: in a cycle, if they are to come to
  /// one.
  private func inspect(_ program: InspectedProgram, waiting count: Int, hasCycle: Bool = true) throws -> Inspection {
    let inspection = try program.inspect(until: { inspection in
      let waiting = waiting(inspection)
      return waiting.count == count && waiting.allSatisfy { $0.stackEnd == nil } && inspection.cycles.isEmpty != hasCycle
    })
    try #require(waiting(inspection).count == count, "\(inspection.threads)")
    return inspection
  }

  private func label(_ inspection: Inspection, _ wait: Inspection.Wait?) -> String? {
    inspection.queues.first { $0.address == wait?.object }?.label
  }

  private func lines(_ inspection: Inspection, _ thread: Inspection.Thread) -> [String] {
    var places = PlaceNames(wantsLines: false)
    places.learn([inspection])
    return places.lines(thread.stack)
  }

  @Test(
    "Two queues whose items wait for each other: the cycle is certain, and named with the program's functions",
    arguments: ["queues", "targets"])
  func queues(kind: String) throws {
    let program = try program(kind), inspection = try inspect(program, waiting: 2)
    let threads = waiting(inspection)
    #expect(inspection.cycles.map(\.isCertain) == [true] && Set(inspection.cycles[0].threads) == Set(threads.map(\.id)))
    let awaited = kind == "queues" ? ["hung.one", "hung.other"] : ["hung.child", "hung.other"]
    #expect(threads.compactMap { label(inspection, $0.wait) }.sorted() == awaited)
    #expect(threads.allSatisfy { $0.wait?.kind == "queue" && $0.wait?.because == "held" && $0.wait?.isLimited == false })
    for thread in threads {
      #expect(thread.wait?.holders == threads.map(\.id).filter { $0 != thread.id })
      #expect(
        thread.stackEnd == nil && lines(inspection, thread).contains { $0.contains("main.swift") || $0.contains("closure") })
    }
    #expect(
      inspection.source == "memory" && !inspection.usesSignalbox && inspection.copy.contains("libdispatch")
        && inspection.unread == [])
    let text = InspectionTables([inspection], process: "1 (HungProbe)", InspectOptions()).text
    #expect(text.contains("deadlock: 2 threads wait for one another, forever"), "\(text)")
  }

  @Test("A core dump: the same cycle, and stacks by the unwind tables of the files")
  func core() throws {
    let program = try program("queues"), place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let live = try inspect(program, waiting: 2)
    try WrittenCore.write(program.child.id, to: place + "/core")
    let core = try CoreInspection(place + "/core", program: InspectedProgram.programs + "HungProbe")
    let inspection = try #require(core.inspections.first)
    #expect(inspection.source == "core" && !inspection.usesSignalbox && inspection.cycles.map(\.isCertain) == [true])
    for (thread, before) in zip(waiting(inspection), waiting(live)) {
      #expect(
        thread.id == before.id && thread.wait?.object == before.wait?.object && thread.wait?.holders == before.wait?.holders)
      #expect(thread.stack == before.stack && !thread.stack.isEmpty)
    }
  }

  @Test(
    "A core dump says what the process does that it is of",
    arguments: [
      "main", "mutex", "stopped", "group", "barrier", "readers", "items", "sources", "join", "clibrary", "chain",
    ])
  func sameInCore(kind: String) throws {
    let counts = [
      "main": 2, "mutex": 2, "stopped": 2, "group": 3, "barrier": 1, "readers": 2, "items": 1, "sources": 0, "join": 1,
      "chain": 2,
    ]
    let program = try program(kind), place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    let live = try program.inspect(until: { inspection in
      let waiting = waiting(inspection).filter { kind != "chain" || $0.wait?.kind == "queue" }
      return waiting.count >= counts[kind] ?? 3 && (kind != "sources" || inspection.armed.count == 3)
        && inspection.cycles.isEmpty != ["main", "mutex", "readers"].contains(kind)
    })
    try WrittenCore.write(program.child.id, to: place + "/core")
    let inspection = try #require(
      CoreInspection(place + "/core", program: InspectedProgram.programs + "HungProbe").inspections.first)
    func told(_ inspection: Inspection) -> [String] {
      let threads = waiting(inspection).map { thread in
        let wait = thread.wait
        return
          "\(thread.id) \(wait?.kind ?? "") \(wait?.object ?? "") \(wait?.because ?? "") \(wait?.holders ?? []) \(thread.inside)"
      }
      // The library's own queues may still come to rest.
      let queues = inspection.queues.filter { $0.label.hasPrefix("hung.") }.map {
        "\($0.address) \($0.label) \($0.pending) \($0.next.map(\.kind)) \($0.stateText)"
      }
      return threads + queues + inspection.cycles.map { "\($0.isCertain) \($0.threads)" }
        + inspection.armed.map { "\($0.kind) \($0.queue)" }.sorted() + inspection.monitored.map { "\($0)" }
    }
    #expect(told(inspection) == told(live))
    #expect(inspection.armed.allSatisfy { $0.due == nil })
  }

  @Test("The main thread waits for a queue whose item waits for the main queue")
  func main() throws {
    let inspection = try inspect(program("main"), waiting: 2)
    let main = try #require(inspection.threads.first { $0.isMain }),
      other = try #require(waiting(inspection).first { !$0.isMain })
    #expect(label(inspection, main.wait) == "hung.one" && main.wait?.holders == [other.id])
    #expect(label(inspection, other.wait) == "com.apple.main-thread" && other.wait?.because == "main thread")
    #expect(inspection.cycles.map(\.isCertain) == [true] && Set(inspection.cycles[0].threads) == [main.id, other.id])
  }

  @Test(
    "A queue and a mutex of the C library: the cycle is suspected; so is one of mutexes alone, without Dispatch",
    arguments: ["mutex", "pthreads"])
  func mutex(kind: String) throws {
    let inspection = try inspect(program(kind), waiting: 2), threads = waiting(inspection)
    #expect(inspection.cycles.map(\.isCertain) == [false] && Set(inspection.cycles[0].threads) == Set(threads.map(\.id)))
    #expect(
      threads.map { $0.wait?.kind ?? "" }.sorted()
        == (kind == "mutex" ? ["pthread mutex", "queue"] : ["pthread mutex", "pthread mutex"]))
  }

  @Test("A chain of waits whose last thread sleeps: each holder is named, and no cycle")
  func chain() throws {
    // Before that they wait for one another in a group.
    let inspection = try program("chain").inspect(until: { waiting($0).filter { $0.wait?.kind == "queue" }.count == 2 })
    let last = try inspection.queue("hung.last")
    let other = try #require(inspection.onQueue("hung.other").first), one = try #require(inspection.onQueue("hung.one").first)
    let holder = try #require(last.owner)
    #expect(one.wait?.holders == [other.id] && other.wait?.holders == [holder] && inspection.cycles.isEmpty)
    #expect(one.wait?.because == "held" && label(inspection, other.wait) == "hung.last")
  }

  @Test("Queues that start nothing: suspended, and not active, with their items")
  func stopped() throws {
    let inspection = try inspect(program("stopped"), waiting: 2, hasCycle: false)
    #expect(waiting(inspection).allSatisfy { $0.wait?.because == "stopped" } && inspection.cycles.isEmpty)
    let one = try inspection.queue("hung.one"), inactive = try inspection.queue("hung.inactive")
    #expect(one.suspended == 1 && !one.isInactive && inactive.isInactive && inactive.suspended == 0)
    // The waiting thread's record lies behind the items.
    #expect(one.pending == 1 && inactive.pending == 4)
    #expect(one.target.flatMap { target in inspection.queues.first { $0.address == target } }?.kind == "global")
  }

  @Test("A group, a semaphore, and one with a limit: any thread may end the wait")
  func group() throws {
    let inspection = try inspect(program("group"), waiting: 3, hasCycle: false)
    let group = try #require(inspection.onQueue("hung.one").first?.wait),
      semaphore = try #require(inspection.onQueue("hung.other").first?.wait)
    #expect(group.kind == "group" && group.because == "anyone" && group.holders.isEmpty && !group.isLimited)
    #expect(semaphore.kind == "semaphore" && semaphore.because == "anyone" && !semaphore.isLimited)
    let limited = try #require(waiting(inspection).first { $0.wait?.isLimited == true })
    #expect(limited.wait?.object == semaphore.object && limited.inside.isEmpty && inspection.cycles.isEmpty)
  }

  @Test("A barrier behind a reader: the thread is named that runs the item")
  func barrier() throws {
    let inspection = try inspect(program("barrier"), waiting: 1, hasCycle: false), wide = try inspection.queue("hung.wide")
    let wait = try #require(waiting(inspection).first?.wait), reader = try #require(inspection.onQueue("hung.wide").first)
    #expect(wait.object == wide.address && wait.because == "inside" && wait.holders == [reader.id])
    #expect(inspection.onQueue("hung.wide").count == 1 && lines(inspection, reader).contains { $0.contains("sleepForever()") })
    #expect(wide.kind == "concurrent" && wide.running == 1 && wide.owner == nil && inspection.cycles.isEmpty)
  }

  @Test("A barrier waits for a reader that waits for the barrier's thread, and another reader sleeps: the cycle is certain")
  func readers() throws {
    let inspection = try inspect(program("readers"), waiting: 2), wide = try inspection.queue("hung.wide")
    let readers = inspection.onQueue("hung.wide"), barrier = try #require(inspection.onQueue("hung.other").first)
    let reader = try #require(readers.first { $0.wait != nil })
    #expect(readers.count == 2 && wide.running == 2)
    #expect(barrier.wait?.because == "inside" && Set(barrier.wait?.holders ?? []) == Set(readers.map(\.id)))
    #expect(reader.wait?.holders == [barrier.id])
    #expect(inspection.cycles.map(\.isCertain) == [true] && Set(inspection.cycles[0].threads) == [reader.id, barrier.id])
  }

  @Test("All threads that run a global queue's items wait for one thing, and items lie behind")
  func pool() throws {
    let inspection = try program("pool").inspect(until: { inspection in
      inspection.pools.contains { $0.threads > 1 && $0.running == 0 && $0.workers.values.allSatisfy { $0 == "waits" } }
    })
    let pool = try #require(inspection.pools.first), queue = try inspection.queue(pool.name)
    #expect(queue.kind == "global" && queue.label.contains("utility") && queue.pending > 0 && queue.next.first?.kind == "async")
    #expect(inspection.onQueue(queue.label).count == pool.threads)
    let findings = InspectionFindings(inspection, InspectionNames(inspection, PlaceNames(wantsLines: false))).lines
    #expect(
      findings.contains { $0.contains("items lie in global queue") && $0.contains("of them for semaphore") }, "\(findings)")
  }

  @Test("Items of each kind, with their functions: closures, work items, barriers, a thread's turn, another queue's")
  func items() throws {
    let inspection = try inspect(program("items"), waiting: 1, hasCycle: false)
    let one = try inspection.queue("hung.one"), wide = try inspection.queue("hung.wide")
    #expect(one.next.map(\.kind) == ["async", "work item", "queue's turn"] && one.pending == 3)
    #expect(wide.next.map(\.kind) == ["async", "barrier async", "sync"] && wide.pending == 3)
    #expect(try inspection.queue("hung.child").pending == 1)
    var places = PlaceNames(wantsLines: false)
    places.learn([inspection])
    let functions = (one.next.prefix(2) + wide.next).map { places.function($0.function, on: []) ?? "" }
    for (function, name) in zip(functions, ["plainItem()", "closure", "closure", "closure", "closure"]) {
      #expect(function.contains(name), "\(functions)")
    }
    #expect(one.owner != nil && wide.owner != nil && inspection.onQueue("hung.wide").count == 1)
  }

  @Test("Timers, when they are due and on which queue; a descriptor and a signal that are monitored; a timer never set is none")
  func sources() throws {
    let inspection = try program("sources").inspect(until: { $0.armed.count == 3 && $0.monitored.count == 1 })
    try #require(inspection.armed.count == 3, "\(inspection.armed)")
    let labels = Dictionary(uniqueKeysWithValues: inspection.queues.map { ($0.address, $0.label) })
    #expect(inspection.armed.map(\.kind) == ["asyncAfter", "timer source", "timer source"])
    #expect(inspection.armed.map { labels[$0.queue] } == ["hung.other", "hung.one", "hung.one"])
    for (timer, seconds) in zip(inspection.armed, [1_800, 3_600, 7_200] as [Double]) {
      // The wall clock may be set while the test runs.
      let due = try #require(timer.due)
      #expect(due < seconds + 600 && due > seconds - 1_700, "\(due)")
    }
    #expect(inspection.timers == 3 && inspection.events == 1)
    #expect(inspection.monitored.map(\.direction) == ["readable"] && inspection.monitored[0].label == "hung.other")
    var places = PlaceNames(wantsLines: false)
    places.learn([inspection])
    #expect(inspection.armed.allSatisfy { places.function($0.function, on: [])?.contains("closure") == true })
  }

  @Test("A thread of the library's that has nothing to do waits for nothing")
  func idle() throws {
    let inspection = try program("idle").inspect(until: { $0.threads.contains { $0.state == "idle worker" } })
    let idle = inspection.threads.filter { $0.state == "idle worker" }
    #expect(!idle.isEmpty && idle.allSatisfy { $0.wait == nil && $0.call == nil && $0.inside.isEmpty }, "\(inspection.threads)")
  }

  @Test("A thread that waits for another one's end names that thread")
  func join() throws {
    let inspection = try inspect(program("join"), waiting: 1, hasCycle: false), wait = try #require(waiting(inspection)[0].wait)
    let other = try #require(wait.holders.first)
    #expect(wait.kind == "end of thread" && wait.object == "\(other)" && wait.because == Inspection.Wait.goesOn)
    #expect(inspection.threads.contains { $0.id == other && $0.call == "pause" && $0.wait == nil })
  }

  @Test(
    "Two globals that want one another while they are made: a thread waits for what the other makes, which tries again and again"
  )
  func once() throws {
    // The kernel refuses the wait that would close a cycle of such locks; so that thread sleeps no more, and nothing is
    // claimed.
    let inspection = try inspect(program("once"), waiting: 1, hasCycle: false), wait = try #require(waiting(inspection)[0].wait)
    #expect(wait.kind == "once" && wait.because == "held" && wait.holders.count == 1)
    #expect(lines(inspection, waiting(inspection)[0]).contains { $0.contains("Crossed.") })
  }

  @Test("A condition, a lock for readers and writers: called by the C library's functions, without an owner")
  func clibrary() throws {
    let inspection = try program("clibrary").inspect(until: { waiting($0).count >= 3 })
    let kinds = Set(waiting(inspection).compactMap(\.wait?.kind))
    // A function that has only an inner name, as `sem_wait` has, is not known where the library has exported names
    // alone.
    #expect(
      kinds.subtracting(["POSIX semaphore"])
        == ["condition", "reader-writer lock, for reading", "reader-writer lock, for writing"])
    #expect(waiting(inspection).allSatisfy { $0.wait?.because == "anyone" && $0.wait?.holders == [] })
  }

  @Test("The stack of a thread that sleeps, through frames of every length, and the thread sleeps on")
  func deep() throws {
    let program = try program("deep")
    let inspection = try program.inspect(until: { $0.threads.contains { $0.call == "poll" } })
    let thread = try #require(inspection.threads.first { $0.call == "poll" }), lines = lines(inspection, thread)
    let found = ["deepest()", "deeper()", "deep(_:)"].map { name in lines.firstIndex { $0.contains(" \(name)") } }
    #expect(found.allSatisfy { $0 != nil } && found.compactMap { $0 } == found.compactMap { $0 }.sorted(), "\(lines)")
    #expect(thread.stackEnd == nil)
    let id = Int32(thread.id), before = KernelThread.switches(id, ofProcess: program.child.id)
    for _ in 0..<100 { _ = try program.inspect() }
    #expect(KernelThread.switches(id, ofProcess: program.child.id) == before, "the reader ends no sleep")
  }

  @Test(
    "Queues come and go by the thousand: no cycle, no wait of a thread that is not there, and what lived before is there",
    .timeLimit(.minutes(10)))
  func churn() throws {
    let program = try program("churn")
    for _ in 0..<200 {
      let inspection = try program.inspect()
      #expect(inspection.cycles.isEmpty, "\(inspection.cycles)")
      for label in ["hung.one", "hung.other", "com.apple.main-thread"] {
        #expect(inspection.queues.filter { $0.label == label }.count == 1)
      }
      let threads = Set(inspection.threads.map(\.id))
      #expect(waiting(inspection).allSatisfy { threads.isSuperset(of: $0.wait?.holders ?? []) })
    }
  }

  @Test(
    "A cycle through a queue of Signalbox's and one of the toolchain's, which no thread reports: seen from outside, and in a core"
  )
  func both() throws {
    let program = try InspectedProgram(["both"]), place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    var inspections: [Inspection] = []
    #expect(
      eventually {
        inspections = (try? program.inspections()) ?? []
        return inspections.first?.cycles.isEmpty == false
      })
    try WrittenCore.write(program.child.id, to: place + "/core")
    let dumped = try CoreInspection(place + "/core", program: InspectedProgram.programs + "InspectProbe").inspections
    for inspections in [inspections, dumped] {
      try #require(inspections.count == 2)
      let own = inspections[0], other = inspections[1]
      #expect(own.usesSignalbox && !other.usesSignalbox && other.copy.contains("libdispatch"))
      #expect(own.cycles.map(\.isCertain) == [true] && own.cycles[0].threads.count == 2 && other.cycles.isEmpty)
      let queue = try other.queue("probe.toolchain"), holder = try #require(queue.owner)
      let waiter = try #require(other.threads.first { $0.wait?.object == queue.address })
      #expect(Set(own.cycles[0].threads) == [waiter.id, holder] && own.onQueue("probe.one").map(\.id) == [waiter.id])
      let text = InspectionTables(inspections, process: "1", InspectOptions()).text
      #expect(
        text.contains("deadlock: 2 threads wait for one another, forever") && text.contains("\nthe toolchain's library, ")
          && !text.contains("something"))
    }
    #expect(try InspectedProcess(program.child.id).hasDeadlock())
  }

  @Test("A program without Dispatch is shown, too: its threads, and that it does not use Signalbox")
  func sleeper() throws {
    let sleeper = try ChildProcess("/bin/sleep", ["1000"])
    let inspection = try #require(try InspectedProcess(sleeper.id).inspect().first)
    #expect(inspection.threads.map(\.isMain) == [true] && inspection.queues.isEmpty && inspection.unread.isEmpty)
    let text = InspectionTables([inspection], process: "1 (sleep)", InspectOptions()).text
    #expect(text.contains("it does not use Signalbox"), "\(text)")
  }
}
