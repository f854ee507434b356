// LastItem.swift: what each thread has run last, noted while the stall detector is on: for the report of a program in which nothing is
// left that could happen. What runs now is known from frames (ItemWords.swift).
import SignalboxDiagnosis
import SignalboxSystem

/// One thread's note.
struct LastItem: ~Copyable, Sendable {
  // relaxed: the notes of one thread, which are read when it has stood still for a period of the stall detector.
  private let kind = Atomic64(0)
  private let function = Atomic64(0)
  private let inner = Atomic64(0)
  private let since = Atomic64(0)

  /// Of all threads that are not the pool's: the main one, mostly. Several may mix their notes, which are only shown.
  private static let elsewhere = LastItem()

  /// An item begins, and instruments are on.
  @inline(never) static func pass(_ first: UInt64, _ second: UInt64, _ thread: ThreadPointer) {
    InstrumentHooks.pass(.drainItem, object: 0)
    // A queue is none: its own items are.
    guard StallDetector.isOn, first != SlotKind.queue else { return }
    if let worker = Pool.worker(thread) {
      worker.use { $0.last.note(first, second) }
    } else {
      elsewhere.note(first, second)
    }
  }

  private func note(_ first: UInt64, _ second: UInt64) {
    let words = ItemWords.essence(first, second)
    // relaxed: as told at the words
    kind.storeRelaxed(words.kind)
    function.storeRelaxed(words.function)
    inner.storeRelaxed(words.inner)
    since.storeRelaxed(Clock.uptime())
  }

  /// The latest of all notes; nil if there is none.
  static func latest(_ workers: [Worker]) -> (item: RunningItem, since: UInt64)? {
    var latest = elsewhere.words
    for worker in workers where worker.last.words.since > latest.since { latest = worker.last.words }
    return latest.since == 0 ? nil : (ItemWords.item(latest.item), latest.since)
  }

  private var words: (item: ItemWords.Essence, since: UInt64) {
    // relaxed: as told at the words
    (.init(kind: kind.loadRelaxed(), function: function.loadRelaxed(), inner: inner.loadRelaxed()), since.loadRelaxed())
  }
}
