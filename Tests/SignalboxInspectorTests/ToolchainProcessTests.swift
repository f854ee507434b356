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

  @Test("A barrier behind a reader: items run in the queue, and no thread is named that runs one")
  func barrier() throws {
    let inspection = try inspect(program("barrier"), waiting: 1, hasCycle: false), wide = try inspection.queue("hung.wide")
    let wait = try #require(waiting(inspection).first?.wait)
    #expect(wait.object == wide.address && wait.because == "inside" && wait.holders.isEmpty)
    #expect(wide.kind == "concurrent" && wide.running == 1 && wide.owner == nil && inspection.cycles.isEmpty)
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

  @Test("A program without Dispatch is shown, too: its threads, and that it does not use Signalbox")
  func sleeper() throws {
    let sleeper = try ChildProcess("/bin/sleep", ["1000"])
    let inspection = try #require(try InspectedProcess(sleeper.id).inspect().first)
    #expect(inspection.threads.map(\.isMain) == [true] && inspection.queues.isEmpty && inspection.unread.isEmpty)
    let text = InspectionTables([inspection], process: "1 (sleep)", InspectOptions()).text
    #expect(text.contains("it does not use Signalbox"), "\(text)")
  }
}
