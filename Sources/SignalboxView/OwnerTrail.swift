// OwnerTrail.swift: the way from one wait to the thread that could end it: word by word, each read when the trail comes
// to it. How a word is read is OwnerReader.swift; from thread to thread goes WaitGraph.swift (SignalboxWaits).
import SignalboxWords

/// One wait's words in turn: those of its record, and behind each object that waits itself what that one waits for *now*.
///
/// Only the first word's object is known to be alive, and only if the caller itself waits for it: `keepsFirst`. Whatever else
/// lies on the way may be gone, or have become something else; it is read by way of the kernel, and found anew in each
/// reading.
package struct OwnerTrail {
  /// Longer trails are not followed.
  package static let limit = 16

  /// A way along words: how many lie behind, and what is the same for trails that have come the same way.
  package struct Way: Equatable {
    package var hops = 0
    package var mark: UInt64 = 0
    package init(hops: Int = 0, mark: UInt64 = 0) { (self.hops, self.mark) = (hops, mark) }
  }

  /// Where a trail ends.
  package enum End {
    /// At a word that names the waiter itself: mostly it was granted what it waits for, and is about to wake.
    case waiter
    /// At a word that names this thread.
    case owner(UInt64)
    /// At a word whose object lets no thread in until all that are inside have come out.
    case holders
    /// At a word that leads to no thread for certain; if it says that it leads on, nothing is known of where to.
    case nobody(OwnerAnswer)
    /// Before a word that stands for no object and no thread that is known (`OwnerReading.isPlace`).
    case place
  }
  /// Whether a place counts as what its word says, or is where the trail ends.
  package enum Places { case read, endThere }

  private let reader: OwnerReader
  private let words: OwnerWords
  private let keepsFirst: Bool
  private var place = 0
  /// The word that the trail has come to.
  package private(set) var word: OwnerWord
  /// The way to it.
  package private(set) var way: Way

  /// A trail along these words. It is no optional: to end one of those at run time the runtime makes its type first,
  /// under a lock of its own, in the midst of a walk before a sleep.
  package init(_ words: OwnerWords, in memory: ReadMemory = .own, keepsFirst: Bool = false) {
    reader = OwnerReader(memory)
    let first = words.count > 0 ? words[0] : OwnerWord(bits: 0)
    (self.words, self.keepsFirst, word, way) = (words, keepsFirst, first, Way(mark: first.bits))
  }

  /// The wait names no word: it leads nowhere.
  package var isEmpty: Bool { words.count == 0 }

  /// What the word here says.
  package func read() -> OwnerAnswer { reader.read(word, isKept: keepsFirst && way.hops == 0) }

  /// Follows the trail for the thread `waiter` to where it ends.
  package mutating func follow(for waiter: UInt64, places: Places = .read) -> End {
    while true {
      if places == .endThere, word.reading.isPlace { return .place }
      let answer = read()
      if answer.owner == waiter { return .waiter }
      if answer.owner != 0 { return .owner(answer.owner) }
      if answer.blockedByHolders { return .holders }
      guard answer.followsNext, goOn(answer) else { return .nobody(answer) }
    }
  }

  /// Goes on to what the object waits for, by its `answer`, or to the record's next word. False: this was the last.
  package mutating func goOn(_ answer: OwnerAnswer) -> Bool {
    guard way.hops < Self.limit else { return false }
    if let next = answer.next {
      word = next
    } else {
      guard place + 1 < words.count else { return false }
      place += 1
      word = words[place]
    }
    way = Way(hops: way.hops + 1, mark: (way.mark &* 0x9E37_79B9_7F4A_7C15) ^ word.bits)
    return true
  }

  /// The second reading: goes on to the word that an earlier one has come to. False: the way is another one now.
  package mutating func goOn(along way: Way) -> Bool { !isEmpty && goOn(to: way.hops) && self.way == way }

  /// Goes on to word number `hops`, as long as no thread holds what lies on the way. False: the way is another one now.
  package mutating func goOn(to hops: Int) -> Bool {
    while way.hops < hops {
      let answer = read()
      guard answer.owner == 0, answer.followsNext, goOn(answer) else { return false }
    }
    return true
  }
}

extension OwnerReading {
  /// Whether the word stands for a place where something lies, or for any thread: the main thread, the pool, a thread
  /// that signals.
  fileprivate var isPlace: Bool { self == .mainThread || self == .pool || self == .anyone || self == .number }
}
