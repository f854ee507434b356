// RaiseWord.swift: who asks that a queue be served as more urgent than it is, as a word of its extras. What stands in it is QueueRaise.swift
// (States/), what follows from it DispatchQueue+Raise.swift.
import SignalboxSystem
import SignalboxWords

struct RaiseWord: ~Copyable, Sendable {
  private let word = AtomicState(QueueRaise(rawValue: 0))

  // seq_cst: in one order with the swaps of the queue's state: who asks writes this and then reads that, who enqueues the queue the other
  // way round.
  var now: QueueRaise { word.loadSeqCst() }
  /// One more asks for the class. True: until then no thread has asked for that or a more urgent one.
  func begin(_ serviceClass: ServiceClass) -> Bool {
    word.tryUpdateSeqCst { old in
      old.afterBegin(serviceClass).map { ($0, serviceClass.isMoreUrgent(than: old.mostUrgent)) }
    } ?? false
  }
  func end(_ serviceClass: ServiceClass) { _ = word.tryUpdateSeqCst { old in old.afterEnd(serviceClass).map { ($0, ()) } } }
  func note() { _ = word.tryUpdateSeqCst { old in (old.afterNote(), ()) } }
}
