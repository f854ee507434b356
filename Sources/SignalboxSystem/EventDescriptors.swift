// EventDescriptors.swift: descriptors that become readable by our doing: a plain event, and a wall-clock alarm.
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
  public func clear() {
    var counter: UInt64 = 0
    _ = sb_read(descriptor, &counter, 8)  // EAGAIN: was not signalled
  }
}

/// A wall-clock alarm: readable at its time, and at once when the clock is set. Closed on exec.
public final class WallAlarm: Sendable {
  /// The descriptor, for a poller.
  public let descriptor: Int32

  /// Opens it, not armed.
  public init() throws(SystemError) { descriptor = try checked("timerfd_create", sb_timerfd_realtime()) }
  deinit { close(descriptor) }

  /// Arms it for `nanoseconds` since 1970, replacing what was armed.
  public func arm(at nanoseconds: UInt64) {
    let seconds = Int64(nanoseconds / 1_000_000_000)
    // A time of zero would disarm: one nanosecond past 1970 is as due as zero.
    _ = sb_timerfd_arm_cancel_on_set(descriptor, seconds, max(1, Int64(nanoseconds % 1_000_000_000)))
  }
  /// Takes note of an expiry or a set clock; the alarm is then silent until armed again.
  public func clear() {
    var counter: UInt64 = 0
    _ = sb_read(descriptor, &counter, 8)  // ECANCELED: the clock was set
  }
}
