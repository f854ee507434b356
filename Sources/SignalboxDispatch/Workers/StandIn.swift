// StandIn.swift: the normal band's pool serves the classes of a band of which no thread runs and none can be made, until one is. When no thread can be
// made is ThreadShortage.swift.
import SignalboxSystem

/// Which classes of other bands a pool serves, by their bits.
struct StandIn: ~Copyable, Sendable {
  private let places = Atomic64(0)

  // seq_cst: after the swap of the pool's word by a worker that stops checking; pairs with begin(), which precedes the load of that word in
  // workArrived(). One of the two sees the other, as with the lists themselves.
  @inline(__always) var isNeeded: Bool { places.loadSeqCst() != 0 }
  func isNeeded(for place: Int) -> Bool { places.loadSeqCst() & 1 << UInt64(place) != 0 }  // seq_cst: as above

  fileprivate func begin(_ band: Band) { _ = places.orSeqCst(Self.bits(band)) }  // seq_cst: as told at isNeeded
  fileprivate func end(_ band: Band) {
    var old = places.loadRelaxed()  // relaxed: the swap re-checks
    while old & Self.bits(band) != 0 {
      let swap = places.casSeqCst(old, old & ~Self.bits(band))  // seq_cst: like begin()
      if swap.exchanged { return }
      old = swap.original
    }
  }

  private static func bits(_ band: Band) -> UInt64 { band.places.reduce(0) { $0 | 1 << UInt64($1) } }
}

extension Pool {
  /// The normal band's pool serves this one's classes: no thread of its own runs, and none can be made.
  func askForStandIn() {
    guard band != .normal, snapshot[PoolState.running] == 0 else { return }
    Pools.ofProcess.main.use {
      $0.standIn.begin(band)
      // One was made meanwhile: whoever made it may have found nothing to end.
      if snapshot[PoolState.running] > 0 { $0.standIn.end(band) }
      $0.workArrived()
    }
  }

  /// It has a thread of its own now.
  func endStandIn() {
    guard band != .normal else { return }
    Pools.ofProcess.main.use { $0.standIn.end(band) }
  }

  /// Whether work waits here that nobody serves: there is no worker, and none that stands in.
  var isForsaken: Bool {
    snapshot[PoolState.total] == 0 && (band == .normal || Pools.ofProcess.main.use { $0.snapshot[PoolState.total] == 0 })
  }
}
