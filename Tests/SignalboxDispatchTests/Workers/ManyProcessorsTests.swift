// ManyProcessorsTests.swift: the pool as it is on a machine with many processors, forced onto this one: shards, several items taken at once,
// several searchers. Each test is in a process of its own.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite("The pool of many processors") struct ManyProcessorsTests {
    /// Every item of a tree of submissions, and of many outside, runs once.
    private static func runEverything() {
      let count = Atomic64(0), group = DispatchGroup()
      @Sendable func grow(_ depth: Int) {
        _ = count.addRelaxed(1)  // relaxed: read once all have run
        guard depth > 0 else { return }
        for number in 0..<30 {
          let queue = number % 3 == 0 ? DispatchQueue.global(qos: .userInitiated) : .global()
          queue.async(group: group) { grow(depth - 1) }
        }
      }
      let threads = (0..<8).map { _ in
        TestThread {
          for number in 0..<2_000 {
            let queue = number % 5 == 0 ? DispatchQueue(label: "serial") : DispatchQueue.global()
            queue.async(group: group) { _ = count.addRelaxed(1) }  // relaxed: as above
          }
          DispatchQueue.global().async(group: group) { grow(2) }
        }
      }
      for thread in threads { thread.join() }
      group.wait()
      #expect(count.loadRelaxed() == 8 * (2_000 + 1 + 30 + 900))  // relaxed: all have run
    }

    @Test("Two processors: one shard, one searcher, one item at a time, and everything runs")
    func two() async {
      await #expect(processExitsWith: .success) {
        setenv("SIGNALBOX_PROCESSORS", "2", 1)
        Pools.ofProcess.main.use { #expect($0.lists.shards == 1 && $0.searchers == 1 && !$0.isWide) }
        for _ in 0..<10 { Self.runEverything() }
      }
    }

    @Test("Nine processors: one shard, several items at a time, and everything runs")
    func nine() async {
      await #expect(processExitsWith: .success) {
        setenv("SIGNALBOX_PROCESSORS", "9", 1)
        UsableProcessors.testsOnly_feign(present: 9)
        Pools.ofProcess.main.use { #expect($0.lists.shards == 1 && $0.searchers == 1 && $0.isWide) }
        for _ in 0..<10 { Self.runEverything() }
      }
    }

    @Test("Sixty-four processors: eight shards and searchers, and everything runs")
    func sixtyFour() async {
      await #expect(processExitsWith: .success) {
        setenv("SIGNALBOX_PROCESSORS", "64", 1)
        UsableProcessors.testsOnly_feign(present: 64)
        Pools.ofProcess.main.use { #expect($0.lists.shards == 8 && $0.searchers == 8 && $0.isWide) }
        for _ in 0..<10 { Self.runEverything() }
      }
    }

    @Test("As many workers as there may be: everything runs")
    func all() async {
      await #expect(processExitsWith: .success) {
        setenv("SIGNALBOX_PROCESSORS", "512", 1)
        UsableProcessors.testsOnly_feign(present: 512)
        Pools.ofProcess.main.use { #expect($0.searchers == 64) }
        for _ in 0..<5 { Self.runEverything() }
      }
    }

    @Test("More workers than processors: shards and searchers are as many as for the processors, and everything runs")
    func more() async {
      await #expect(processExitsWith: .success) {
        setenv("SIGNALBOX_PROCESSORS", "512", 1)
        UsableProcessors.testsOnly_feign(present: 16)
        Pools.ofProcess.main.use { #expect($0.lists.shards == 2 && $0.searchers == 2 && $0.isWide) }
        for _ in 0..<5 { Self.runEverything() }
      }
    }

    @Test("A number of processors that is none is reported, and those of the machine are used")
    func nonsense() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        setenv("SIGNALBOX_PROCESSORS", "0", 1)
        #expect(Tuning.processors >= 1)
      }
      expectReport(result, saying: "SIGNALBOX_PROCESSORS=0 is not a number from 1 to 1024: affinity and control groups decide")
    }
  }
}
