// Timer.swift: Foundation's timers: the API. What a timer goes through is LoopTimerCore.swift; what fires it is
// RunLoop+Timers.swift.
public import Foundation
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Calls a block at a date, or repeatedly from a date on, on the thread of the run loop to which it was added.
///
/// The loop retains the timer until it is invalidated; a timer that does not repeat is invalidated after it has fired. It never
/// fires before its date. It may fire late by its `tolerance`, and for as long as the loop is busy. Dates missed while the loop
/// is busy are replaced by one call; the dates after that stay on the original schedule.
///
/// Thread safety: any thread, except that `invalidate()` should be called on the loop's thread; a call on another thread works,
/// but is reported.
///
/// ```swift
/// func remind() {
///   let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in print("once") }
///   timer.tolerance = 0.005
///   RunLoop.current.run(until: Date() + 0.1)
///   print(timer.isValid)  // false
/// }
/// remind()
/// ```
// SAFETY of @unchecked: the core guards itself; what else an object has of a subclass is the subclass's business.
open class Timer: NSObject, @unchecked Sendable {
  final let core: LoopTimerCore

  init(_ core: LoopTimerCore) { self.core = core }

  /// Creates a timer that is not on a loop yet; add it with `RunLoop.add(_:forMode:)`.
  ///
  /// - Parameters:
  ///   - date: the date of the first call.
  ///   - interval: seconds between calls; zero or less means 0.1 ms. Ignored if the timer does not repeat.
  public init(fire date: Date, interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
    core = LoopTimerCore(date, interval: repeats ? Self.usable(interval) : 0, userInfo: nil, block)
  }

  /// Creates a timer that first fires after `interval` seconds, otherwise like `init(fire:interval:repeats:block:)`.
  public convenience init(timeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
    self.init(fire: Date() + Self.usable(interval), interval: interval, repeats: repeats, block: block)
  }

  /// Creates a timer on the calling thread's loop, in the default mode.
  ///
  /// - Note: The loop must be run. On a thread that does not run it, such as a worker of a queue, the timer never fires; this
  ///   is reported a second after its date.
  @available(*, noasync, message: "a task may resume on another thread: use RunLoop.main, or Task.sleep")
  @discardableResult
  open class func scheduledTimer(
    withTimeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void
  ) -> Timer {
    let timer = Timer(timeInterval: interval, repeats: repeats, block: block)
    RunLoop.current.add(timer, forMode: .default)
    return timer
  }

  /// Calls the block now, on the calling thread. A timer that does not repeat is then invalidated; a repeating one keeps its
  /// dates. Does nothing if the timer is not valid.
  open func fire() {
    guard let block = core.blockToFire else { return }
    block.call(self)
    if core.interval == 0 { invalidate() }
  }

  /// The next date at which it fires; a date that has passed fires at once. Setting it moves all later dates of a repeating
  /// timer.
  open var fireDate: Date {
    get { core.fireDate }
    set { core.move(to: newValue).map { $0.loop.apply($0) } }
  }

  /// Seconds between calls; 0 for a timer that does not repeat.
  open var timeInterval: TimeInterval { core.interval }

  /// The number of seconds that the timer may be late, so that several timers can share one wake-up; 0 by default.
  open var tolerance: TimeInterval {
    get { Double(core.tolerance) / 1e9 }
    set { core.tolerate(newValue > 0 ? UInt64(min(newValue, 9e9) * 1e9) : 0).map { $0.loop.apply($0) } }
  }

  /// Ends the timer: it does not fire again, and the loop and the timer release it and its block. A call in progress continues.
  ///
  /// - Note: Call this on the loop's thread. A call on another thread works, but the timer may be firing at that moment; this
  ///   is reported once for each loop.
  open func invalidate() {
    guard let remains = core.end() else { return }
    guard let change = remains.change else { return }
    Events.emit(.timerCancelled, core.recordedPlace)
    change.loop.noteInvalidation(of: self)
    change.loop.apply(change)
  }

  /// Whether the timer may still fire.
  open var isValid: Bool { core.isValid }

  /// The value passed as `userInfo` to the forms with a target; nil once the timer is invalid, which lets it go.
  open var userInfo: Any? { core.userInfo }

  static func usable(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? interval : 0.0001 }
}
