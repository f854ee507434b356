// Ferry.swift: an operation of ours that is one of Foundation's: ready when that is, started by starting it, finished with it.
import Foundation
import SignalboxSystem

// SAFETY of @unchecked: `theirs` is constant, the rest atomic.
final class Ferry: Operation, @unchecked Sendable {
  private static let waiting: UInt32 = 0, executing: UInt32 = 1, finished: UInt32 = 2
  private static let longestPause = 50
  private let theirs: Foundation.Operation
  private let stage = Atomic32(Ferry.waiting)
  private let isClear = Atomic32(0)

  init(_ theirs: Foundation.Operation) {
    self.theirs = theirs
    super.init()
    name = theirs.name
    queuePriority = QueuePriority(rawValue: theirs.queuePriority.rawValue) ?? .normal
    qualityOfService = theirs.qualityOfService
    pollForReadiness(pause: 1)
  }

  // acquire F1: pairs with F2; who sees it finished sees what theirs has done, who sees it ready what made it so.
  override var isExecuting: Bool { stage.loadAcquire() == Self.executing }
  override var isFinished: Bool { stage.loadAcquire() == Self.finished }  // acquire F1
  override var isReady: Bool { (isClear.loadAcquire() == 1 || isCancelled) && super.isReady }  // acquire F1
  override var isAsynchronous: Bool { true }

  override func start() {
    tell(["isExecuting"]) { stage.storeRelease(Self.executing) }  // release F2: see F1
    if isCancelled { theirs.cancel() }
    waitForLateDependencies()
    theirs.start()
    if theirs.isFinished { end() } else { Herald.afterTheirs([theirs]) { self.end() } }
  }

  override func cancel() {
    super.cancel()
    theirs.cancel()
  }

  /// Foundation does not report when theirs becomes ready: it is asked when all that it depends on is finished, and then, since a moment may
  /// pass in between and a subclass may have a condition of its own, again after pauses of `pause` milliseconds and more.
  private func pollForReadiness(pause: Int) {
    if theirs.isReady || isCancelled { return tell(["isReady"]) { isClear.storeRelease(1) } }  // release F2: see F1
    let pending = theirs.dependencies.filter { !$0.isFinished }
    if pending.isEmpty {
      DispatchQueue.global(qos: .default).asyncAfter(deadline: .now() + .milliseconds(pause)) {
        self.pollForReadiness(pause: min(2 * pause, Self.longestPause))
      }
    } else {
      Herald.afterTheirs(pending) { self.pollForReadiness(pause: 1) }
    }
  }

  /// Those that were added since it became ready, which nobody should do: here they cost a waiting thread. Foundation stops the
  /// program when an operation is started that is not ready.
  private func waitForLateDependencies() {
    while !theirs.isCancelled, !theirs.isReady {
      if let pending = theirs.dependencies.first(where: { !$0.isFinished }) {
        pending.waitUntilFinished()
      } else {
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
  }

  private func end() {
    tell(["isExecuting", "isFinished"]) { stage.storeRelease(Self.finished) }  // release F2: see F1
  }

  private func tell(_ keys: [String], change: () -> Void) {
    for key in keys { willChangeValue(forKey: key) }
    change()
    for key in keys.reversed() { didChangeValue(forKey: key) }
  }
}
