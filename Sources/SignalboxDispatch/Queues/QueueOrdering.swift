// QueueOrdering.swift: what the lock instruments hear of queues: turns that are asked for, and answers about queues by address.
//
// While a thread has a turn its frames say so (ThreadFrame.swift), whether or not anything was switched on when it got it, and they lie
// in the stack where it took the turn. So neither getting nor giving back a turn tells the instruments anything.
import SignalboxDiagnosis
import SignalboxSystem

enum QueueOrdering {
  /// Lets lock order ask about queues; before the first item runs, and before the first turn that is told of.
  static func install() { _ = installed }

  private static let installed: Void = QueueOrder.install(
    QueueOrder.Questions(
      isOrdered: { queue($0).use { $0.kind != .global } },
      target: { target(of: $0) },
      isShared: { queue($0).use { $0.kind == .concurrent } },
      label: { queue($0).use { $0.name } }))

  // SAFETY: asked only of queues that the calling thread is inside of or asks for, and of their targets: all are alive.
  private static func queue(_ address: UInt) -> Lent<DispatchQueue> {
    Lent(at: UInt64(address))
  }

  private static func target(of address: UInt) -> UInt {
    queue(address).use { queue -> UInt in
      guard let reference = queue.targetReference, reference.use({ $0.kind != .global }) else { return 0 }
      return UInt(reference.address)
    }
  }
}

extension DispatchQueue {
  /// A thread asks for a turn, and instruments are on.
  @inline(never)
  final func turnIsAsked(alone: Bool) {
    InstrumentHooks.pass(.sync, object: address)
    guard kind != .global else { return }
    QueueOrdering.install()
    LockHooks.beginTurn(turnKind(alone: alone), address, alone ? .alone : .shared)
    // No turn is held yet that would keep the targets.
    let _: Void? = firstInChain { queue in
      if queue !== self, queue.kind != .global {
        LockHooks.beginTurn(.sync, queue.address, queue.kind == .concurrent ? .shared : .alone)
      }
      return nil
    }
  }

  private final func turnKind(alone: Bool) -> WaitKind { alone && kind == .concurrent ? .barrierSync : .sync }
}
