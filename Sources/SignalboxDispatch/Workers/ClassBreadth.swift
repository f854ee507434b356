// ClassBreadth.swift: how many workers run jobs of each class. Of a lower class, the workers of every band are counted
// that run what has no promise of a thread. That is items of its global queue, and of concurrent queues on it.
// README.md, "Breadth".
//
// More urgent work that waits for such an item has other bands' workers serve it as well: both together are to be no
// more threads than the processors, and one.
import SignalboxSystem
import SignalboxWords

extension Pool {
  /// Whether others than its own workers may run items of its class: a lower band's.
  @inline(__always) var isShared: Bool { band != .normal && !isPrivate }

  /// How many workers may run such items at once, before another of its own begins: one more for a list that is overdue.
  private var ownLimit: UInt64 {
    // relaxed, both: hints, as told at the words
    UInt64(width.loadRelaxed()) + (overdue.loadRelaxed() & Self.lateBit(.items, of: classes.mostUrgent) != 0 ? 1 : 0)
  }
  /// How many, before another of a more urgent band begins.
  // relaxed: a hint, as told at the word
  private var guestLimit: UInt64 { max(processors, UInt64(width.loadRelaxed())) + 1 }

  /// How many workers may run items of the class before one of this pool's begins.
  fileprivate func breadthLimit(for serviceClass: ServiceClass) -> UInt64 {
    serving(serviceClass).use { home in home.band == band ? home.ownLimit : home.guestLimit }
  }

  /// Whether one more of this pool's workers may run items of the class.
  func hasBreadth(for serviceClass: ServiceClass) -> Bool {
    guard isShared || !classes.contains(serviceClass), !isPrivate else { return true }
    let limit = breadthLimit(for: serviceClass)
    // seq_cst: after the swap by which the caller stops checking; pairs with the step of who makes room, and then reads the lists
    return serving(serviceClass).use { UInt64($0.breadth.loadSeqCst()) < limit }
  }

  /// One that ran such items runs none: whoever found no room for what is queued is called.
  fileprivate func narrow() {
    _ = breadth.addSeqCst(~0)  // seq_cst: before the check of the lists; pairs with hasBreadth
    if hasWorkForOneMore { workArrived(class: classes.mostUrgent) }
    for serviceClass in ServiceClasses(.standard, before: classes.mostUrgent) {
      serving(serviceClass).use { if $0.standIn.isNeeded, $0.hasWorkForOneMore { $0.workArrived() } }
    }
  }
  fileprivate func widen() { _ = breadth.addSeqCst(1) }  // seq_cst: as above
  fileprivate func widens(below limit: UInt64) -> Bool {
    var old = breadth.loadSeqCst()  // seq_cst: as above
    while UInt64(old) < limit {
      let swap = breadth.casSeqCst(old, old + 1)  // seq_cst: as above
      if swap.exchanged { return true }
      old = swap.original
    }
    return false
  }
}

/// The worker's own share in a breadth is a word of its own: 0, or the number of the class and 1; with `Breadth.isOut`,
/// not counted because the worker sleeps. Its own thread changes it; the sampler puts the bit in. The thread that has
/// changed the word takes the count off.
extension Worker {
  enum Breadth {
    static let isOut: UInt32 = 0x100
    static func word(_ serviceClass: ServiceClass) -> UInt32 { UInt32(serviceClass.rawValue + 1) }
    static func serviceClass(_ word: UInt32) -> ServiceClass { ServiceClass(known: Int(word & 0xFF) - 1) }
  }

  /// The worker is about to take an item of the class, of a lower band. False: there is no room for it. For its own
  /// thread.
  func enters(_ serviceClass: ServiceClass) -> Bool {
    let word = Breadth.word(serviceClass)
    return withPool { pool in
      let limit = pool.breadthLimit(for: serviceClass)
      return pool.serving(serviceClass).use { home in
        // relaxed: only its own thread puts another class there; the sampler's bit, seen later, is an item too many at most
        if breadth.loadRelaxed() == word { return UInt64(home.breadth.loadRelaxed()) <= limit }
        guard home.widens(below: limit) else { return false }
        leavesBreadth()
        breadth.storeRelease(word)  // release: pairs with the sampler's swap
        return true
      }
    }
  }

  /// Whether it may go on with another item of the class that it counts itself under. For its own thread.
  var hasBreadth: Bool {
    let word = breadth.loadRelaxed()  // relaxed: as in enters
    return word == 0 || enters(Breadth.serviceClass(word))
  }

  /// It has such an item already, or takes it whoever else runs some.
  func entersAnyway(_ serviceClass: ServiceClass) {
    if breadth.loadRelaxed() == Breadth.word(serviceClass) { return }  // relaxed: as in enters
    leavesBreadth()
    withPool { $0.serving(serviceClass).use { $0.widen() } }
    breadth.storeRelease(Breadth.word(serviceClass))  // release: pairs with the sampler's swap
  }

  /// It runs none any more. For its own thread.
  @inline(__always) func leavesBreadth() {
    if _slowPath(breadth.loadRelaxed() != 0) { leavesBreadthSlow() }  // relaxed: as in enters
  }
  @inline(never) private func leavesBreadthSlow() {
    let old = breadth.exchangeAcqRel(0)  // acquire-release: in turn with the sampler's swap; one of the two takes the count off
    if old & Breadth.isOut == 0 { withPool { $0.serving(Breadth.serviceClass(old)).use { $0.narrow() } } }
  }

  /// It sleeps in the midst of a job. Its own thread, or the sampler's.
  func stepsOutOfBreadth() {
    let old = breadth.loadAcquire()  // acquire: pairs with the release in enters
    guard old != 0, old & Breadth.isOut == 0 else { return }
    // acquire-release: in turn with its own thread; one of the two takes the count off
    guard breadth.casAcqRel(old, old | Breadth.isOut).exchanged else { return }
    withPool { $0.serving(Breadth.serviceClass(old)).use { $0.narrow() } }
  }

  /// It runs again. For its own thread.
  func stepsIntoBreadth() {
    let old = breadth.loadAcquire()  // acquire: the count was taken off before; pairs with the swap above
    guard old & Breadth.isOut != 0 else { return }
    withPool { $0.serving(Breadth.serviceClass(old)).use { $0.widen() } }
    breadth.storeRelease(old & ~Breadth.isOut)  // release: pairs with the sampler's swap
  }
}

// MARK: how many workers run jobs of each class

// The counts tell whether urgent work waits behind work that is less so.
//
// A worker counts itself, and only when its class changes, so jobs of one class cost nothing. What waits in the
// program's own calls is counted until the job ends: the counts say where a worker is wanted, and nothing depends on
// their being right.

struct ClassCounts: ~Copyable, Sendable {
  private let counts = InlineArray<5, Atomic32> { _ in Atomic32(0) }

  /// A worker that ran a job of class `old` runs one of class `new`; nil: none.
  @inline(never) func change(from old: ServiceClass?, to new: ServiceClass?) {
    // relaxed: hints, read one by one.
    if let old { _ = counts[old.rawValue].addRelaxed(~0) }
    if let new { _ = counts[new.rawValue].addRelaxed(1) }
  }

  /// How many run jobs of the class, or of a more urgent one.
  func atLeast(_ serviceClass: ServiceClass) -> UInt64 {
    var sum: UInt64 = 0
    for more in 0...serviceClass.rawValue { sum += UInt64(counts[more].loadRelaxed()) }  // relaxed: as above
    return sum
  }
}
