// RunLoopObserver.swift: being told of the phases a loop goes through. What a loop waits for is RunLoopInput.swift.
import CoreFoundation
import SignalboxLocks
import SignalboxSystem

// SAFETY of @unchecked: Core Foundation's object may be used from any thread, and is constant.
/// A handler that a loop calls as it enters and leaves its phases: Core Foundation's `CFRunLoopObserver`, as a class of Swift.
///
/// Thread safety: any thread; the handler runs on the loop's.
public final class RunLoopObserver: @unchecked Sendable {
  /// The phases of a run, as Core Foundation numbers them.
  public struct Activities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A run begins.
    public static let entry = Activities(rawValue: 1 << 0)
    /// Timers are about to be looked at.
    public static let beforeTimers = Activities(rawValue: 1 << 1)
    /// Inputs and blocks are about to be looked at.
    public static let beforeSources = Activities(rawValue: 1 << 2)
    /// The loop is about to sleep.
    public static let beforeWaiting = Activities(rawValue: 1 << 5)
    /// The loop has woken up.
    public static let afterWaiting = Activities(rawValue: 1 << 6)
    /// The run ends.
    public static let exit = Activities(rawValue: 1 << 7)
    /// All of them.
    public static let allActivities = Activities(rawValue: 0x0FFF_FFFF)
  }

  let observer: CFRunLoopObserver
  /// What it is called for.
  public let activities: Activities
  /// Whether it is called every time, or once.
  public let repeats: Bool
  /// Of several observers the one with the lower number is called first.
  public let order: Int

  /// Creates an observer that is on no loop yet.
  ///
  /// - Parameters:
  ///   - repeats: false: it is invalidated when it was called once.
  ///   - handler: called on the loop's thread with the phase.
  public init(
    _ activities: Activities, repeats: Bool = true, order: Int = 0, handler: @escaping @Sendable (Activities) -> Void
  ) {
    (self.activities, self.repeats, self.order) = (activities, repeats, order)
    observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(activities.rawValue), repeats, order) { _, phase in
      handler(Activities(rawValue: UInt(phase.rawValue)))
    }
  }

  /// Whether it may still be called.
  public var isValid: Bool { CFRunLoopObserverIsValid(observer) }

  /// Takes it off all loops, for ever.
  public func invalidate() { CFRunLoopObserverInvalidate(observer) }
}

extension RunLoop {
  /// Tells `observer` of the phases of runs in `mode`, whoever runs the thread's loop. Twice is as once.
  public final func add(_ observer: RunLoopObserver, forMode mode: Mode) {
    let record = record(of: mode)
    guard !CFRunLoopContainsObserver(foundation.loop, observer.observer, record.foundation.name) else { return }
    lock.withLock { record.observers += 1 }
    CFRunLoopAddObserver(foundation.loop, observer.observer, record.foundation.name)
  }

  /// Tells it no more.
  public final func remove(_ observer: RunLoopObserver, forMode mode: Mode) {
    let record = record(of: mode)
    guard CFRunLoopContainsObserver(foundation.loop, observer.observer, record.foundation.name) else { return }
    lock.withLock { record.observers = max(0, record.observers - 1) }
    CFRunLoopRemoveObserver(foundation.loop, observer.observer, record.foundation.name)
  }
}
