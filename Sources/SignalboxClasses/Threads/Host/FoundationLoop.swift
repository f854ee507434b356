// FoundationLoop.swift: Foundation's run loop of one thread, by its C interface: waiting in it, telling it, stopping
// it; and the timer in it that wakes it at a date. What Signalbox's loop does with it is RunLoop+Run.swift.
import CoreFoundation
import Foundation
import SignalboxSystem

/// The loop that Foundation runs on a thread, which Signalbox's loop sleeps in.
///
/// Thread safety: `tell` and `observe` from any thread; the rest on the loop's own.
// SAFETY of @unchecked: the functions called for those may be called from any thread, as Apple's Threading Programming Guide
// says of CFRunLoop; the reference is counted and constant.
final class FoundationLoop: @unchecked Sendable {
  /// How a wait ended.
  enum Outcome {
    /// The mode has nothing that could ever happen.
    case finished
    /// Some code called `stop()`.
    case stopped
    /// An input of Foundation's was served.
    case handled
    /// The poll is over.
    case polled
  }

  let loop: CFRunLoop
  private init(_ loop: CFRunLoop) { self.loop = loop }

  /// The calling thread's.
  static func current() -> FoundationLoop { FoundationLoop(CFRunLoopGetCurrent()!) }
  /// The main thread's.
  static func main() -> FoundationLoop { FoundationLoop(CFRunLoopGetMain()!) }

  /// Has `body` run once by the loop, in the first of `modes` it runs in, and wakes the loop if it sleeps.
  func tell(_ modes: [FoundationMode], _ body: @escaping @Sendable () -> Void) {
    if modes.count == 1 {
      CFRunLoopPerformBlock(loop, modes[0].name, body)
    } else {
      let names = CFArrayCreateMutable(nil, modes.count, &FoundationLoop.callbacks)
      for mode in modes { CFArrayAppendValue(names, Unmanaged.passUnretained(mode.name).toOpaque()) }
      CFRunLoopPerformBlock(loop, names, body)
    }
    CFRunLoopWakeUp(loop)
  }

  // SAFETY: C's own constant table, read only.
  nonisolated(unsafe) private static var callbacks = kCFTypeArrayCallBacks

  /// Serves one input, or sleeps until there is one to serve or `stop()` is called. Timers are served meanwhile.
  func wait(_ mode: FoundationMode) -> Outcome { run(mode, for: 1e10) }

  /// Serves what is due now.
  func poll(_ mode: FoundationMode) -> Outcome { run(mode, for: 0) }

  private func run(_ mode: FoundationMode, for seconds: Double) -> Outcome {
    switch CFRunLoopRunInMode(mode.name, seconds, true) {
    case .finished: .finished
    case .stopped: .stopped
    case .handledSource: .handled
    default: .polled
    }
  }

  /// Ends the innermost wait or poll under way on this thread.
  func stop() { CFRunLoopStop(loop) }

  /// The mode that the loop runs in now, as far as it is one of `modes`.
  func current(of modes: [FoundationMode]) -> Int? {
    guard let name = CFRunLoopCopyCurrentMode(loop) else { return nil }
    return modes.firstIndex { CFEqual($0.name, name) }
  }

  /// Makes `mode` one of those that items of the common modes are served in.
  func addCommonMode(_ mode: FoundationMode) { CFRunLoopAddCommonMode(loop, mode.name) }

  /// Adds `observer` for runs in `mode`, or in all of the common modes. Adding it twice has the same effect as once.
  func observe(_ observer: CFRunLoopObserver, _ mode: FoundationMode) { CFRunLoopAddObserver(loop, observer, mode.name) }

  /// When the next of Foundation's timers in `mode` is due, in seconds from now; nil without one.
  func nextTimer(_ mode: FoundationMode) -> Double? {
    let date = CFRunLoopGetNextTimerFireDate(loop, mode.name)
    return date > 0 ? date - CFAbsoluteTimeGetCurrent() : nil
  }
}

/// The name of a mode as Foundation's loop takes it. The two constants are told apart by address, so they must be themselves.
// SAFETY of @unchecked: a constant string.
final class FoundationMode: @unchecked Sendable {
  let name: CFString

  init(_ mode: Foundation.RunLoop.Mode) {
    name =
      switch mode {
      case .default: kCFRunLoopDefaultMode
      case .common: kCFRunLoopCommonModes
      default: mode.rawValue.withCString { CFStringCreateWithCString(nil, $0, CFStringBuiltInEncodings.UTF8.rawValue) }
      }
  }
}

// MARK: a timer that fires Signalbox's timers whatever runs the loop, and ends its waits

/// One alarm, for one mode. Made, set and ended on the loop's thread.
final class FoundationAlarm {
  /// So far away that no thread waits for it.
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
