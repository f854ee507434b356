// LastItem+Pass.swift: noting what each thread has run last, while the stall detector is on: for the report of a program in which nothing is
// left that could happen. What runs now is known from frames (ItemWords.swift).
import SignalboxWaits
import SignalboxSystem
import SignalboxView
import SignalboxWords

extension LastItem {
  /// Of all threads that are not the pool's: the main one, mostly. Several may mix their notes, which are only shown.
  private static let elsewhere = LastItem()

  /// An item begins, and instruments are on.
  @inline(never) static func pass(_ slot: Slot, _ thread: ThreadPointer) {
    InstrumentHooks.pass(.drainItem, object: 0)
    // A queue is none: its own items are.
    guard Instruments.detectsStalls, slot.first != SlotKind.queue else { return }
    let words = ItemWords.essence(slot)
    if let worker = Pool.worker(thread) {
      worker.use { $0.last.note(kind: words.kind, function: words.function, inner: words.inner) }
    } else {
      elsewhere.note(kind: words.kind, function: words.function, inner: words.inner)
    }
  }

  /// The latest of all notes; nil if there is none.
  static func latest(_ workers: [Worker]) -> (item: RunningItem, since: UInt64)? {
    var latest = elsewhere.words
    for worker in workers where worker.last.words.since > latest.since { latest = worker.last.words }
    guard latest.since != 0 else { return nil }
    return (ItemWords.item(.init(kind: latest.kind, function: latest.function, inner: latest.inner)), latest.since)
  }
}
