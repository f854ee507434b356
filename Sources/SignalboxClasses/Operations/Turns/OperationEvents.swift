// OperationEvents.swift: what operations and their queues emit: before they do something, and of an operation's life.
// That is: given to a queue, ready, started, left by its thread, cancelled, finished. Each is called where the event is
// wanted. What runs an operation is an item, of which the engine tells.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

// MARK: before something is done

/// `object` is about to be used. Off: one read of a byte.
@inline(__always) func passPoint(_ kind: EventKind, _ object: NSObject) {
  Events.emit(kind, UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}

// MARK: an operation's life

enum OperationEvents {
  /// It is about to be linked into the queue. Both are the caller's.
  @inline(never)
  static func added(_ operation: Operation, to queue: OperationQueue, isReady: Bool) {
    let traits = traits(operation) | (isReady ? OperationTraits.isReady : 0)
    Events.tell(.operationAdded, address(operation), UInt64(address(queue)) | traits, label(operation))
  }

  /// It waits for no other any more; `dependency` was the last of those. May be called with a lock held: it takes none.
  @inline(never)
  static func ready(_ operation: Operation, after dependency: Operation?) {
    Events.tell(.operationReady, address(operation), dependency.map { UInt64(address($0)) } ?? 0, 0)
  }

  /// Runs what the calling thread does for the operation. `queue`: the one that starts it; nil: it is started by hand.
  @inline(never)
  static func run(_ operation: Operation, of queue: OperationQueue?, _ body: () -> Void) {
    let place = queue.map { UInt64(address($0)) } ?? 0
    Events.tell(.operationBegan, address(operation), place | traits(operation), label(operation))
    body()
    Events.emit(.operationReturned, address(operation))
  }

  /// It has finished, and nothing that follows from that has happened.
  @inline(never)
  static func finished(_ operation: Operation) {
    Events.tell(.operationFinished, address(operation), operation.state.isCancelled ? OperationTraits.isCancelled : 0, 0)
  }

  static func address(_ object: NSObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }

  private static func traits(_ operation: Operation) -> UInt64 {
    let isNamed = operation.ifExtras { $0.name } != nil
    return (isNamed ? OperationTraits.isNamed : 0) | (operation.state.isBarrier ? OperationTraits.isBarrier : 0)
  }

  /// The function of its block, or else its class.
  private static func label(_ operation: Operation) -> UInt64 {
    if type(of: operation) == BlockOperation.self, let function = (operation as? BlockOperation)?.firstFunction {
      return function
    }
    // SAFETY: a class is identified by the address of its description, which stays.
    return UInt64(unsafeBitCast(type(of: operation) as AnyClass, to: UInt.self)) | OperationTraits.isClass
  }
}
