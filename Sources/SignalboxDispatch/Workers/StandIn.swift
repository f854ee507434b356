// StandIn.swift: a pool serves classes of other bands. The normal band's serves those of a band of which no thread runs
// and none can be made, until one is (ThreadShortage.swift). Each serves the queues of a band all of whose threads
// wait, and what more urgent work waits for in a lower band (RaisedRoots.swift).
import SignalboxSystem
import SignalboxWords

/// Which classes of other bands a pool serves, by their bits: those for want of threads from bit 0 on, those whose global queues are
/// raised from bit 8 on, and those whose queues have no thread left from bit 16 on. From bit 24 on, four bits for each class: as which its
/// global queue is raised. Bit 63: displaced queues may lie on lists of its own classes.
struct StandIn: ~Copyable, Sendable {
  private let word = Atomic64(0)

  // seq_cst: after the swap of the pool's word by a worker that stops checking; pairs with begin(), which precedes the load of that word in
  // workArrived(). One of the two sees the other, as with the lists themselves.
  @inline(__always) var isNeeded: Bool { word.loadSeqCst() != 0 }
  // seq_cst: as above
  func isNeeded(for serviceClass: ServiceClass) -> Bool { word.loadSeqCst() & Self.bit(serviceClass) != 0 }

  /// Whether global queues are raised to this pool's classes.
  var isRaised: Bool { word.loadSeqCst() & 0xFF << Self.raised != 0 }  // seq_cst: as above
  /// Whether the one of the class is.
  func isRaised(_ serviceClass: ServiceClass) -> Bool { classAsked(for: serviceClass) != nil }
  /// The class as which the one of the class is raised; nil: it is not.
  func classAsked(for serviceClass: ServiceClass) -> ServiceClass? {
    let word = word.loadSeqCst()  // seq_cst: as above
    guard word & Self.bit(serviceClass) << Self.raised != 0 else { return nil }
    return ServiceClass(known: Int(word >> Self.asked(serviceClass) & 0xF))
  }
  private static let raised: UInt64 = 8
  private static func asked(_ serviceClass: ServiceClass) -> UInt64 { 24 + 4 * UInt64(serviceClass.rawValue) }

  /// Whether there are bands all of whose threads wait.
  var servesQueues: Bool { word.loadSeqCst() & 0xFF << Self.queues != 0 }  // seq_cst: as above
  /// Whether the one with the class is such.
  // seq_cst: as above
  func servesQueues(of serviceClass: ServiceClass) -> Bool { word.loadSeqCst() & Self.bit(serviceClass) << Self.queues != 0 }
  private static let queues: UInt64 = 16

  /// Whether displaced queues may lie on its lists.
  var hasDisplaced: Bool { word.loadSeqCst() & Self.displaced != 0 }  // seq_cst: as above
  func beginDisplaced() { if !hasDisplaced { _ = word.orSeqCst(Self.displaced) } }  // seq_cst: as above
  func endDisplaced() { takeOff(Self.displaced) }
  private static let displaced: UInt64 = 1 << 63
  /// Whether it serves lists of other bands: queues of theirs that it has taken are not to go back yet.
  var servesOtherLists: Bool { word.loadSeqCst() & ~Self.displaced != 0 }  // seq_cst: as above

  func beginQueues(of band: Band) { _ = word.orSeqCst(Self.bits(band) << Self.queues) }  // seq_cst: as told at isNeeded
  func endQueues(of band: Band) { takeOff(Self.bits(band) << Self.queues) }

  /// The global queue of the class is raised to this pool's class `asked`; nil: it is not, or not any more.
  func setRaised(_ serviceClass: ServiceClass, to asked: ServiceClass?) {
    let bit = Self.bit(serviceClass) << Self.raised, shift = Self.asked(serviceClass)
    change(taking: bit | 0xF << shift, putting: asked.map { bit | UInt64($0.rawValue) << shift } ?? 0)
  }

  private func takeOff(_ bits: UInt64) { change(taking: bits, putting: 0) }

  private func change(taking bits: UInt64, putting new: UInt64) {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while old & bits != new {
      let swap = word.casSeqCst(old, old & ~bits | new)  // seq_cst: as told at isNeeded
      if swap.exchanged { return }
      old = swap.original
    }
  }

  fileprivate func begin(_ band: Band) { _ = word.orSeqCst(Self.bits(band)) }  // seq_cst: as told at isNeeded
  fileprivate func end(_ band: Band) { takeOff(Self.bits(band)) }

  private static func bits(_ band: Band) -> UInt64 { band.classes.reduce(0) { $0 | bit($1) } }
  private static func bit(_ serviceClass: ServiceClass) -> UInt64 { 1 << UInt64(serviceClass.rawValue) }
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

// MARK: a band all of whose threads wait

// A band has all the threads that it may have, and all of them wait. What they wait for may be a queue that they have
// raised to their band: then no thread there would ever serve it. So the other bands' threads serve the band's queues,
// the lists of turns and of displaced queues, until one of its own runs again. README.md, "A band whose threads all
// wait".

extension Pool {
  /// Whether all of its workers wait and there may be no more. seq_cst: after the caller's claim, or its change of who serves the lists;
  /// pairs with the swap by which the last worker stops running, and after which it checks the lists
  var isExhausted: Bool {
    let state = lateSnapshot
    return state[PoolState.running] == 0 && state[PoolState.total] - state[PoolState.idle] >= bound
  }

  /// Work lies on a list of this pool, which may have no other worker.
  func askOthersIfExhausted() {
    guard !isPrivate, isExhausted else { return }
    for other in Pools.all where other != Lent(self) {
      other.use {
        $0.standIn.beginQueues(of: band)
        $0.servesOthers()
        $0.callAnother()
      }
    }
  }

  /// A queue of a band all of whose threads wait.
  func takeOfExhausted(_ worker: Worker?) -> PoolJob? {
    guard standIn.servesQueues else { return nil }
    for serviceClass in ServiceClass.all where standIn.servesQueues(of: serviceClass) {
      let other = serving(serviceClass)
      if other.use({ $0.isExhausted }) {
        if let job = take(.turns, of: serviceClass) ?? takeDisplacedAnyway(to: serviceClass, worker) { return job }
        continue
      }
      let band = serviceClass.band
      standIn.endQueues(of: band)
      // Its last worker may have stopped in between, and have found the bit still set.
      if other.use({ $0.isExhausted }) { standIn.beginQueues(of: band) }
    }
    return nil
  }
}
