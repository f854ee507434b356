// OwnerTrail.swift: the way from one wait to whoever could end it: word by word, each read when the trail comes to it. How a word
// is read is OwnerReading.swift; from thread to thread goes WaitGraph.swift.
import SignalboxSystem

/// One wait's words in turn: those of its record, and behind each object that waits itself what that one waits for *now*.
///
/// Only the first word's object is known to be alive, and only if the caller itself waits for it: `keepsFirst`. Whatever else
/// lies on the way may be gone, or have become something else; it is read by way of the kernel, and looked up anew in each
/// reading.
struct OwnerTrail {
  /// Longer trails are not followed.
  static let limit = 16

  private let words: OwnerWords
  private let keepsFirst: Bool
  private var place = 0
  /// The word that the trail has come to.
  private(set) var word: OwnerWord
  /// How many words lie behind it.
  private(set) var hops = 0
  /// The same for trails that have come the same way.
  private(set) var mark: UInt64

  /// nil: the wait names nobody.
  init?(_ words: OwnerWords, keepsFirst: Bool = false) {
    guard words.count > 0 else { return nil }
    (self.words, self.keepsFirst, word, mark) = (words, keepsFirst, words[0], words[0].bits)
  }

  /// What the word here says.
  func read() -> OwnerAnswer { OwnerReader.read(word, isAlive: keepsFirst && hops == 0) }

  /// Goes on to what the object waits for, by its `answer`, or to the record's next word. False: this was the last.
  mutating func goOn(_ answer: OwnerAnswer) -> Bool {
    guard hops < Self.limit else { return false }
    if let next = answer.next {
      word = next
    } else {
      guard place + 1 < words.count else { return false }
      place += 1
      word = words[place]
    }
    hops += 1
    mark = (mark &* 0x9E37_79B9_7F4A_7C15) ^ word.bits
    return true
  }

  /// Goes on to word number `hops`, as long as nobody holds what lies on the way. False: the way is another one now.
  mutating func goOn(to hops: Int) -> Bool {
    while self.hops < hops {
      let answer = read()
      guard answer.owner == 0, answer.followsNext, goOn(answer) else { return false }
    }
    return true
  }
}

extension Record {
  /// The words of the wait.
  var ownerWords: OwnerWords {
    var words = OwnerWords()
    for index in 0..<wordCount { words.append(OwnerWord(bits: self[.words, index])) }
    return words
  }
}
