// QueueTraitTests.swift: cancelling, suspending, limits and waiting across the bridges of operation queues, in both directions.
import Foundation
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

private typealias Ours = SignalboxFoundation.OperationQueue
private typealias Theirs = Foundation.OperationQueue

/// Two queues, one over the other, without their types.
private struct Pair: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// To the queue that forwards, and to the one that runs.
  let add: @Sendable (@escaping @Sendable () -> Void) -> Void
  let addBelow: @Sendable (@escaping @Sendable () -> Void) -> Void
  let cancelAll: @Sendable () -> Void
  let waitForAll: @Sendable () -> Void
  /// Suspends, or resumes: the queue that forwards, and the one that runs.
  let suspend: @Sendable (Bool) -> Void
  let suspendBelow: @Sendable (Bool) -> Void
  let limit: @Sendable (Int) -> Void
  let limitBelow: @Sendable (Int) -> Void

  static func theirsOverOurs() -> Pair {
    let ours = Ours()
    let theirs = ours.makeFoundationQueue()
    return Pair(
      testDescription: "Foundation's over ours",
      add: { theirs.addOperation($0) }, addBelow: { ours.addOperation($0) },
      cancelAll: { theirs.cancelAllOperations() }, waitForAll: { theirs.waitUntilAllOperationsAreFinished() },
      suspend: { theirs.isSuspended = $0 }, suspendBelow: { ours.isSuspended = $0 },
      limit: { theirs.maxConcurrentOperationCount = $0 }, limitBelow: { ours.maxConcurrentOperationCount = $0 })
  }
  static func oursOverTheirs() -> Pair {
    let theirs = Theirs()
    theirs.maxConcurrentOperationCount = 4  // the default is the number of processors
    let ours = Ours.forwarding(to: theirs)
    return Pair(
      testDescription: "ours over Foundation's",
      add: { ours.addOperation($0) }, addBelow: { theirs.addOperation($0) },
      cancelAll: { ours.cancelAllOperations() }, waitForAll: { ours.waitUntilAllOperationsAreFinished() },
      suspend: { ours.isSuspended = $0 }, suspendBelow: { theirs.isSuspended = $0 },
      limit: { ours.maxConcurrentOperationCount = $0 }, limitBelow: { theirs.maxConcurrentOperationCount = $0 })
  }
  static var both: [Pair] { [theirsOverOurs(), oursOverTheirs()] }
}

/// How many are inside at a time.
private final class Crowd: Sendable {
  private let lock = SignalboxFoundation.NSLock()
  private nonisolated(unsafe) var counts = (inside: 0, most: 0, all: 0)  // guarded by `lock`
  func enter() {
    lock.withLock {
      counts.inside += 1
      counts.all += 1
      counts.most = max(counts.most, counts.inside)
    }
  }
  func leave() { lock.withLock { counts.inside -= 1 } }
  var inside: Int { lock.withLock { counts.inside } }
  var most: Int { lock.withLock { counts.most } }
  var all: Int { lock.withLock { counts.all } }
}

@Suite("Cancelling, suspending and waiting across bridged operation queues", .serialized) struct QueueTraitTests {
  /// Runs `body` on a thread of its own, and says whether it has ended in time.
  private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
    let end = SignalboxFoundation.DispatchSemaphore(value: 0)
    Foundation.Thread.detachNewThread {
      body()
      end.signal()
    }
    return end.wait(timeout: .now() + .seconds(Int(patience))) == .success
  }

  /// Whether `condition` comes to hold in time.
  private func comes(_ condition: @escaping @Sendable () -> Bool) -> Bool {
    eventually(within: 60, condition)
  }

  @Test("As many run at a time as the queue below allows", arguments: Pair.both)
  fileprivate func concurrent(_ pair: Pair) {
    let crowd = Crowd(), gate = SignalboxFoundation.DispatchSemaphore(value: 0)
    for _ in 0..<4 {
      pair.add {
        crowd.enter()
        gate.wait()
        crowd.leave()
      }
    }
    #expect(comes { crowd.inside == 4 })
    for _ in 0..<4 { gate.signal() }
    #expect(ends { pair.waitForAll() })
  }

  @Test("A limit holds, whichever queue has it", arguments: [true, false], Pair.both)
  fileprivate func limits(isBelow: Bool, _ pair: Pair) {
    let crowd = Crowd()
    if isBelow { pair.limitBelow(2) } else { pair.limit(2) }
    for _ in 0..<200 {
      pair.add {
        crowd.enter()
        sleepPlainly(microseconds: 50)  // work that sleeps
        crowd.leave()
      }
    }
    #expect(ends { pair.waitForAll() })
    #expect(crowd.all == 200 && (1...2).contains(crowd.most))
  }

  @Test("A serial queue below keeps the order", arguments: Pair.both)
  fileprivate func order(_ pair: Pair) {
    pair.limitBelow(1)
    let lock = SignalboxFoundation.NSLock()
    nonisolated(unsafe) var order: [Int] = []  // guarded by `lock`
    for number in 0..<500 { pair.add { lock.withLock { order.append(number) } } }
    #expect(ends { pair.waitForAll() })
    #expect(lock.withLock { order } == Array(0..<500))
  }

  @Test("Nothing runs while either queue is suspended, and everything afterwards", arguments: [true, false], Pair.both)
  fileprivate func suspension(isBelow: Bool, _ pair: Pair) {
    let crowd = Crowd()
    let suspend = isBelow ? pair.suspendBelow : pair.suspend
    suspend(true)
    for _ in 0..<20 { pair.add { crowd.enter() } }
    // What comes after on other threads of either kind has run: what could run would have.
    #expect(ends { Ours().addOperations([SignalboxFoundation.BlockOperation {}], waitUntilFinished: true) })
    #expect(ends { Theirs().addOperations([Foundation.BlockOperation {}], waitUntilFinished: true) })
    #expect(crowd.all == 0)
    suspend(false)
    #expect(ends { pair.waitForAll() })
    #expect(crowd.all == 20)
  }

  @Test(
    "An operation cancelled before its turn does not run, who waits for it goes on, and later work runs", arguments: Pair.both)
  fileprivate func cancelling(_ pair: Pair) {
    let crowd = Crowd()
    pair.suspendBelow(true)
    for _ in 0..<20 { pair.add { crowd.enter() } }
    pair.addBelow { crowd.enter() }
    pair.cancelAll()
    pair.suspendBelow(false)
    #expect(ends { pair.waitForAll() })
    #expect(comes { crowd.all == 1 })
    pair.add { crowd.enter() }
    #expect(ends { pair.waitForAll() })
    #expect(crowd.all == 2)
  }

  @Test("Waiting for all concerns what came over the bridge", arguments: Pair.both)
  fileprivate func waiting(_ pair: Pair) {
    let crowd = Crowd(), gate = SignalboxFoundation.DispatchSemaphore(value: 0)
    pair.limitBelow(2)
    pair.addBelow { gate.wait() }
    for _ in 0..<50 { pair.add { crowd.enter() } }
    #expect(ends { pair.waitForAll() })
    #expect(crowd.all == 50)
    gate.signal()
  }

  @Test("The underlying queue of a forwarding queue cannot be set")
  func underlyingQueue() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let other = SignalboxFoundation.DispatchQueue(label: "other")
      Ours.forwarding(to: Theirs(), name: "inner").underlyingQueue = other
    }
    expectStop(result, saying: "inner", "forwards to a queue of Foundation's")
  }
}
