// OwnerTrail.swift: the way from one wait to whoever could end it: word by word, each read when the trail comes to it. How a word
// is read is OwnerReading.swift; from thread to thread goes WaitGraph.swift.
import SignalboxSystem

/// One wait's words in turn: those of its record, and behind each object that waits itself what that one waits for *now*.
///
/// Only the first word's object is known to be alive, and only if the caller itself waits for it: `keepsFirst`. Whatever else
/// lies on the way may be gone, or have become something else; it is read by way of the kernel, and found anew in each
/// reading.
struct OwnerTrail {
  /// Longer trails are not followed.
  static let limit = 16

  /// A way along words: how many lie behind, and what is the same for trails that have come the same way.
  struct Way: Equatable {
    var hops = 0
    var mark: UInt64 = 0
  }

  /// Where a trail ends.
  enum End {
    /// At a word that names the waiter itself: mostly it was granted what it waits for, and is about to wake.
    case waiter
    /// At a word that names this thread.
    case owner(UInt64)
    /// At a word whose object lets nobody in until all who are inside have come out.
    case holders
    /// At a word that leads to no thread for certain; if it says that it leads on, nothing is known of where to.
    case nobody(OwnerAnswer)
    /// Before a word that stands for no object and no thread that is known (`OwnerReading.isPlace`).
    case place
  }
  /// Whether a place counts as what its word says, or is where the trail ends.
  enum Places { case read, endThere }

  private let words: OwnerWords
  private let keepsFirst: Bool
  private var place = 0
  /// The word that the trail has come to.
  private(set) var word: OwnerWord
  /// The way to it.
  private(set) var way: Way

  /// nil: the wait names nobody.
  init?(_ words: OwnerWords, keepsFirst: Bool = false) {
    guard words.count > 0 else { return nil }
    (self.words, self.keepsFirst, word, way) = (words, keepsFirst, words[0], Way(mark: words[0].bits))
  }

  /// What the word here says.
  func read() -> OwnerAnswer { OwnerReader.read(word, isAlive: keepsFirst && way.hops == 0) }

  /// Follows the trail for the thread `waiter` to where it ends.
  mutating func follow(for waiter: UInt64, places: Places = .read) -> End {
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
  mutating func goOn(_ answer: OwnerAnswer) -> Bool {
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

  /// Goes on to word number `hops`, as long as nobody holds what lies on the way. False: the way is another one now.
  mutating func goOn(to hops: Int) -> Bool {
    while way.hops < hops {
      let answer = read()
      guard answer.owner == 0, answer.followsNext, goOn(answer) else { return false }
    }
    return true
  }
}

extension OwnerReading {
  /// Whether the word stands for a place where something lies, or for anybody: the main thread, the pool, whoever signals.
  fileprivate var isPlace: Bool { self == .mainThread || self == .pool || self == .anyone || self == .number }
}
