// SyncWaiter.swift: the record of a thread that sleeps until a queue's owner lets it run. It lies on the sleeper's stack: whoever answers touches
// it no more. The word that is answered is AnswerWord.swift (Items/).
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension AnswerWord {
  /// Sleeps until answered by whoever has the turn of `queue`; spins a little first.
  @discardableResult
  borrowing func wait(for queue: DispatchQueue, _ kind: WaitKind) -> Answer {
    isTouched()
    // relaxed: the load behind it reads the same answer. acquire W1: pairs with W2 (AnswerWord.swift): what the answerer did is seen.
    if AdaptiveSpin.wait({ word.loadRelaxed() != 0 }), let answer = Answer(rawValue: word.loadAcquire()) { return answer }
    return sleep { QueueWaits.begin(kind, queue, park: $0) }
  }
}

/// A thread that will run by itself once it owns the queue.
struct SyncWaiter: ~Copyable {
  let answer = AnswerWord()
  private let slot: PublishedWord
  /// Whether it must run alone.
  let isAlone: Bool
  /// Whether it waits for the very queue that its work is for, and not for a target of that.
  let mayLend: Bool
  /// The next of those who are to try again, by its address; 0: none. Or the place that the thread is to fill (LentPlace). relaxed: the thread that has
  /// taken them off a list writes and reads it; the answer orders what the thread reads
  let next = Relaxed64(0)
  init(owner: UInt64, isAlone: Bool, mayLend: Bool = false) {
    slot = PublishedWord(owner)
    (self.isAlone, self.mayLend) = (isAlone, mayLend)
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
  @inline(__always) static func grant(_ waiter: UnsafePointer<SyncWaiter>, _ queue: DispatchQueue) {
    if Events.areWanted(.turnHanded) { Events.tell(.turnHanded, queue.address, waiter.pointee.owner, 0) }
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
