// ItemAges.swift: for how long threads have run the items that they run, as far as sampling once a second tells. Nothing is noted
// when an item begins: a thread whose number has stayed the same runs the same item still (DiagnosedLayer.forEachItemSoon).
import SignalboxSystem

/// Since when each thread was seen with the item that it runs. For one thread.
struct ItemAges {
  /// An item of a thread, and when it was first seen.
  struct Seen: Equatable {
    let item: UInt64
    let since: UInt64
  }
  private var seen: [Int32: Seen] = [:]

  /// How long from one sample to the next.
  static let interval: UInt64 = 1_000_000_000

  /// Samples what runs at `now` of uptime: what the layers say, or `forEach`.
  mutating func sample(
    at now: UInt64, _ forEach: ((Int32, UInt64) -> Void) -> Void = { body in Layers.forEach { $0.forEachItemSoon(body) } }
  ) {
    var found: [Int32: Seen] = [:]
    forEach { thread, item in
      let before = seen[thread]
      found[thread] = before?.item == item ? before : Seen(item: item, since: now)
    }
    seen = found
  }

  /// The item of the thread, as of the last sample.
  subscript(thread: Int32) -> Seen? { seen[thread] }
}
