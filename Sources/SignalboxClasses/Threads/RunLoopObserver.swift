// RunLoopObserver.swift: callbacks at the phases a loop goes through. What a loop waits for is RunLoopInput.swift.
import CoreFoundation
import SignalboxLocks
import SignalboxSystem

// SAFETY of @unchecked: Core Foundation's object may be used from any thread, and is constant.
/// A handler called when a run loop enters or leaves a phase: Core Foundation's `CFRunLoopObserver` as a Swift class.
///
/// Thread safety: any thread; the handler runs on the loop's.
///
/// ```swift
/// func runOnce() {
///   let observer = RunLoopObserver([.entry, .exit]) { print($0 == .entry ? "the run begins" : "the run ends") }
///   RunLoop.current.add(observer, forMode: .default)
///   RunLoop.current.perform { print("a block") }
///   _ = RunLoop.current.run(mode: .default, before: Date() + 1)
///   print(observer.activities == [.entry, .exit], observer.repeats, observer.order, observer.isValid)
/// }
/// runOnce()
/// ```
public final class RunLoopObserver: @unchecked Sendable {
  /// The phases of a run, with Core Foundation's numbers.
  ///
  /// ```swift
  /// let observer = RunLoopObserver(.allActivities) { activity in
  ///   if activity == .beforeTimers || activity == .beforeSources { print("awake") }
  ///   if activity == .beforeWaiting { print("sleeps") } else if activity == .afterWaiting { print("woken") }
  ///   if activity == .entry { print("begins") } else if activity == .exit { print("ends") }
  /// }
  /// observer.invalidate()
  /// ```
  public struct Activities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Creates the set from its bits.
    ///
    /// ```swift
    /// let activities = RunLoopObserver.Activities(rawValue: 0b11)
    /// print(activities.contains(.entry), activities.contains(.beforeTimers), activities.rawValue)  // true true 3
    /// ```
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The run begins.
    ///
    /// ```swift
    /// let observer = RunLoopObserver(.entry) { _ in print("a run begins") }
    /// RunLoop.main.add(observer, forMode: .common)
    /// ```
    public static let entry = Activities(rawValue: 1 << 0)
    /// The loop is about to check its timers.
    ///
    /// ```swift
    /// let observer = RunLoopObserver(.beforeTimers) { _ in print("timers come next") }
    /// RunLoop.main.add(observer, forMode: .common)
    /// ```
    public static let beforeTimers = Activities(rawValue: 1 << 1)
    /// The loop is about to check its inputs and blocks.
    ///
    /// ```swift
    /// let observer = RunLoopObserver(.beforeSources) { _ in print("inputs and blocks come next") }
    /// RunLoop.main.add(observer, forMode: .common)
    /// ```
    public static let beforeSources = Activities(rawValue: 1 << 2)
    /// The loop is about to sleep.
    ///
    /// ```swift
    /// let idle = RunLoopObserver(.beforeWaiting) { _ in print("there is nothing left to do") }
    /// RunLoop.main.add(idle, forMode: .common)
    /// ```
    public static let beforeWaiting = Activities(rawValue: 1 << 5)
    /// The loop has woken up.
    ///
    /// ```swift
    /// let observer = RunLoopObserver(.afterWaiting) { _ in print("there is something to do") }
    /// RunLoop.main.add(observer, forMode: .common)
    /// ```
    public static let afterWaiting = Activities(rawValue: 1 << 6)
    /// The run ends.
    ///
    /// ```swift
    /// let observer = RunLoopObserver(.exit) { _ in print("the run ends") }
    /// RunLoop.main.add(observer, forMode: .common)
    /// ```
    public static let exit = Activities(rawValue: 1 << 7)
    /// All phases.
    ///
    /// ```swift
    /// let trace = RunLoopObserver(.allActivities) { activity in print("phase", activity.rawValue) }
    /// RunLoop.main.add(trace, forMode: .common)
    /// ```
    public static let allActivities = Activities(rawValue: 0x0FFF_FFFF)
  }

  let observer: CFRunLoopObserver
  /// The phases in which the handler is called.
  public let activities: Activities
  /// Whether the handler is called every time, or only once.
  public let repeats: Bool
  /// The order among observers: lower numbers are called first.
  public let order: Int

  /// Creates an observer that is not on a loop yet.
  ///
  /// ```swift
  /// let first = RunLoopObserver(.entry, repeats: false, order: -1) { _ in print("before other observers, once") }
  /// RunLoop.main.add(first, forMode: .common)
  /// ```
  ///
  /// - Parameters:
  ///   - repeats: if false, the observer is invalidated after the first call.
  ///   - handler: called on the loop's thread with the phase.
  public init(
    _ activities: Activities, repeats: Bool = true, order: Int = 0, handler: @escaping @Sendable (Activities) -> Void
  ) {
    (self.activities, self.repeats, self.order) = (activities, repeats, order)
    observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(activities.rawValue), repeats, order) { _, phase in
      handler(Activities(rawValue: UInt(phase.rawValue)))
    }
  }

  /// Whether the handler may still be called.
  public var isValid: Bool { CFRunLoopObserverIsValid(observer) }

  /// Removes the observer from all loops for good.
  ///
  /// ```swift
  /// let observer = RunLoopObserver(.beforeWaiting) { _ in print("there is nothing left to do") }
  /// RunLoop.main.add(observer, forMode: .common)
  /// observer.invalidate()
  /// print(observer.isValid)  // false
  /// ```
  public func invalidate() { CFRunLoopObserverInvalidate(observer) }
}

extension RunLoop {
  /// Adds the observer: it is called in runs in `mode`, whatever runs the thread's loop. Adding it twice has the same
  /// effect as once.
  ///
  /// ```swift
  /// let idle = RunLoopObserver(.beforeWaiting) { _ in print("there is nothing left to do") }
  /// RunLoop.main.add(idle, forMode: .common)
  /// ```
  public final func add(_ observer: RunLoopObserver, forMode mode: Mode) {
    let record = record(of: mode)
    guard !CFRunLoopContainsObserver(foundation.loop, observer.observer, record.foundation.name) else { return }
    lock.withLock { record.observers += 1 }
    CFRunLoopAddObserver(foundation.loop, observer.observer, record.foundation.name)
  }

  /// Removes the observer from `mode`.
  ///
  /// ```swift
  /// let idle = RunLoopObserver(.beforeWaiting) { _ in print("there is nothing left to do") }
  /// RunLoop.main.add(idle, forMode: .default)
  /// RunLoop.main.remove(idle, forMode: .default)
  /// ```
  public final func remove(_ observer: RunLoopObserver, forMode mode: Mode) {
    let record = record(of: mode)
    guard CFRunLoopContainsObserver(foundation.loop, observer.observer, record.foundation.name) else { return }
    lock.withLock { record.observers = max(0, record.observers - 1) }
    CFRunLoopRemoveObserver(foundation.loop, observer.observer, record.foundation.name)
  }
}
