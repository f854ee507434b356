// PreferredWorker.swift: a lower band's worker whose thread is preferred while more urgent work waits for it, and goes back afterwards. How a
// thread is preferred is ThreadRank; who waits is Raising.swift and DispatchQueue+Raise.swift (Queues/).
//
// Who waits for a queue prefers its owner until the running item's end (`Asked.toGoBack`); who waits for the thread itself, because
// it has a lock or runs what is awaited, until that wait is over: he is counted among `helpers`. The last to let go sends it back.
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

extension Worker {
  /// The kernel's number. acquire: pairs with the release by which the worker's thread says its number
  private var thread: Int32 { Int32(truncatingIfNeeded: threadID.loadAcquire()) }
  private var mayGoBack: Bool { helpers == 0 && !hasEnded }
  /// 0 would be the calling thread.
  private var mayBePreferred: Bool { thread != 0 && !hasEnded }

  /// Work of `band` waits for the thread: until the matching `isHelpedNoMore`.
  func isHelped(by asker: Band) {
    rankLock.withLock {
      helpers += 1
      if asker == .normal { urgentHelpers += 1 }
      if mayBePreferred { band.rank?.prefer(thread, asAt: asker.niceness) }
    }
  }
  func isHelpedNoMore(by asker: Band) {
    rankLock.withLock {
      helpers -= 1
      if asker == .normal { urgentHelpers -= 1 }
      // relaxed: who asks for that has preferred the thread before; its own thread takes the bit off before it wants this lock
      if mayGoBack, asked.loadRelaxed() & Asked.toGoBack == 0 { band.rank?.settleAgain(thread) }
    }
  }

  /// A class of the most urgent band that helps the thread, which is to be helped as that in its own waits; nil if none
  /// does.
  var classHelped: ServiceClass? {
    rankLock.withLock { urgentHelpers > 0 ? .standard : helpers > 0 ? .utility : nil }
  }

  /// Somebody at `niceness` waits for a queue that the thread owns, as far as is known: until `goBack`, which is to be asked for.
  func isPreferred(asAt niceness: Int) { rankLock.withLock { if mayBePreferred { band.rank?.prefer(thread, asAt: niceness) } } }

  /// It did not own the queue any more.
  func isPreferredInVain() { rankLock.withLock { if mayGoBack { band.rank?.settleAgain(thread) } } }
  /// The item has ended for which the thread was preferred. For its own thread.
  func goBack() { rankLock.withLock { if mayGoBack { band.rank?.settleAgain(thread) } } }

  /// The thread is about to end: another may get its number. For its own thread.
  func isOver() {
    rankLock.withLock { hasEnded = true }
    LoweredThreads.leave(ThreadSlot.current.pointee.owner)
  }
}

/// Which threads are workers of lower bands, by their slots: for who asks about a thread that he knows by a lock's word alone.
enum LoweredThreads {
  // One bit for each slot. relaxed: a hint; which worker it is is searched for by name.
  // SAFETY: memory of process life, of atomic words.
  nonisolated(unsafe) private static let bits: UnsafeMutablePointer<Atomic64> = {
    let words = UnsafeMutablePointer<Atomic64>.allocate(capacity: count)
    for index in 0..<count { (words + index).initialize(to: Atomic64(0)) }
    return words
  }()
  private static let count = (1 << 16) / 64
  /// Whether there was any: else there is no table. relaxed: as told at the bits
  private static let isAny = Relaxed32(0)

  static func enter(_ owner: UInt64) {
    change(owner) { $0 | $1 }
    isAny.store(1)
  }
  static func leave(_ owner: UInt64) { if isAny.load() != 0 { change(owner) { $0 & ~$1 } } }

  /// Whether the thread that `owner` names is, or the one that had its slot before was.
  @inline(__always) static func contains(_ owner: UInt64) -> Bool {
    // relaxed: as told at the bits
    isAny.load() != 0 && bits[place(owner)].loadRelaxed() & bit(owner) != 0
  }

  private static func place(_ owner: UInt64) -> Int { Int(OwnerValue.slot(of: owner)) / 64 }
  private static func bit(_ owner: UInt64) -> UInt64 { 1 << (owner & 63) }
  private static func change(_ owner: UInt64, _ step: (UInt64, UInt64) -> UInt64) {
    let word = bits + place(owner)
    var old = word.pointee.loadRelaxed()  // relaxed: as told at the bits
    while true {
      let swap = word.pointee.casRelaxed(old, step(old, bit(owner)))  // relaxed: as told at the bits
      if swap.exchanged { return }
      old = swap.original
    }
  }
}
