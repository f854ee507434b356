// QueueOrder.swift: what lock order must know of queues, asked of the layer that has them.
import SignalboxSystem

/// The questions, and the one who answers.
package enum QueueOrder {
  /// Questions about the queue at an address, which a thread is inside of or asks for: it exists.
  package final class Questions: Sendable {
    let isOrdered: @convention(c) (UInt) -> Bool
    let target: @convention(c) (UInt) -> UInt
    let isShared: @convention(c) (UInt) -> Bool
    let label: @Sendable (UInt) -> String

    /// The answers: none may wait for anything, and only `label` may allocate.
    ///
    /// - Parameters:
    ///   - isOrdered: whether turns of it keep others out at all; a global queue's do not.
    ///   - target: the queue whose turn comes with this one's, 0 for none.
    ///   - isShared: whether a target's turn is one of several.
    ///   - label: what people call it.
    package init(
      isOrdered: @escaping @convention(c) (UInt) -> Bool, target: @escaping @convention(c) (UInt) -> UInt,
      isShared: @escaping @convention(c) (UInt) -> Bool, label: @escaping @Sendable (UInt) -> String
    ) {
      self.isOrdered = isOrdered
      self.target = target
      self.isShared = isShared
      self.label = label
    }
  }

  // Unmanaged `Questions`, +1 for ever; 0: not yet.
  private static let bits = Atomic64(0)

  /// Lets `questions` answer for the life of the process.
  package static func install(_ questions: Questions) {
    // release Q1: pairs with Q2; who finds the object finds it whole.
    bits.storeRelease(UInt64(UInt(bitPattern: Unmanaged.passRetained(questions).toOpaque())))
  }

  private static func ask<R>(_ question: (Questions) -> R) -> R? {
    guard let raw = UnsafeRawPointer(bitPattern: UInt(bits.loadAcquire())) else { return nil }  // acquire Q2
    return Unmanaged<Questions>.fromOpaque(raw)._withUnsafeGuaranteedRef { question($0) }
  }

  static func isOrdered(_ queue: UInt) -> Bool { ask { $0.isOrdered(queue) } ?? true }
  static func target(_ queue: UInt) -> UInt { ask { $0.target(queue) } ?? 0 }
  static func targetMode(_ queue: UInt) -> LockMode { ask { $0.isShared(queue) } == true ? .shared : .exclusive }
  static func label(_ queue: UInt) -> String? { ask { $0.label(queue) } }
}
