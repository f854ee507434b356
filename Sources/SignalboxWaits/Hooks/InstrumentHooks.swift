// InstrumentHooks.swift: what runs behind the instruments byte for each engine primitive: counts (bit 0), and notes for
// the stall detector. Hooks of locks are LockHooks.swift.
public import SignalboxSystem

/// The primitives that check the instruments byte.
public enum EnginePrimitive: Int, CaseIterable, Sendable {
  case async, sync, syncEnd, drainItem, groupEnter, groupLeave, groupWait, semaphoreWait, semaphoreSignal
  case workItemPerform, perform, after, once
  case suspend, resume, notify, workItemWait, workItemCancel, sourceCancel, sourceMerge, timerSchedule
  case activate, setTarget, setSpecific, sourceHandler
  case ioRead, ioWrite, ioBarrier, ioClose, ioSet
  // The explorer's numbers 32 and 33 are locks (LockHooks).
  case operationStart = 48, operationCancel, operationWait, operationDependency, operationSet
  case operationAdd, operationBarrier, operationCancelAll, operationQueueWait, operationQueueSet
}

/// The hooks behind the instruments byte. They run out of line, around the same function that the fast path runs.
public enum InstrumentHooks {
  /// Bit 0: counts primitives.
  public static let statistics: UInt8 = 0x01

  private static let counts = InlineArray<64, Atomic64> { _ in Atomic64(0) }

  /// Called on the cold path of each primitive. Stops the program in the child of a fork. A recording, or figures,
  /// alone pass by.
  ///
  /// `members`: the number of members that leave the group at once.
  @inlinable @inline(__always)
  public static func pass(_ primitive: EnginePrimitive, object: UInt, members: UInt64 = 1) {
    if _slowPath(!Instruments.areAtMostRecording) { passSlow(primitive, object, members) }
  }

  @inline(never) @usableFromInline
  static func passSlow(_ primitive: EnginePrimitive, _ object: UInt, _ members: UInt64) {
    let byte = Instruments.byte
    if Instruments.isForkedChild {
      Misuse.stop(
        "a queue, group or semaphore is used in the child of a fork, where the worker threads do not exist: "
          + "call exec in the child, or fork before the first use")
    }
    if byte & statistics != 0 { _ = counts[primitive.rawValue].addRelaxed(1) }  // relaxed: statistics, read alone
    if byte & Instruments.explorer != 0 { ExplorerLink.pass(primitive.rawValue, object: object, count: members) }
    guard byte & Instruments.stallDetector != 0 else { return }
    Diagnosis.above?.stallDetectorIsNeeded()
    if primitive == .groupEnter { CallSite.here { EnterNotes.entered(object, $0) } }
    if primitive == .groupLeave { EnterNotes.left(object, members) }
  }

  /// The same for a primitive that is nothing wrong in the child of a fork, and of no concern to the stall detector.
  @inline(never)
  public static func passAnywhere(_ primitive: EnginePrimitive, object: UInt) {
    let byte = Instruments.byte
    if Instruments.isForkedChild { return }
    if byte & statistics != 0 { _ = counts[primitive.rawValue].addRelaxed(1) }  // relaxed: as in pass()
    if byte & Instruments.explorer != 0 { ExplorerLink.pass(primitive.rawValue, object: object) }
  }

  // relaxed: statistics, nothing is read through the number
  /// The number of times that `primitive` ran while statistics were on.
  public static func count(of primitive: EnginePrimitive) -> UInt64 { counts[primitive.rawValue].loadRelaxed() }
}
