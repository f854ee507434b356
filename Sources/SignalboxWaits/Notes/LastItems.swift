// LastItems.swift: the words of what threads have run last, noted while the stall detector is on. What they say is
// ItemWords.swift (SignalboxDispatch).
import SignalboxSystem
import SignalboxWords

/// Notes of the items that threads began last. Several threads may mix their notes, which are only shown.
package enum LastItems {
  /// One note: words of the item, and when it began.
  package struct Note: Sendable {
    package var kind, function, inner, since: UInt64

    package init(kind: UInt64, function: UInt64, inner: UInt64, since: UInt64) {
      (self.kind, self.function, self.inner, self.since) = (kind, function, inner, since)
    }
  }

  // relaxed, all: notes that are read when their threads have stood still for a period of the stall detector.
  private struct Place: ~Copyable {
    let kind = Atomic64(0), function = Atomic64(0), inner = Atomic64(0), since = Atomic64(0)
  }
  /// So many that threads which run at once seldom write to one.
  private static let places = InlineArray<64, Place> { _ in Place() }

  /// The calling thread begins an item.
  package static func note(_ item: Note) {
    let index = Int(OwnerValue.slot(of: ThreadSlot.current.pointee.owner)) % places.count
    // relaxed, all: a note that is only shown
    places[index].kind.storeRelaxed(item.kind)
    places[index].function.storeRelaxed(item.function)
    places[index].inner.storeRelaxed(item.inner)
    places[index].since.storeRelaxed(item.since)
  }

  /// The latest of all; nil if there is none.
  package static var latest: Note? {
    var latest = Note(kind: 0, function: 0, inner: 0, since: 0)
    for index in places.indices where places[index].since.loadRelaxed() > latest.since {  // relaxed, all: as above
      // relaxed, all: as above
      let kind = places[index].kind.loadRelaxed(), function = places[index].function.loadRelaxed()
      let inner = places[index].inner.loadRelaxed(), since = places[index].since.loadRelaxed()  // relaxed: as above
      latest = Note(kind: kind, function: function, inner: inner, since: since)
    }
    return latest.since == 0 ? nil : latest
  }
}
