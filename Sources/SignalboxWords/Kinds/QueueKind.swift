// QueueKind.swift: the kinds of queue, as a queue has its own in one byte. Alone: a kind is added here first.
// What the engine asks of them is SignalboxDispatch's.

/// What kind of queue it is; never changes.
@frozen @usableFromInline
package enum QueueKind: UInt8, CaseIterable, Sendable {
  case serial, concurrent, global, main
  /// Bound to the thread that performs its items (RunLoopQueue).
  case runLoop

  /// How the word of a queue of this kind says which thread could end a wait for it.
  @inlinable package var reading: OwnerReading {
    switch self {
    case .serial, .main, .runLoop: .serialQueue
    case .concurrent: .concurrentQueue
    case .global: .pool
    }
  }
}
