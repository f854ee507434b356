// PendingUrgency.swift: whether a more urgent item lies in a queue behind less urgent ones, for those who inspect the
// process. That nothing was taken off meanwhile the caller sees to.
import SignalboxWords

/// The most urgent item of a queue, and how many less urgent ones lie before it.
package struct PendingUrgency: Equatable, Sendable {
  package let given: GivenClass
  package let behind: Int

  /// No more items are read.
  private static var most: Int { 64 }

  /// nil: nothing lies behind something less urgent, or it is not known.
  package init?(inQueue queue: UInt64, of queueClass: GivenClass, by reader: ItemReader) {
    // A queue that has a class gives it to its items.
    guard queueClass == .unspecified || queueClass == .standard, let slots = ListSlots(ofQueue: queue, in: reader.memory)
    else { return nil }
    self.init(slots.prefix(Self.most).map { reader.givenClass($0) })
  }

  /// The same of items of these classes, in their order; one without a class counts as of the default one.
  package init?(_ classes: [GivenClass]) {
    let given = classes.map { $0 == .unspecified ? GivenClass.standard : $0 }
    guard let most = given.max(by: { $0.rawValue < $1.rawValue }), let place = given.firstIndex(of: most), place > 0 else {
      return nil
    }
    (self.given, behind) = (most, place)
  }
}
