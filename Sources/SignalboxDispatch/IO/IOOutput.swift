// IOOutput.swift: what a write has still to write: the regions of its data, and where in them it stands. An account
// says how many of a read's bytes wait in writes.
import SignalboxLocks
import SignalboxSystem

struct IOOutput {
  let data: DispatchData
  private var regions: [Descriptors.Piece] = []
  /// The reads whose bytes these are, and how many of each.
  private var flows: [(flow: IOFlow, bytes: Int)] = []
  private var region = 0
  private var offset = 0

  init(_ data: DispatchData) {
    self.data = data
    data.node?.forEachRegion { piece, _ in
      regions.append(Descriptors.Piece(base: piece.start, count: piece.count))
      if let flow = piece.node.use({ $0.buffer?.flow }) {
        if flows.last?.flow === flow { flows[flows.count - 1].bytes += piece.count } else { flows.append((flow, piece.count)) }
      }
      return true
    }
    for (flow, bytes) in flows { flow.hold(bytes) }
  }

  /// Calls `body` with the next bytes, at most `limit`; what it returns was moved.
  ///
  /// - Parameter body: gets the pieces. SAFETY of the pointers: `data` keeps the regions.
  mutating func next(
    _ limit: Int, _ body: (UnsafeBufferPointer<Descriptors.Piece>) -> Transfer
  ) -> (Transfer, asked: Int) {
    var total = 0
    let result = withUnsafeTemporaryAllocation(of: Descriptors.Piece.self, capacity: Descriptors.pieceLimit) { pieces in
      var count = 0, skip = offset
      while count < pieces.count, total < limit, region + count < regions.count {
        let whole = regions[region + count]
        let length = min(whole.count - skip, limit - total)
        pieces.initializeElement(at: count, to: Descriptors.Piece(base: whole.base + skip, count: length))
        total += length
        skip = 0
        count += 1
      }
      return body(UnsafeBufferPointer(rebasing: pieces[..<count]))
    }
    if case .moved(let bytes) = result { advance(bytes) }
    return (result, total)
  }

  private mutating func advance(_ bytes: Int) {
    var bytes = bytes
    while bytes > 0 {
      let left = regions[region].count - offset
      if bytes < left {
        offset += bytes
        return
      }
      bytes -= left
      offset = 0
      region += 1
    }
  }

  /// The operation is over: the reads may go on.
  mutating func release() {
    for (flow, bytes) in flows { flow.release(bytes) }
    flows = []
    regions = []
  }
}

// MARK: bytes of reads that wait in writes

// A program that copies faster than the target takes it must not read the whole source into memory. The read pauses
// while they are many; pausing and resuming is IOLane.swift.

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
