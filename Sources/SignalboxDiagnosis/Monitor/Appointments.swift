// Appointments.swift: what layers above want the monitor to check later. When the monitor scans by itself is
// ScanSchedule.swift.
import SignalboxSystem
import SignalboxWaits

/// Calls that are due at a time.
///
/// Thread safety: any thread.
enum Appointments {
  typealias Body = @Sendable () -> Void
  private static let lock = InnerLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var list: [(time: UInt64, body: Body)] = []

  static func add(_ time: UInt64, _ body: @escaping Body) { lock.withLock { list.append((time, body)) } }

  /// Makes the calls that are due by `now`.
  static func keep(_ now: UInt64) {
    let due = lock.withLock { () -> [Body] in
      defer { list.removeAll { $0.time <= now } }
      return list.filter { $0.time <= now }.map(\.body)
    }
    for body in due { body() }
  }

  /// When the next one is due; nil if there is none.
  static var next: UInt64? {
    let time = earliest
    return time == .max ? nil : time
  }

  /// The same as a number, the greatest if there is none: threads that begin to wait come here, and for an optional the
  /// lock's generic function has the runtime make its type first.
  private static var earliest: UInt64 {
    lock.withLock {
      var time = UInt64.max
      for appointment in list { time = min(time, appointment.time) }
      return time
    }
  }
}
