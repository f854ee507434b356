// PoolReadingTests.swift: the pool's threads and what lies in global queues: of running processes, of a core dump, and
// while workers take, keep and steal items all the time.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector
@testable import SignalboxSystem

@Suite("Pools that are read") struct PoolReadingTests {
  private static let full = "com.apple.root.default-qos"

  private func bothSleep(_ inspection: Inspection) -> Bool {
    inspection.pools.first.map { $0.running == 0 && $0.workers.count == 2 && $0.workers.values.allSatisfy { $0 == "waits" } }
      ?? false
  }

  private func check(_ inspection: Inspection) throws {
    let pool = try #require(inspection.pools.first), queue = try inspection.queue(Self.full)
    #expect(inspection.pools.count == 1 && pool.name == "default" && inspection.lost == 0)
    #expect(pool.threads == 2 && pool.running == 0 && pool.idle == 0 && pool.limit == 2, "\(pool)")
    #expect(Set(pool.workers.keys) == Set(inspection.onQueue(Self.full).map(\.id)) && bothSleep(inspection), "\(pool)")
    // A turn of another queue, and 300 items.
    #expect(queue.isCounted && queue.pending == 301 && queue.knowsDone && queue.done == 2, "\(queue)")
    #expect(queue.next.map(\.kind) == ["async", "work item", "async"], "\(queue.next)")
    var places = PlaceNames(wantsLines: false)
    places.learn([inspection])
    let item = InspectionNames(inspection, places).item(queue.next[0].kind, queue.next[0].function)
    #expect(item.contains("Global.full()"), "\(item)")
    #expect(try inspection.queue("com.apple.root.utility-qos").pending == 2)
    #expect(inspection.queues.filter { $0.kind == "global" && $0.isCounted && $0.pending == 0 }.count == 3)
    let text = InspectionTables([inspection], process: "1 (InspectProbe)", InspectOptions()).text
    for part in ["the pool default is exhausted: all 2 threads wait", "pool     threads  running  idle  limit"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(!text.contains("pool: none was made") && !text.contains("the pool, timers"), "\(text)")
    let top = TopTable([inspection], after: [inspection], seconds: 1, title: "1 (InspectProbe)", width: 0).lines
    #expect(top.contains("pool default: 0 of 2 threads run, 0 idle, limit 2"), "\(top)")
  }

  @Test("Both workers sleep, and items lie behind them: in a running process, a stopped one, and a core dump of it")
  func full() throws {
    let program = try InspectedProgram(["global"], isPrepared: false, adding: ["SIGNALBOX_MAX_THREADS": "2"])
    try check(try program.inspect(until: bothSleep))
    kill(program.child.id, SIGSTOP)
    try check(try program.inspect())
    let file = program.place + "/core"
    _ = try WrittenCore.write(program.child.id, to: file)
    try check(try #require(try CoreInspection(file, program: InspectedProgram.programs + "InspectProbe").inspections.first))
  }

  @Test("Three bands with workers of their own, of which those that have nothing to do are idle")
  func bands() throws {
    let program = try InspectedProgram(["idle"], isPrepared: false)
    let inspection = try program.inspect(until: { inspection in
      inspection.pools.contains { $0.idle > 0 && $0.idle == $0.workers.values.filter { $0 == "idle" }.count }
    })
    #expect(inspection.pools.map(\.name) == ["default", "utility", "background"])
    let pool = inspection.pools[0]
    #expect(pool.idle > 0 && pool.threads >= pool.workers.count && pool.limit > 2, "\(pool)")
    let top = TopTable([inspection], after: nil, seconds: 0, title: "", width: 0).lines[0]
    #expect(top.contains("idle worker"), "\(top)")
  }

  @Test("A process whose workers take, keep and steal items all the time is read while they do")
  func flood() throws {
    let program = try InspectedProgram(["flood"], isPrepared: false)
    let words: Set = ["runs", "waits", "sleeps in an item", "idle", "searches", "begins"]
    var counted = 0, shown = 0
    for _ in 0..<100 {
      let inspection = try program.inspect(), queue = try inspection.queue(Self.full),
        threads = Set(inspection.threads.map(\.id))
      for pool in inspection.pools {
        #expect(pool.running + pool.idle <= pool.threads && pool.threads <= pool.limit, "\(pool)")
        #expect(Set(pool.workers.values).isSubset(of: words), "\(pool)")
        // The threads were read before.
        #expect(pool.workers.keys.filter { $0 != 0 && !threads.contains($0) }.count <= 8, "\(pool) \(threads)")
      }
      // Of a queue at work the number is nearly of one moment: what goes from a ring to a list meanwhile may count in
      // both.
      #expect(queue.pending <= 1_000 && queue.next.allSatisfy { $0.kind == "async" }, "\(queue)")
      if queue.isCounted { counted += 1 }
      if !queue.next.isEmpty { shown += 1 }
    }
    #expect(counted > 0)
    // Stopped, each of the hundred lies somewhere, or runs on one of the workers, or is about to; unless a worker was
    // stopped as it changed both ends of a list.
    var stopped: Inspection?
    #expect(
      eventually {
        kill(program.child.id, SIGCONT)
        kill(program.child.id, SIGSTOP)
        guard eventually({ OtherProcess.threadState("\(program.child.id)", of: program.child.id) == "T" }) else { return false }
        stopped = try? program.inspect()
        return (try? stopped?.queue(Self.full).isCounted) == true
      })
    let last = try #require(stopped), queue = try last.queue(Self.full), workers = last.pools[0].workers.count
    #expect((100 - 32 * workers...100).contains(queue.pending), "\(queue) \(last.pools) \(shown)")
  }
}
