// PendingItems.swift: what is found of a queue's pending items: for how long the oldest has waited at least, and
// whether an urgent one lies behind others.
import SignalboxWords

// MARK: for how long the oldest has waited

// By what was counted of the queue now and then. Nothing is noted when an item is submitted. Pure; the process itself
// counts once a second (SignalboxDiagnosis/Inspection), or `signalbox top` at each of its tables.

/// How many items one queue had had at moments that are over, the earliest first.
///
/// If fewer have been taken off by now than had been submitted by then, one of those is pending still, whatever their
/// order: it has waited since then, or longer.
package struct PendingHistory: Equatable, Sendable {
  package struct Sample: Equatable, Sendable {
    /// Items that had been submitted, at least.
    package var submitted: UInt64
    package var at: UInt64

    package init(submitted: UInt64, at: UInt64) { (self.submitted, self.at) = (submitted, at) }
  }
  package private(set) var samples: [Sample] = []

  package init(_ samples: [Sample] = []) { self.samples = samples }

  /// Notes what was counted when it was `at`: `taken` items taken off so far, and `pending` in the queue.
  package mutating func note(taken: UInt64, pending: UInt64, at: UInt64) {
    let submitted = taken &+ pending
    // Counts that go back are another queue's.
    if let last = samples.last, last.submitted > submitted || last.at > at { samples = [] }
    samples.removeAll { $0.submitted <= taken }
    // Of the same number the earlier moment says more.
    if pending == 0 || samples.last?.submitted == submitted { return }
    if samples.count == SampleLayout.mostSamples { thin(at) }
    samples.append(Sample(submitted: submitted, at: at))
  }

  /// The one goes without which ages come out the least too low: so the moments lie the further apart the longer ago
  /// they are. An age is too low by a factor that grows slowly: 1.5 in a hundred samples, 3.4 in a day of them.
  private mutating func thin(_ now: UInt64) {
    func factor(_ index: Int) -> Double { Double(now &- samples[index - 1].at) / Double(max(1, now &- samples[index + 1].at)) }
    guard let least = (1..<samples.count - 1).min(by: { factor($0) < factor($1) }) else { return }
    samples.remove(at: least)
  }

  /// Since when the oldest pending item has waited at least, now that `taken` items were taken off; nil: it has come
  /// since.
  package func since(taken: UInt64) -> UInt64? { samples.first { $0.submitted > taken }?.at }
}

// MARK: whether a more urgent one lies behind

// For readers that inspect the process. That nothing was taken off meanwhile the caller sees to.

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
