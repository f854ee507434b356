// LastItem.swift: the words of what a thread has run last, noted while the stall detector is on. What they say is LastItem+Pass.swift
// (Queues/).
import SignalboxSystem

/// One thread's note.
struct LastItem: ~Copyable, Sendable {
  // relaxed: the notes of one thread, which are read when it has stood still for a period of the stall detector.
  private let kind = Atomic64(0)
  private let function = Atomic64(0)
  private let inner = Atomic64(0)
  private let since = Atomic64(0)

  /// An item begins.
  func note(kind: UInt64, function: UInt64, inner: UInt64) {
    // relaxed: as told at the words
    self.kind.storeRelaxed(kind)
    self.function.storeRelaxed(function)
    self.inner.storeRelaxed(inner)
    since.storeRelaxed(Clock.uptime())
  }

  var words: (kind: UInt64, function: UInt64, inner: UInt64, since: UInt64) {
    // relaxed: as told at the words
    (kind.loadRelaxed(), function.loadRelaxed(), inner.loadRelaxed(), since.loadRelaxed())
  }
}
