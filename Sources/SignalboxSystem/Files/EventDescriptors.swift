// EventDescriptors.swift: descriptors that become readable by our doing: a plain event, and an alarm.
import CSignalbox
import Glibc

/// A descriptor that is readable while signalled. Thread safety: any thread. Closed on exec.
public final class EventDescriptor: Sendable {
  /// The descriptor, for poll loops; not to be closed or written by them.
  public let descriptor: Int32

  /// Opens it, not signalled.
  public init() throws(SystemError) { descriptor = try checked("eventfd", sb_eventfd()) }
  deinit { close(descriptor) }

  /// Makes it readable.
  public func signal() {
    var one: UInt64 = 1
    _ = sb_write(descriptor, &one, 8)  // EAGAIN: already signalled more often than anybody counts
  }
  /// Makes it unreadable again.
  public func clear() { Self.clear(descriptor) }
  /// The same with somebody else's event descriptor.
  public static func clear(_ descriptor: Int32) {
    var counter: UInt64 = 0
    _ = sb_read(descriptor, &counter, 8)  // EAGAIN: was not signalled
  }
  /// Sleeps until it or another descriptor is readable, or for no reason. Returns whether the other one was.
  public func waitReadable(or other: Int32) -> Bool {
    let result = withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2) { both in
      both[0] = descriptor
      both[1] = other
      return sb_poll_readable(both.start, -1)
    }
    return result > 0 && result & 2 != 0  // EINTR, ENOMEM: for no reason
  }
}

/// An alarm of the kernel: readable at its time; on the wall clock also at once when that clock is set. Closed on exec.
///
/// Thread safety: any thread; of several that arm it at once, the last decides. An alarm is as exact as the kernel's timers; the limit of a poller's wait may be late by a thousandth of the wait.
public final class Alarm: Sendable {
  /// The clock an alarm goes by.
  public enum Clock: Sendable {
    /// Nanoseconds of uptime.
    case uptime
    /// Nanoseconds since boot, time asleep included: due at once when the machine wakes up too late.
    case continuous
    /// Nanoseconds since 1970.
    case wall
  }

  /// The descriptor, for a poller.
  public let descriptor: Int32
  private let clock: Clock

  /// Opens it, not armed.
  public init(_ clock: Clock) throws(SystemError) {
    self.clock = clock
    let number =
      switch clock {
      case .uptime: CLOCK_MONOTONIC
      case .continuous: CLOCK_BOOTTIME
      case .wall: CLOCK_REALTIME
      }
    descriptor = try checked("timerfd_create", sb_timerfd(number))
  }
  deinit { close(descriptor) }

  /// Arms it for a point of its clock, replacing what was armed; an expiry that nobody has taken note of is forgotten.
  public func arm(at point: UInt64) {
    let nanoseconds = clock == .wall ? SignalboxSystem.Clock.kernelWall(of: point) : point
    let seconds = Int64(nanoseconds / 1_000_000_000)
    // A time of zero would disarm: one nanosecond after it is as due as zero.
    let rest = seconds == 0 ? max(1, Int64(nanoseconds % 1_000_000_000)) : Int64(nanoseconds % 1_000_000_000)
    _ = sb_timerfd_arm(descriptor, seconds, rest, clock == .wall ? 1 : 0)
  }
  /// Silent until it is armed again.
  public func disarm() { _ = sb_timerfd_arm(descriptor, 0, 0, 0) }
  /// Takes note of an expiry or a set clock; the alarm is then silent until armed again.
  public func clear() {
    var counter: UInt64 = 0
    _ = sb_read(descriptor, &counter, 8)  // EAGAIN: not due; ECANCELED: the clock was set
  }
}
