// IOOutput.swift: what a write has still to write: the regions of its data, and where in them it stands.
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
