// NotificationQueue.swift: notifications that a thread's run loop posts: as soon as it can, or when it would sleep; several as
// one.
public import Foundation
import SignalboxDispatch

/// A thread's queue of notifications, which its run loop posts to a notification centre.
///
/// Use it only on the thread that created it.
///
/// ```swift
/// func postOnce() {
///   let saved = Notification.Name("saved"), center = NotificationCenter.default
///   let token = center.addObserver(forName: saved, object: nil, queue: nil) { _ in print("saved") }
///   for _ in 1...3 { NotificationQueue.default.enqueue(Notification(name: saved), postingStyle: .asap) }
///   RunLoop.current.run(until: Date() + 0.05)  // posts one
///   center.removeObserver(token)
/// }
/// postOnce()
/// ```
///
/// - Note: Thread safety: the thread that created it, and no other.
open class NotificationQueue: NSObject {
  /// When a notification is posted; Foundation's type.
  public typealias PostingStyle = Foundation.NotificationQueue.PostingStyle
  /// Which queued notifications count as the same; Foundation's type.
  public typealias NotificationCoalescing = Foundation.NotificationQueue.NotificationCoalescing

  private struct Entry {
    let notification: Notification
    let style: PostingStyle
    let modes: [RunLoop.Mode]
  }

  private let center: NotificationCenter
  private var entries: [Entry] = []
  private var observer: RunLoopObserver?
  private var observedModes: Set<RunLoop.Mode> = []
  private weak var observedLoop: RunLoop?

  /// Creates a queue that posts to `notificationCenter`.
  public init(notificationCenter: NotificationCenter) { center = notificationCenter }

  /// An observed loop leaves every pass to Foundation's, so it learns that this queue does not observe it any more.
  deinit {
    guard let observer else { return }
    for mode in observedModes { observedLoop?.remove(observer, forMode: mode) }
    observer.invalidate()
  }

  // SAFETY: used on the main thread only, or on one of those that count as it, one at a time.
  nonisolated(unsafe) private static let mainQueue = NotificationQueue(notificationCenter: .default)

  /// The calling thread's queue, which posts to the default centre.
  open class var `default`: NotificationQueue {
    if MainThreadHost.isMainThread { return mainQueue }
    let locals = ThreadLocals.current
    if let queue = locals.notifications { return queue }
    let made = NotificationQueue(notificationCenter: .default)
    locals.notifications = made
    return made
  }

  /// Like `enqueue(_:postingStyle:coalesceMask:forModes:)`, in the default mode; notifications with the same name and sender are
  /// coalesced.
  open func enqueue(_ notification: Notification, postingStyle: PostingStyle) {
    enqueue(notification, postingStyle: postingStyle, coalesceMask: [.onName, .onSender], forModes: [.default])
  }

  /// Adds a notification to the queue, replacing those it coalesces with.
  ///
  /// - Parameters:
  ///   - postingStyle: `now` posts before this returns, if the loop's mode is among `modes` or no loop runs.
  ///   - coalesceMask: the properties that must be equal for a queued notification to be replaced; empty means none is
  ///     replaced.
  ///   - modes: the modes in which it is posted; nil means the default mode.
  open func enqueue(
    _ notification: Notification, postingStyle: PostingStyle, coalesceMask: NotificationCoalescing,
    forModes modes: [RunLoop.Mode]?
  ) {
    let modes = modes ?? [.default]
    if !coalesceMask.isEmpty { dequeueNotifications(matching: notification, coalesceMask: coalesceMask) }
    if postingStyle == .now {
      if allows(modes) { center.post(notification) }
      return
    }
    entries.append(Entry(notification: notification, style: postingStyle, modes: modes))
    if postingStyle == .asap { tellSoon(modes) } else { observe(modes) }
  }

  /// Removes queued notifications that match `notification` in every property named by `coalesceMask`.
  open func dequeueNotifications(matching notification: Notification, coalesceMask: NotificationCoalescing) {
    guard !coalesceMask.isEmpty else { return }
    entries.removeAll { entry in
      if coalesceMask.contains(.onName), entry.notification.name != notification.name { return false }
      guard coalesceMask.contains(.onSender) else { return true }
      return Self.sender(entry.notification) == Self.sender(notification)
    }
  }

  private static func sender(_ notification: Notification) -> ObjectIdentifier? {
    notification.object.map { ObjectIdentifier($0 as AnyObject) }
  }

  private func allows(_ modes: [RunLoop.Mode]) -> Bool {
    guard let mode = RunLoop.own.currentMode else { return true }
    return modes.contains(mode) || modes.contains(.common) && RunLoop.own.isCommon(mode)
  }

  private func tellSoon(_ modes: [RunLoop.Mode]) {
    let loop = RunLoop.own
    // SAFETY: the block runs on this thread.
    nonisolated(unsafe) let queue = self
    loop.push(modes.reduce(0) { $0 | loop.record(of: $1).bit }) { queue.post(.asap) }
  }

  /// When the loop is about to sleep it is idle. The block makes it come there: a loop without anything else would not run.
  private func observe(_ modes: [RunLoop.Mode]) {
    let loop = RunLoop.own
    if loop.isServedByItems { return whenItemsRest(loop, modes) }
    // SAFETY: the handler runs on this thread, and the observer goes with the queue.
    nonisolated(unsafe) unowned let queue = self
    let observer = self.observer ?? RunLoopObserver(.beforeWaiting) { _ in queue.post(.whenIdle) }
    self.observer = observer
    observedLoop = loop
    for mode in modes where observedModes.insert(mode).inserted { loop.add(observer, forMode: mode) }
    loop.push(modes.reduce(0) { $0 | loop.record(of: $1).bit }) {}
  }

  /// A loop that items serve is idle when a block has its turn behind all that was there.
  private func whenItemsRest(_ loop: RunLoop, _ modes: [RunLoop.Mode]) {
    // SAFETY: the block runs on this thread.
    nonisolated(unsafe) let queue = self
    loop.push(modes.reduce(0) { $0 | loop.record(of: $1).bit }) { queue.post(.whenIdle) }
  }

  /// Posts what is queued in that style and allowed now, in order.
  private func post(_ style: PostingStyle) {
    var posted: [Entry] = []
    entries.removeAll { entry in
      guard entry.style == style, allows(entry.modes) else { return false }
      posted.append(entry)
      return true
    }
    for entry in posted { center.post(entry.notification) }
  }
}

extension RunLoop {
  final func isCommon(_ mode: Mode) -> Bool {
    let bit = record(of: mode).bit
    return lock.withLock { commonMembers & bit != 0 }
  }
}
