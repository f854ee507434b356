// RecordedOperation.swift: what the recorder hears of an operation's life: given to a queue, ready, started, left by its thread, cancelled, finished.
// Called where somebody records. What runs it is an item, of which the engine tells.
import Foundation
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxObservers
import SignalboxRecorder
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum RecordedOperation {
  /// It is about to be linked into the queue. Both are the caller's.
  @inline(never)
  static func added(_ operation: Operation, to queue: OperationQueue, isReady: Bool) {
    guard RecordHooks.isOn else { return }
    let traits = nameBoth(operation, queue) | (isReady ? OperationTraits.isReady : 0)
    RecordHooks.write(.operationAdded, address(operation), address(queue) | traits, label(operation))
  }

  /// It waits for no other any more; `dependency` was the last of those. May be called with a lock held: it takes none.
  @inline(never)
  static func ready(_ operation: Operation, after dependency: Operation?) {
    RecordHooks.write(.operationReady, address(operation), dependency.map(address) ?? 0)
  }

  /// Runs what the calling thread does for the operation. `queue`: the one that starts it; nil: it is started by hand.
  @inline(never)
  static func run(_ operation: Operation, of queue: OperationQueue?, _ body: () -> Void) {
    let traits = nameBoth(operation, queue)
    RecordHooks.write(.operationBegan, address(operation), (queue.map(address) ?? 0) | traits, label(operation))
    body()
    RecordHooks.write(.operationReturned, address(operation))
  }

  @inline(never)
  static func cancelled(_ operation: Operation) {
    if RecordHooks.isOn { RecordHooks.write(.operationCancelled, address(operation)) }
  }

  /// It has finished, and nothing that follows from that has happened.
  @inline(never)
  static func finished(_ operation: Operation) {
    guard RecordHooks.isOn else { return }
    RecordHooks.write(
      .operationFinished, address(operation), operation.state.isCancelled ? OperationTraits.isCancelled : 0)
  }

  private static func address(_ object: NSObject) -> UInt64 {
    UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
  }

  /// What the recording has to know of names, as bits of the event. An operation without a name of its own is called by its label: there may be
  /// millions of such.
  private static func nameBoth(_ operation: Operation, _ queue: OperationQueue?) -> UInt64 {
    if let queue { RecordedNames.name(.operationQueue, UInt(address(queue))) }
    let isNamed = operation.ifExtras { $0.name } != nil
    if isNamed { RecordedNames.name(.operation, UInt(address(operation))) }
    return (isNamed ? OperationTraits.isNamed : 0) | (operation.state.isBarrier ? OperationTraits.isBarrier : 0)
  }

  /// The function of its block, or else its class.
  private static func label(_ operation: Operation) -> UInt64 {
    if type(of: operation) == BlockOperation.self, let function = (operation as? BlockOperation)?.firstFunction {
      return function
    }
    let type = type(of: operation)
    // SAFETY: a class is identified by the address of its description, which stays.
    let place = UInt64(unsafeBitCast(type, to: UInt.self))
    RecordHooks.name(.type, place) { "\(type)" }
    return place
  }
}
