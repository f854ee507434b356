// ListAges.swift: which of the pool's lists have waited so long that they come first, whatever their class. Pure; the sampler's notes.
//
// Workers take from the most urgent class that has work, so a flood of urgent items would keep all others waiting forever. A list
// from which nothing was taken for `patience` is overdue. Until the sampler finds that something was, it comes first.
import SignalboxSystem

struct ListAges {
  /// How long a list waits before it comes first: 4 ms, in nanoseconds. It then does so for one period of the sampler, so what floods
  /// the pool loses a sixth of its time at most. A task that sleeps and answers another goes through the lists several times, and is
  /// to be back within 30 ms.
  static let patience: UInt64 = 4_000_000

  private struct Note {
    var head: UInt64 = 0
    /// Since when that is the head; 0: the list was empty.
    var since: UInt64 = 0
  }
  private var notes: [Note]

  init(_ lists: Int) { notes = Array(repeating: Note(), count: lists) }

  /// The sampler has found the list with that number empty.
  mutating func isEmpty(_ list: Int) { notes[list] = Note() }

  /// The sampler has found items on the list, and `head` as the place of the first. Whether the list is overdue.
  mutating func waits(_ list: Int, head: UInt64, now: UInt64) -> Bool {
    if notes[list].since == 0 || notes[list].head != head { notes[list] = Note(head: head, since: now) }
    return now &- notes[list].since >= Self.patience
  }
}
