// FigureSampling.swift: which items have their waiting time measured while figures are on, and how it is counted. One
// of 64 that a thread submits, on average, carries the time of its submission. Counts of items are QueueFigures.swift.
import SignalboxSystem
import SignalboxWords

enum FigureSampling {
  /// A moment in 32 bits, of which 0 is none: 1,024 ticks of the processor's counter, under half a microsecond, each. After 2^42 ticks, about half
  /// an hour, they begin anew: of a longer wait that much is left out.
  enum Moment {
    private static let shift: UInt64 = 10

    static var now: UInt32 { max(1, UInt32(truncatingIfNeeded: Clock.ticks() >> shift)) }

    /// From a moment to now.
    static func ticks(since moment: UInt32) -> UInt64 {
      ticks(from: moment, to: UInt32(truncatingIfNeeded: Clock.ticks() >> shift))
    }

    /// Counters of two processors may differ a little: what seems to come before `first` is no wait.
    static func ticks(from first: UInt32, to last: UInt32) -> UInt64 {
      let span = last &- first
      return span > UInt32.max - 16 ? 0 : UInt64(span) << shift
    }
  }

  /// Items between two samples of a thread, less those that chance adds; and how many that are at most, plus 1: a power of 2.
  private static let least: UInt32 = 32, spread: UInt32 = 64
  /// 1: every item is a sample.
  private static let takesAll = Atomic32(0)
  static func testsOnly_takeAll(_ all: Bool) { takesAll.storeRelaxed(all ? 1 : 0) }  // relaxed: a number alone

  /// For each thread's slot how many items are left until the next sample; slots that follow one another in different cache lines. 0: not
  /// made yet.
  private static let countdowns = Atomic64(0)

  // acquire: as in `prepare`
  static var isPrepared: Bool { countdowns.loadAcquire() != 0 }

  /// Makes room for the countdowns, once.
  static func prepare() {
    // acquire, and the swap's release: the memory is zero for whoever finds it
    guard countdowns.loadAcquire() == 0 else { return }
    let room = UnsafeMutablePointer<Atomic32>.allocate(capacity: 1 << 16)
    for index in 0..<1 << 16 { (room + index).initialize(to: Atomic32(0)) }
    if !countdowns.casAcqRel(0, UInt64(UInt(bitPattern: room))).exchanged { room.deallocate() }
  }

  /// Whether the item that the thread is about to submit is a sample.
  @inline(__always) static func isDue(_ thread: ThreadPointer) -> Bool {
    // acquire: pairs with the swap in `prepare`
    guard let room = UnsafeMutableRawPointer(bitPattern: UInt(countdowns.loadAcquire())) else { return false }
    let slot = Int(OwnerValue.slot(of: thread.pointee.owner))
    // SAFETY: the room has a place for each slot, and is never freed.
    let cell = room.assumingMemoryBound(to: Atomic32.self) + ((slot & 0xFFF) << 4 | slot >> 12)
    let left = cell.pointee.loadRelaxed()  // relaxed, both: the thread's own; those without a slot may miss one
    guard left == 0 else {
      cell.pointee.storeRelaxed(left - 1)  // relaxed: the thread's own
      return false
    }
    return draw(cell)
  }

  @inline(never) private static func draw(_ cell: UnsafeMutablePointer<Atomic32>) -> Bool {
    if takesAll.loadRelaxed() == 1 { return true }  // relaxed: as above
    let chance = UInt32(truncatingIfNeeded: Clock.ticks() &* 0x9E37_79B9_7F4A_7C15 >> 40)
    cell.pointee.storeRelaxed(least + chance & (spread - 1))  // relaxed: as in `isDue`
    return true
  }
}

extension DispatchQueue {
  /// An item that is a sample, with the time in it if it is of a kind that can carry that. It is the caller's.
  @inline(never) static func stamped(_ slot: Slot) -> Slot {
    guard !Exploration.isOn, let node = nodeToStamp(slot) else { return slot }
    node.pointee.submitted = FigureSampling.Moment.now
    return .node(node)
  }

  private static func nodeToStamp(_ slot: Slot) -> ItemNodePointer? {
    if slot.first == SlotKind.node || slot.first == SlotKind.workItem { return node(slot) }
    // Queues, sleeping threads and helpers are no items; a job of a task goes by its function.
    guard slot.isClosure || slot.first & SlotKind.cFunction != 0 && QueueJob.role(slot.first) == nil else { return nil }
    let node = NodeCache.take()
    node.pointee.work = slot.work
    return node
  }

  /// A sample begins on the calling thread, in the drain that is its innermost frame.
  @inline(never) static func sampleBegins(_ submitted: UInt32) {
    guard let frame = ThreadSlot.current.innermostFrame, frame.pointee.kind.isDrain else { return }
    let waited = FigureSampling.Moment.ticks(since: submitted)
    reference(of: frame.pointee).use { $0.figures?.use { $0.waits.add(waited) } }
  }
}

// MARK: how long sampled items have waited

// Counted in buckets that grow with the time (WaitBucket of SignalboxWords).

/// One queue's counts. Thread safety: any thread.
struct WaitCounts: ~Copyable, Sendable {
  /// Where the counts lie is described to readers from outside.
  private let counts = InlineArray<144, Atomic32> { _ in Atomic32(0) }

  // relaxed, both: statistics
  func add(_ ticks: UInt64) { _ = counts[WaitBucket.index(ticks)].addRelaxed(1) }

  /// All counts up to the last that is not 0.
  var all: [UInt32] {
    var found: [UInt32] = []
    var index = WaitBucket.count
    while index > 0 {
      index -= 1
      let count = counts[index].loadRelaxed()  // relaxed: a count, and nothing is read through it
      if found.isEmpty {
        if count == 0 { continue }
        found = [UInt32](repeating: 0, count: index + 1)
      }
      found[index] = count
    }
    return found
  }
}
