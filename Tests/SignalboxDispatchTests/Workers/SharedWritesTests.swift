// SharedWritesTests.swift: how often workers update a cache line that another worker has updated last: what a machine
// with many processors would wait for. Counted under the trait Explore, with the words of the engine alone: what the
// allocator does is not Signalbox's.
#if Explore
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Synchronization
import Testing

@testable import SignalboxDispatch

/// A counter that is no word of the engine's.
private final class UnseenCounter: Sendable {
  private let value = Atomic<Int>(0)
  func add() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }  // relaxed: a count
}

/// The pool is as it is with many processors, on this machine's: what workers keep, and how many items they take at once.
///
/// What costs time is not an update but the line that it has to fetch: so updates count of words whose line another
/// worker has updated since this one did. A worker's own ring is updated for each item that is taken from it, by its
/// worker alone until another steals.
@Suite("Updates of shared lines for each item", .serialized) struct SharedWritesTests {
  private static let items = 20_000

  /// Something that takes about a microsecond or two.
  private static func work() { for _ in 0..<40 { spinPause() } }

  private typealias Each = (shared: Double, passed: Double)
  private static func each(_ count: ExploreWrites.Count, _ items: Int) -> Each {
    (Double(count.shared) / Double(items), Double(count.passed) / Double(items))
  }

  /// What is counted for each of the items that `submit` sees to, in a process in which workers have run before. On a busy machine a worker may
  /// lose its processor in the middle; the sampler then gives what it keeps to others, which is no steady state: so there are ten tries.
  private static func expect(
    _ isRight: (Each) -> Bool, at location: SourceLocation = #_sourceLocation, _ submit: (_ count: Int) -> Each?
  ) {
    _ = submit(2_000)
    var seen: [Each] = []
    for _ in 0..<10 {
      ExploreWrites.start()
      let found = submit(items) ?? each(ExploreWrites.stop(), items)
      if isRight(found) { return }
      seen.append(found)
    }
    Issue.record("\(seen)", sourceLocation: location)
  }

  @Test("Items that submit one another: at most a tenth finds its line last updated by another worker")
  func chains() async {
    await #expect(processExitsWith: .success) {
      Tuning.testsOnly_few(0)
      Self.expect({ $0.passed <= 0.1 }) { count in
        let done = DispatchSemaphore(value: 0)
        @Sendable func again(_ left: Int) {
          Self.work()
          if left > 0 { return DispatchQueue.global().async { again(left - 1) } }
          done.signal()
        }
        let chains = 4 * Tuning.processors
        for _ in 0..<chains { DispatchQueue.global().async { again(count / chains) } }
        for _ in 0..<chains { done.wait() }
        return nil
      }
    }
  }

  @Test("Items that submit eight others: at most a tenth finds its line last updated by another worker")
  func fans() async {
    await #expect(processExitsWith: .success) {
      Tuning.testsOnly_few(0)
      Self.expect({ $0.passed <= 0.1 }) { count in
        let done = DispatchSemaphore(value: 0), ran = UnseenCounter()
        @Sendable func again(_ left: Int) {
          for number in 0..<min(8, left) {
            DispatchQueue.global().async {
              Self.work()
              let isLast = ran.add() == count
              if number == 7 { again(left - 8) }
              if isLast { done.signal() }
            }
          }
        }
        for _ in 0..<8 { DispatchQueue.global().async { again(count / 8) } }
        done.wait()
        return nil
      }
    }
  }

  @Test(
    "Items from outside, while some are pending: at most one update for each finds its line last updated by another"
  )
  func fromOutside() async {
    await #expect(processExitsWith: .success) {
      Tuning.testsOnly_few(0)
      Self.expect({ $0.passed <= 1 }) { count in
        let done = DispatchSemaphore(value: 0), counting = count / 4...3 * count / 4, found = Found()
        for number in 1...count {
          DispatchQueue.global().async {
            Self.work()
            if number == counting.lowerBound { ExploreWrites.start() }
            guard number == counting.upperBound else { return }
            found.each = Self.each(ExploreWrites.stop(), counting.count)
            done.signal()
          }
        }
        done.wait()
        return found.each
      }
    }
  }

  private final class Found: @unchecked Sendable {
    // SAFETY of @unchecked: one item writes it, and is waited for.
    var each: Each = (0, 0)
  }
}
#endif
