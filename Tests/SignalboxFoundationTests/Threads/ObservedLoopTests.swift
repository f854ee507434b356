// ObservedLoopTests.swift: runs of a loop whose phases somebody observes, so that every pass is Foundation's.
import Foundation
import SignalboxFoundation
import Testing

@testable import SignalboxClasses

private typealias RunLoop = SignalboxFoundation.RunLoop
private typealias NotificationQueue = SignalboxFoundation.NotificationQueue

@Suite("Run loops with observers") struct ObservedLoopTests {
  /// Foundation's timer keeps the loop from ending, so that a run which does not notice its block sleeps until its date.
  @Test("A block that another block leaves runs without delay")
  func aBlockLeavesAnother() async {
    let seconds = Seconds()
    await onOwnThread {
      let keeper = Foundation.Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
      RunLoop.current.foundationLoop.add(keeper, forMode: .default)
      let observer = RunLoopObserver(.beforeWaiting) { _ in }
      RunLoop.current.add(observer, forMode: .default)
      for _ in 0..<20 {
        let start = Date()
        RunLoop.current.perform { RunLoop.current.perform {} }
        while RunLoop.current.hasEntries(.max), Date().timeIntervalSince(start) < 100 {
          _ = RunLoop.current.run(mode: .default, before: start + 100)
        }
        seconds.most = max(seconds.most, Date().timeIntervalSince(start))
      }
      RunLoop.current.remove(observer, forMode: .default)
      keeper.invalidate()
    }
    #expect(seconds.most < 80)
  }

  /// A notification for an idle loop observes it; when its queue is gone nobody does.
  @Test("When an idle notification's queue is gone, nobody observes the loop any more")
  func nobodyObservesAfterAQueue() async {
    let posted = Seconds()
    await onOwnThread {
      let center = NotificationCenter(), name = Notification.Name("queued")
      let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in posted.count += 1 }
      do {
        let queue = NotificationQueue(notificationCenter: center)
        queue.enqueue(Notification(name: name), postingStyle: .whenIdle)
        posted.wasObserved = RunLoop.current.isObserved(.max)
        while posted.count == 0, RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10)) {}
      }
      posted.isObserved = RunLoop.current.isObserved(.max)
      center.removeObserver(token)
    }
    #expect(posted.count == 1 && posted.wasObserved && !posted.isObserved)
  }

  private final class Seconds: Sendable {
    private let values = Locked((most: 0.0, count: 0, wasObserved: false, isObserved: false))
    var most: Double {
      get { values.value.most }
      set { values.access { $0.most = newValue } }
    }
    var count: Int {
      get { values.value.count }
      set { values.access { $0.count = newValue } }
    }
    var wasObserved: Bool {
      get { values.value.wasObserved }
      set { values.access { $0.wasObserved = newValue } }
    }
    var isObserved: Bool {
      get { values.value.isObserved }
      set { values.access { $0.isObserved = newValue } }
    }
  }
}
