// AnswerWord.swift: the word on which one thread sleeps until another answers it, once.
//
//   word: 0 awake   1 asleep   2 granted   3 to try again   4 to lend its work to the thread that answers (LentPlace.swift)
//   sleeper  W1 reads the answer; and so does who spins for it first (SyncWaiter.swift)   other  W2 swaps it in
// The word lies on the sleeper's stack. The thread that answers swaps in 2, 3 or 4 and touches it no more; the wake that may follow
// uses the address only as a name.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

struct AnswerWord: ~Copyable {
  let word = Atomic32(0)

  enum Answer: UInt32 { case granted = 2, again = 3, lend = 4 }

  /// Sleeps until answered. `begin` leaves the record of the wait: it is given the word slept on and what stands there meanwhile.
  @discardableResult
  borrowing func sleep(_ begin: ((word: UInt, value: UInt32)) -> Void) -> Answer {
    isTouched()
    _ = word.casRelaxed(0, 1)  // relaxed: asleep from now on; or answered already, which W1 finds
    if let answer = Answer(rawValue: word.loadAcquire()) { return answer }  // acquire W1
    withUnsafePointer(to: word) { begin((UInt(bitPattern: $0), 1)) }
    defer { WaitRecord.withdraw() }
    while true {
      if let answer = Answer(rawValue: word.loadAcquire()) { return answer }  // acquire W1
      word.park(expected: 1)
    }
  }

  /// Like `wait(for:_:)`, for a thread whose record stands already.
  @discardableResult
  borrowing func waitRecorded() -> Answer {
    isTouched()
    while true {
      if let answer = Answer(rawValue: word.loadAcquire()) { return answer }  // acquire W1
      if word.casRelaxed(0, 1).original <= 1 { word.park(expected: 1) }  // relaxed: as in sleep; the answer is read by W1
    }
  }

  borrowing func isTouched() { Events.emit(.wordTouched, word.address) }

  /// Answers. SAFETY: the record may be gone right after the swap.
  static func answer(_ word: UnsafePointer<Atomic32>, _ answer: Answer = .granted) {
    Events.emit(.wordTouched, UInt(bitPattern: word))
    // release W2: publishes the ownership or the item's effects; pairs with W1.
    if word.pointee.exchangeAcqRel(answer.rawValue) == 1 { Parking.wake(word) }
  }
}

/// A thread that waits until an item of its has been run by somebody else.
struct CompletionWaiter: ~Copyable {
  let answer = AnswerWord()
  static func complete(_ waiter: UnsafePointer<CompletionWaiter>) {
    withUnsafePointer(to: waiter.pointee.answer.word) { AnswerWord.answer($0) }
  }
}
