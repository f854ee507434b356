// StandIn.swift: a pool serves classes of other bands: the normal band's those of a band of which no thread runs and none can be made, until
// one is (ThreadShortage.swift); each a lower band's global queue while work of its own classes waits for an item there (RaisedRoots.swift);
// and each the queues of a band all of whose threads wait (ExhaustedBand.swift). Each has concurrent queues of lower bands on lists of its own
// classes while work of these waits for them (DisplacedQueues.swift).
import SignalboxSystem
import SignalboxWords

/// Which classes of other bands a pool serves, by their bits: those for want of threads from bit 0 on, those whose global queues are
/// raised from bit 8 on, and those whose queues have no thread left from bit 16 on. From bit 24 on, four bits for each class: as which its
/// global queue is raised. Bit 63: displaced queues may lie on lists of its own classes.
struct StandIn: ~Copyable, Sendable {
  private let places = Atomic64(0)

  // seq_cst: after the swap of the pool's word by a worker that stops checking; pairs with begin(), which precedes the load of that word in
  // workArrived(). One of the two sees the other, as with the lists themselves.
  @inline(__always) var isNeeded: Bool { places.loadSeqCst() != 0 }
  func isNeeded(for place: Int) -> Bool { places.loadSeqCst() & 1 << UInt64(place) != 0 }  // seq_cst: as above

  /// Whether global queues are raised to this pool's classes.
  var isRaised: Bool { places.loadSeqCst() & 0xFF << Self.raised != 0 }  // seq_cst: as above
  /// Whether the one of the class at `place` is.
  func isRaised(_ place: Int) -> Bool { placeAsked(for: place) != nil }
  /// The place of the class as which the one of the class at `place` is raised; nil: it is not.
  func placeAsked(for place: Int) -> Int? {
    let word = places.loadSeqCst()  // seq_cst: as above
    guard word & 1 << (UInt64(place) + Self.raised) != 0 else { return nil }
    return Int(word >> Self.asked(place) & 0xF)
  }
  private static let raised: UInt64 = 8
  private static func asked(_ place: Int) -> UInt64 { 24 + 4 * UInt64(place) }

  /// Whether there are bands all of whose threads wait.
  var servesQueues: Bool { places.loadSeqCst() & 0xFF << Self.queues != 0 }  // seq_cst: as above
  /// Whether the one with the class at `place` is such.
  // seq_cst: as above
  func servesQueues(of place: Int) -> Bool { places.loadSeqCst() & 1 << (UInt64(place) + Self.queues) != 0 }
  private static let queues: UInt64 = 16

  /// Whether displaced queues may lie on its lists.
  var hasDisplaced: Bool { places.loadSeqCst() & Self.displaced != 0 }  // seq_cst: as above
  func beginDisplaced() { if !hasDisplaced { _ = places.orSeqCst(Self.displaced) } }  // seq_cst: as above
  func endDisplaced() { takeOff(Self.displaced) }
  private static let displaced: UInt64 = 1 << 63
  /// Whether it serves lists of other bands: queues of theirs that it has taken are not to go back yet.
  var servesOtherLists: Bool { places.loadSeqCst() & ~Self.displaced != 0 }  // seq_cst: as above

  func beginQueues(of band: Band) { _ = places.orSeqCst(Self.bits(band) << Self.queues) }  // seq_cst: as told at isNeeded
  func endQueues(of band: Band) { takeOff(Self.bits(band) << Self.queues) }

  /// The global queue of the class at `place` is raised to this pool's class at `asked`; nil: it is not, or not any more.
  func setRaised(_ place: Int, to asked: Int?) {
    let bit: UInt64 = 1 << (UInt64(place) + Self.raised)
    change(taking: bit | 0xF << Self.asked(place), putting: asked.map { bit | UInt64($0) << Self.asked(place) } ?? 0)
  }

  private func takeOff(_ bits: UInt64) { change(taking: bits, putting: 0) }

  private func change(taking old: UInt64, putting new: UInt64) {
    var word = places.loadRelaxed()  // relaxed: the swap re-checks
    while word & old != new {
      let swap = places.casSeqCst(word, word & ~old | new)  // seq_cst: as told at isNeeded
      if swap.exchanged { return }
      word = swap.original
    }
  }

  fileprivate func begin(_ band: Band) { _ = places.orSeqCst(Self.bits(band)) }  // seq_cst: as told at isNeeded
  fileprivate func end(_ band: Band) { takeOff(Self.bits(band)) }

  private static func bits(_ band: Band) -> UInt64 { band.places.reduce(0) { $0 | 1 << UInt64($1) } }
}

extension Pool {
  /// The normal band's pool serves this one's classes: no thread of its own runs, and none can be made.
  func askForStandIn() {
    guard band != .normal, snapshot[PoolState.running] == 0 else { return }
    Pools.present.main.use {
      $0.standIn.begin(band)
      // One was made meanwhile: whoever made it may have found nothing to end.
      if snapshot[PoolState.running] > 0 { $0.standIn.end(band) }
      $0.workArrived()
    }
  }

  /// It has a thread of its own now.
  func endStandIn() {
    guard band != .normal else { return }
    Pools.present.main.use { $0.standIn.end(band) }
  }

  /// Whether work waits here that nobody serves: there is no worker, and none that stands in.
  var isForsaken: Bool {
    snapshot[PoolState.total] == 0 && (band == .normal || Pools.present.main.use { $0.snapshot[PoolState.total] == 0 })
  }
}
