// SyncWaiter.swift: the record of a thread that sleeps until a queue's owner lets it run, or until an item of its has run.
//
//   word: 0 awake   1 asleep   2 granted   3 to try again
// The record lies on the sleeper's stack. Whoever answers swaps in 2 or 3 and touches the record no more; the wake that may follow
// uses the address only as a name.
import SignalboxDiagnosis
import SignalboxSystem

struct AnswerWord: ~Copyable {
  let word = Atomic32(0)

  enum Answer: UInt32 { case granted = 2, again = 3 }

  /// Sleeps until answered by whoever has the turn of `queue`; spins a little first.
  @discardableResult
  borrowing func wait(for queue: DispatchQueue, _ kind: WaitKind) -> Answer {
    touch()
    // relaxed: the load behind it reads the same answer. acquire W1: pairs with W2: what the answering thread did is visible.
    if AdaptiveSpin.wait({ word.loadRelaxed() != 0 }), let answer = Answer(rawValue: word.loadAcquire()) { return answer }
    return sleep { QueueWaits.begin(kind, queue, park: $0) }
  }

  /// Sleeps until answered. `begin` leaves the record of the wait: it is given the word slept on and what stands there meanwhile.
  @discardableResult
  borrowing func sleep(_ begin: ((word: UInt, value: UInt32)) -> Void) -> Answer {
    touch()
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
    touch()
    while true {
      if let answer = Answer(rawValue: word.loadAcquire()) { return answer }  // acquire W1
      if word.casRelaxed(0, 1).original <= 1 { word.park(expected: 1) }  // relaxed: as in sleep; the answer is read by W1
    }
  }

  private borrowing func touch() {
    if _slowPath(!Instruments.areOff) { ExplorerLink.touch(word: word.address) }
  }

  /// Answers. SAFETY: the record may be gone right after the swap.
  static func answer(_ word: UnsafePointer<Atomic32>, _ answer: Answer = .granted) {
    if _slowPath(!Instruments.areOff) { ExplorerLink.touch(word: UInt(bitPattern: word)) }
    // release W2: publishes the ownership or the item's effects; pairs with W1.
    if word.pointee.exchangeAcqRel(answer.rawValue) == 1 { Parking.wake(word) }
  }
}

/// A thread that will run by itself once it owns the queue.
struct SyncWaiter: ~Copyable {
  let answer = AnswerWord()
  private let slot: PublishedWord
  /// Whether it must run alone.
  let isAlone: Bool
  /// The next of those who are to try again, by its address; 0: none. relaxed: whoever has taken them off a list writes and reads it
  let next = Relaxed64(0)
  init(owner: UInt64, isAlone: Bool) {
    slot = PublishedWord(owner)
    self.isAlone = isAlone
  }

  /// Its slot, as it will stand in the queue's word.
  @inline(__always) var owner: UInt64 { slot.read() }

  /// The record lies where others will find it: called before it is published.
  @inline(__always) borrowing func lies() { slot.lies() }

  static func at(_ second: UInt64) -> UnsafePointer<SyncWaiter> {
    // SAFETY: the second word of a waiter's slot is the address of its record, alive until it is answered.
    UnsafeRawPointer.at(UInt(second)).assumingMemoryBound(to: SyncWaiter.self)
  }
  /// The queue is the waiter's now.
  static func grant(_ waiter: UnsafePointer<SyncWaiter>, _ queue: DispatchQueue) {
    if _slowPath(!Instruments.areOff) { RecordedItem.handed(queue, to: waiter.pointee.owner) }
    withUnsafePointer(to: waiter.pointee.answer.word) { AnswerWord.answer($0, .granted) }
  }
  /// The waiter is to try by itself.
  static func sendAgain(_ waiter: UnsafePointer<SyncWaiter>) {
    withUnsafePointer(to: waiter.pointee.answer.word) { AnswerWord.answer($0, .again) }
  }

  /// Tells all of a chain to try again.
  static func sendToGate(_ first: UInt64) {
    var bits = first
    while bits != 0 {
      let waiter = at(bits)
      bits = waiter.pointee.next.load()  // before the answer, after which the record may be gone
      sendAgain(waiter)
    }
  }
}

/// A thread that waits until an item of its has been run by somebody else.
struct CompletionWaiter: ~Copyable {
  let answer = AnswerWord()
  static func complete(_ waiter: UnsafePointer<CompletionWaiter>) {
    withUnsafePointer(to: waiter.pointee.answer.word) { AnswerWord.answer($0) }
  }
}
