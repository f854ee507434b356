// TimerSource.swift: a source that fires at a time and again. What it does is in TimerCore.swift.
import SignalboxSystem

/// A timer source.
package final class TimerSource: DispatchSource, @unchecked Sendable {
  // SAFETY of @unchecked: the core guards itself.
  private let timer: TimerCore

  /// A timer whose handlers run on `queue`; nil means the default global queue.
  package init(queue: DispatchQueue?, flags: UInt = 0) {
    timer = TimerCore(target: DispatchSource.target(queue), flags: flags)
    super.init(timer)
  }

  /// Fires at `start`, a raw time, and every `interval` nanoseconds after; `UInt64.max` fires once. Replaces what was set
  /// before; events that have not been handled yet are forgotten.
  package func set(start: dispatch_time_t, interval: UInt64, leeway: UInt64 = 0) {
    timer.set(start: start, interval: interval, leeway: leeway)
  }
}
