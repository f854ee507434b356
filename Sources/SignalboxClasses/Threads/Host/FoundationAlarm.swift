// FoundationAlarm.swift: a timer in Foundation's loop that calls us at a point in time: it fires our timers whoever runs the
// loop, and ends our waits.
import CoreFoundation
import SignalboxSystem

/// One alarm, for one mode. Made, set and ended on the loop's thread.
final class FoundationAlarm {
  /// So far away that nobody waits for it.
  static let never = UInt64.max
  private static let farDate: CFAbsoluteTime = 1e11

  private let timer: CFRunLoopTimer
  private let loop: FoundationLoop
  private let mode: FoundationMode
  private var isAttached = false
  /// The uptime it is set to, in nanoseconds.
  private(set) var due = FoundationAlarm.never
  /// Whether it has gone off, and was not set since.
  private(set) var isOff = false

  /// Makes it, set to `never` and in no mode. `body` is called when it goes off, on the loop's thread.
  init(_ loop: FoundationLoop, _ mode: FoundationMode, _ body: @escaping () -> Void) {
    (self.loop, self.mode) = (loop, mode)
    // Repeating, so that it stays valid when it has gone off; the interval never comes.
    timer = CFRunLoopTimerCreateWithHandler(nil, Self.farDate, Self.farDate, 0, 0) { _ in body() }
  }

  /// Whether the loop counts it among what may happen in the mode: a mode in which nothing may happen cannot be slept in.
  func attach(_ shouldBe: Bool) {
    guard shouldBe != isAttached else { return }
    isAttached = shouldBe
    if shouldBe { CFRunLoopAddTimer(loop.loop, timer, mode.name) } else { CFRunLoopRemoveTimer(loop.loop, timer, mode.name) }
  }

  /// Sets it to the uptime `due`.
  func set(_ due: UInt64) {
    isOff = false
    guard due != self.due else { return }
    self.due = due
    CFRunLoopTimerSetNextFireDate(timer, due == Self.never ? Self.farDate : Self.date(of: due))
  }

  /// It has gone off: it is set to no time until it is set again.
  func hasGoneOff() { (due, isOff) = (Self.never, true) }

  /// Takes it away forever.
  func end() { CFRunLoopTimerInvalidate(timer) }

  private static func date(of due: UInt64) -> CFAbsoluteTime {
    let now = Clock.uptime()
    return CFAbsoluteTimeGetCurrent() + (due > now ? Double(due - now) / 1e9 : 0)
  }
}
