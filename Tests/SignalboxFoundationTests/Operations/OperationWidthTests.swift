// OperationWidthTests.swift: operations that compute run on as many threads as there are processors, of each class, whichever thread waits
// for them; one more while a wait moves them to a more urgent band. Items of queues are ClassWidthTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Synchronization
import Testing

@testable import SignalboxClasses
@testable import SignalboxDispatch

@Suite("How many operations compute at once", .serialized) struct OperationWidthTests {
  enum Wait: String, CaseIterable, Codable { case none, all, last, barrier }

  /// How many are inside, and the most that ever were. Without a lock: an operation that sleeps for one computes no
  /// more, so another may begin beside it.
  final class Width: Sendable {
    private let inside = Atomic64(0), peak = Atomic64(0), over = Atomic64(0)

    func enter() {
      let now = inside.addSeqCst(1) + 1
      var known = peak.loadRelaxed()  // relaxed: the exchange decides
      while known < now {
        let (isWritten, other) = peak.casSeqCst(known, now)
        if isWritten { break }
        known = other
      }
    }
    func leave() {
      _ = inside.subtractSeqCst(1)
      _ = over.addSeqCst(1)
    }
    var most: Int { Int(peak.loadAcquire()) }  // acquire: read when all are over
    var count: Int { Int(over.loadAcquire()) }  // acquire: all that ended ones wrote is visible
  }

  /// Adds `count` operations that compute for `time` nanoseconds each, waits, and returns how many ran at once at most.
  static func most(_ count: Int, of time: UInt64, _ quality: QualityOfService, _ wait: Wait) -> Int {
    let queue = OperationQueue(), width = Width()
    queue.qualityOfService = quality
    var last = Operation()
    for _ in 0..<count {
      last = BlockOperation {
        width.enter()
        let end = Clock.uptime() + time
        while Clock.uptime() < end {}
        width.leave()
      }
      queue.addOperation(last)
    }
    switch wait {
    case .none: break
    case .all: queue.waitUntilAllOperationsAreFinished()
    case .last: last.waitUntilFinished()
    case .barrier:
      let passed = DispatchSemaphore(value: 0)
      queue.addBarrierBlock { passed.signal() }
      passed.wait()
    }
    // By polling, not by waiting: a wait would raise what a row without one leaves alone.
    #expect(eventually { width.count == count })
    return width.most
  }

  @Test("Operations that compute run on no more threads than the processors, and one", arguments: Wait.allCases)
  func width(wait: Wait) async {
    await #expect(processExitsWith: .success) { [wait] in
      alarm(500)
      // The pool keeps the processors busy that are there, whatever number the environment pretends.
      unsetenv("SIGNALBOX_PROCESSORS")
      for quality in [.utility, .background, .default, .userInitiated] as [QualityOfService] {
        for (count, time) in [(48, UInt64(3_000_000)), (300, 1_000_000)] {
          let most = Self.most(count, of: time, quality, wait)
          #expect(most <= Tuning.processors + 1, "\(count) operations, \(quality), \(wait): \(most) at once")
        }
      }
    }
  }

  @Test(
    "An operation keeps its place in the underlying queue though the thread was found asleep in the item before",
    arguments: [true, false])
  func order(isSerial: Bool) async {
    await #expect(processExitsWith: .success) { [isSerial] in
      alarm(500)
      #expect(Self.order(DispatchQueue(label: "own", attributes: isSerial ? [] : .concurrent)) == [1, 2])
    }
  }

  /// What runs first: an operation, or an item that was submitted to the operation queue's underlying one after it.
  private static func order(_ own: DispatchQueue) -> [Int] {
    let queue = OperationQueue(), log = SharedLog(), areAdded = DispatchSemaphore(value: 0)
    queue.underlyingQueue = own
    own.async(flags: .barrier) {
      areAdded.wait()
      Pool.worker(ThreadSlot.current)?.use { worker in worker.withPool { $0.markAsleep(worker) } }
    }
    queue.addOperation { log.add(1) }
    own.async(flags: .barrier) { log.add(2) }
    areAdded.signal()
    queue.waitUntilAllOperationsAreFinished()
    own.sync(flags: .barrier) {}
    return log.entries
  }

  private final class SharedLog: Sendable {
    private let numbers = Mutex<[Int]>([])
    var entries: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }
}
