// IOFlow.swift: how many of a read's bytes wait in writes: whoever copies faster than the target takes it must not read the whole
// source into memory. The read pauses while they are many; who pauses and resumes is IOLane.swift.
import SignalboxLocks
import SignalboxSystem

/// The account of one read. Thread safety: any thread.
final class IOFlow: @unchecked Sendable {
  // SAFETY of @unchecked: the count is atomic; the lane is guarded by `lock`.

  /// Bytes in writes from which a read pauses.
  static let limit: UInt64 = 16 << 20
  /// For how long: a write that moves nothing may be waiting for what the read would free, so one more piece is read then.
  static let patience = DispatchTimeInterval.milliseconds(100)

  private let held = Atomic64(0)
  private let lock = UnfairLock()
  private var lane: IOLane?

  /// The lane that pauses; nil once the read is over: buffers may outlive it.
  // Counted, and taken back, since a weak reference would slow every counting of a lane down.
  func set(_ lane: IOLane?) {
    let old = lock.withLock { () -> IOLane? in
      defer { self.lane = lane }
      return self.lane
    }
    withExtendedLifetime(old) {}  // let go outside of the lock
  }

  // seq_cst: under the lane's lock; in one order with the subtraction in release(_:)
  var isFull: Bool { held.loadSeqCst() >= Self.limit }

  func hold(_ bytes: Int) { _ = held.addSeqCst(UInt64(bytes)) }  // seq_cst: in one order with isFull and release(_:)

  /// Some of the bytes are written, or given up.
  func release(_ bytes: Int) {
    // seq_cst, as the lane's check of `isFull` under its lock: if that check saw the old sum, the lane has paused before we ask.
    let before = held.subtractSeqCst(UInt64(bytes))
    if before >= Self.limit, before &- UInt64(bytes) < Self.limit { lock.withLock { lane }?.resume() }
  }
}
