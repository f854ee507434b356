// RaiseWord.swift: who asks that a queue be served as more urgent than it is, as a word of its extras. What stands in it is QueueRaise.swift
// (States/), what follows from it DispatchQueue+Raise.swift.
import SignalboxSystem
import SignalboxWords

struct RaiseWord: ~Copyable, Sendable {
  private let word = AtomicState(QueueRaise(rawValue: 0))

  // seq_cst: in one order with the swaps of the queue's state: who asks writes this and then reads that, who enqueues the queue the other
  // way round.
  var now: QueueRaise { word.loadSeqCst() }
  /// One more asks for the class at `place`. True: until then nobody has asked for that or a more urgent one.
  func begin(_ place: Int) -> Bool {
    word.tryUpdateSeqCst { old in old.afterBegin(place).map { ($0, old.place > place) } } ?? false
  }
  func end(_ place: Int) { _ = word.tryUpdateSeqCst { old in old.afterEnd(place).map { ($0, ()) } } }
  func note() { _ = word.tryUpdateSeqCst { old in (old.afterNote(), ()) } }
}
