// Deadline.swift: what a raw dispatch_time_t means to whoever waits for it. Making and adding raw times is RawTime.swift.
import SignalboxSystem
import SignalboxWords

/// A raw time taken apart: which clock it is read on, and the point on that clock in nanoseconds.
package enum Deadline: Equatable, Sendable {
  /// Already reached: poll once, or run at once.
  case now
  /// Nanoseconds since boot, time asleep excluded.
  case uptime(UInt64)
  /// Nanoseconds since boot, time asleep included.
  case continuous(UInt64)
  /// Nanoseconds since 1970 on a clock that can be set.
  case wall(UInt64)
  /// Never reached.
  case forever

  /// Decodes `raw`; every bit pattern means something, and a point beyond the 62 bits of its clock is never reached.
  @inlinable
  package init(_ raw: dispatch_time_t) {
    switch raw {
    case RawTime.now, RawTime.continuousNow, RawTime.wallNow: self = .now
    case RawTime.forever: self = .forever
    default: self.init(clock: RawTime.Clock(of: raw), point: RawTime.point(of: raw))
    }
  }

  @inlinable
  init(clock: RawTime.Clock, point: UInt64) {
    guard point <= RawTime.latestPoint else {
      self = .forever
      return
    }
    switch clock {
    case .uptime: self = .uptime(point)
    case .continuous: self = .continuous(point)
    case .wall: self = .wall(point)
    }
  }

  /// What `remainingNanoseconds` says, as an event has it: `EventKind.withoutLimit` if the deadline never passes.
  var patience: UInt64 { hasPassed() ? 0 : remainingNanoseconds() ?? EventKind.withoutLimit }

  /// Nanoseconds from this moment until the deadline by its own clock: 0 once it has passed, nil if it never will.
  package func remainingNanoseconds() -> UInt64? {
    switch self {
    case .now: 0
    case .uptime(let point): point.distance(fromEarlier: SignalboxSystem.Clock.uptime())
    case .continuous(let point): point.distance(fromEarlier: SignalboxSystem.Clock.continuous())
    case .wall(let point): point.distance(fromEarlier: SignalboxSystem.Clock.wall())
    case .forever: nil
    }
  }

  /// Whether the deadline's own clock has reached it.
  package func hasPassed() -> Bool { remainingNanoseconds() == 0 }

  /// The deadline for one park. A continuous point is carried over to the uptime clock as the two stand at this moment,
  /// so a thread that slept through a suspend must ask `hasPassed()` and convert again.
  package func parkDeadline() -> ParkDeadline {
    switch self {
    case .now: .uptime(0)
    case .uptime(let point): .uptime(point)
    case .continuous: .uptime(SignalboxSystem.Clock.uptime() &+ (remainingNanoseconds() ?? 0))
    case .wall(let point): .wall(point)
    case .forever: .never
    }
  }
}

extension UInt64 {
  fileprivate func distance(fromEarlier earlier: UInt64) -> UInt64 { self > earlier ? self - earlier : 0 }
}
