// TimelineLives.swift: operations and transfers, which live longer than what one thread does: put together from events of several.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

struct TimelineLives {
  private var operations: [ReadNumber: TimelineOperation] = [:]
  /// What operations that have finished were called, until another lies there: those that waited for them ask.
  private var finished: [ReadNumber: TimelineOperation.Name] = [:]
  private var transfers: [ReadNumber: TimelineTransfer] = [:]
  private var transferCount: UInt64 = 0

  /// Everything that has not ended, in the order in which it began.
  mutating func takeAll() -> ([TimelineOperation], [TimelineTransfer]) {
    defer { (operations, finished, transfers) = ([:], [:], [:]) }
    return (operations.values.sorted { $0.flow < $1.flow }, transfers.values.sorted { $0.number < $1.number })
  }

  // MARK: operations

  private mutating func known(_ address: ReadNumber, _ time: ReadNumber, _ flow: inout UInt64) -> TimelineOperation {
    if let known = operations[address] { return known }
    flow += 1
    return TimelineOperation(flow: flow, name: .init(address: address, label: 0, isNamed: false, time: time), queue: 0)
  }

  /// The operation as it is after an event of its life, which is not its end.
  mutating func operation(_ event: RecordingFile.Event, _ thread: Int, _ flow: inout UInt64) -> TimelineOperation {
    // Given to a queue it is a new one: another may have lain there, whose end is lost.
    if event.kind == .operationAdded { operations[event.a] = nil }
    var operation = known(event.a, event.time, &flow)
    switch event.kind {
    case .operationReady:
      operation.ready = event.time
      operation.heldBy = event.b == 0 ? nil : operations[event.b]?.name ?? finished[event.b]
    case .operationCancelled:
      operation.isCancelled = true
      operation.ready = operation.ready ?? event.time
    default:
      // One that was added may be started by hand.
      let queue = event.b & ~ReadNumber(OperationTraits.mask)
      if queue != 0 { operation.queue = queue }
      operation.isBarrier = event.b.bits & OperationTraits.isBarrier != 0
      let isNamed = event.b.bits & OperationTraits.isNamed != 0
      operation.name = .init(address: event.a, label: event.c, isNamed: isNamed, time: event.time)
      if event.kind == .operationAdded {
        operation.added = (event.time, thread)
        operation.ready = event.b.bits & OperationTraits.isReady != 0 ? event.time : nil
      } else {
        operation.began = (event.time, thread)
      }
    }
    operations[event.a] = operation
    return operation
  }

  /// The operation that has finished.
  mutating func finished(_ event: RecordingFile.Event, _ flow: inout UInt64) -> TimelineOperation {
    var operation = known(event.a, event.time, &flow)
    operation.isCancelled = event.b.bits & OperationTraits.isCancelled != 0
    operations[event.a] = nil
    finished[event.a] = operation.name
    return operation
  }

  // MARK: transfers

  mutating func beganTransfer(_ event: RecordingFile.Event) -> TimelineTransfer {
    transferCount += 1
    let transfer = TimelineTransfer(
      number: transferCount, descriptor: event.b.lowest(Int32.self), isWrite: event.b.bits & TransferTraits.isWrite != 0,
      isRandom: event.b.bits & TransferTraits.isRandom != 0, length: event.c.bits == EventCell.addressMask ? nil : event.c,
      began: event.time)
    transfers[event.a] = transfer
    return transfer
  }

  /// nil: it began before the recording.
  mutating func endedTransfer(_ event: RecordingFile.Event) -> TimelineTransfer? {
    guard var transfer = transfers.removeValue(forKey: event.a) else { return nil }
    (transfer.bytes, transfer.error) = (event.b, event.c.lowest(UInt16.self))
    let descriptor = (event.c >> 16).lowest(Int32.self)
    if descriptor >= 0 { transfer.descriptor = descriptor }
    return transfer
  }
}
