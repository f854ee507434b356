// Timer.swift: Foundation's timers: the API. What a timer goes through is LoopTimerCore.swift; who fires it is
// RunLoop+Timers.swift.
public import Foundation
import SignalboxSystem

/// Calls a block at a date, or at regular intervals from a date on, on the thread of the run loop it was added to.
///
/// The loop keeps the timer until it is invalidated; a timer that does not repeat is invalidated when it has fired. It never
/// fires
/// before its date, and later than that by its `tolerance` and as long as the loop is busy. Dates that pass while the loop is
/// busy are made up for by one firing, and the next is again on the grid.
///
/// Thread safety: any thread, with one exception that is told of and obeyed: `invalidate()` belongs on the loop's thread.
// SAFETY of @unchecked: the core guards itself; what else an object has of a subclass is the subclass's business.
open class Timer: NSObject, @unchecked Sendable {
  final let core: LoopTimerCore

  init(_ core: LoopTimerCore) { self.core = core }

  /// Creates a timer that is on no loop yet: `RunLoop.add(_:forMode:)` puts it on one.
  ///
  /// - Parameters:
  ///   - date: when it fires first.
  ///   - interval: seconds between firings. At most zero: 0.1 ms. Without meaning for a timer that does not repeat.
  public init(fire date: Date, interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
    core = LoopTimerCore(date, interval: repeats ? Self.usable(interval) : 0, userInfo: nil, block)
  }

  /// As `init(fire:interval:repeats:block:)`; it fires first when `interval` has passed.
  public convenience init(timeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void) {
    self.init(fire: Date() + Self.usable(interval), interval: interval, repeats: repeats, block: block)
  }

  /// Creates a timer on the calling thread's loop, in the default mode.
  ///
  /// - Note: The loop must be run: on a thread that does not, such as a worker of a queue, the timer never fires, which is
  ///   reported a second after its date.
  @available(*, noasync, message: "a task may go on on another thread: use RunLoop.main, or Task.sleep")
  @discardableResult
  open class func scheduledTimer(
    withTimeInterval interval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void
  ) -> Timer {
    let timer = Timer(timeInterval: interval, repeats: repeats, block: block)
    RunLoop.current.add(timer, forMode: .default)
    return timer
  }

  /// Calls the block now, on the calling thread. A timer that does not repeat is invalidated by that; a repeating one keeps its
  /// dates. Nothing happens when the timer is not valid.
  open func fire() {
    guard let block = core.blockToFire else { return }
    block.call(self)
    if core.interval == 0 { invalidate() }
  }

  /// When it fires next; past dates fire at once. Setting it moves all later dates of a repeating timer as well.
  open var fireDate: Date {
    get { core.fireDate }
    set { core.move(to: newValue).map { $0.loop.apply($0) } }
  }

  /// Seconds between firings; 0 for a timer that does not repeat.
  open var timeInterval: TimeInterval { core.interval }

  /// How many seconds later than its date it may fire, so that several timers can share one wake-up; 0 at first.
  open var tolerance: TimeInterval {
    get { Double(core.tolerance) / 1e9 }
    set { core.tolerate(newValue > 0 ? UInt64(min(newValue, 9e9) * 1e9) : 0).map { $0.loop.apply($0) } }
  }

  /// Ends the timer: it fires no more, the loop and the timer let go of it and of its block. A firing under way goes on.
  ///
  /// - Note: To be called on the loop's thread. From another one it is obeyed, but the timer may be firing there at this
  /// moment,
  ///   which is reported once for each loop.
  open func invalidate() {
    guard let remains = core.end() else { return }
    guard let change = remains.change else { return }
    change.loop.noteInvalidation(of: self)
    change.loop.apply(change)
  }

  /// Whether it may still fire.
  open var isValid: Bool { core.isValid }

  /// What the timer was given along, by the forms that have a target.
  open var userInfo: Any? { core.userInfo }

  static func usable(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? interval : 0.0001 }
}
