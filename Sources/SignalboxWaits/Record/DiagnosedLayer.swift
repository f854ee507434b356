// DiagnosedLayer.swift: what a layer above answers when the diagnosis asks: about words, names, frames, items, turns
// and nodes. Which layers have registered, and when, is Layers.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// A layer whose objects threads wait for, hold, or are inside of: the engine, operations, run loops. Locks have none.
///
/// Each layer conforms once and registers once (`Layers.register`). Every requirement has an answer for "not mine";
/// that of a layer which does not know the object is taken for granted.
///
/// Any thread may ask, several at once. No answer waits for anything that a stuck thread of the program might hold, and
/// none faults: what may be gone is read by `SafeMemory`.
package protocol DiagnosedLayer: Sendable {
  // MARK: the order of locks

  /// Whether turns of the queue at the address keep others out at all; a global queue's do not. nil if the layer has no
  /// queues.
  ///
  /// Asked by a thread that asks for a turn of it, so it exists; its target may be changed meanwhile, and go. The
  /// answer neither allocates nor takes a lock.
  func isOrdered(_ queue: UInt) -> Bool?
  /// What comes with a turn of the queue at the address; nil if the layer has no queues.
  ///
  /// Asked by a thread that has such a turn, so the queue exists, and its targets do: the answer neither allocates nor
  /// takes a lock.
  func turn(of queue: UInt) -> QueueTurn?

  /// The number of the item that the calling thread runs for the layer's pool, another for each item; nil if it runs
  /// none. It neither allocates nor takes a lock.
  func ownItem() -> UInt64?

  // MARK: reports

  // Asked of what a thread that stands still refers to or is inside of, or of what the calling thread has in hand: so
  // the objects are alive. The answers may allocate.

  /// What sentences call the object; nil if it is not the layer's.
  func name(_ kind: WaitKind, _ address: UInt) -> String?
  /// What `print` shows of the object; nil if it is not the layer's.
  func description(_ kind: WaitKind, _ address: UInt) -> String?
  /// What a thread with this frame is inside of, in words; nil if the frame is not the layer's.
  func name(of frame: FrameWord) -> String?
  /// The label of the queue at the address; nil if the layer has no queues, empty if the queue has none.
  func label(ofQueue queue: UInt) -> String?

  /// What recordings call the first two words of the event, which is emitted now; nil if that is not the layer's.
  func recordedTitles(_ kind: EventKind, _ object: UInt, _ second: UInt64) -> RecordedTitles?

  // The same of what may be gone, or something else by now: each answer is made of what is read by `SafeMemory`, or was
  // kept. They may allocate.

  /// See `name(_:_:)`.
  func copiedName(_ kind: WaitKind, _ address: UInt) -> String?
  /// See `description(_:_:)`.
  func copiedDescription(_ kind: WaitKind, _ address: UInt) -> String?
  /// See `name(of:)`.
  func copiedName(of frame: FrameWord) -> String?
  /// See `label(ofQueue:)`.
  func copiedLabel(ofQueue queue: UInt) -> String?

  // MARK: what runs

  /// Calls `body` with each of the layer's threads that runs an item, and a number that changes from one item of the
  /// thread to its next. Asked by the monitor.
  ///
  /// What was running before the caller's last sequentially consistent store is among them.
  func forEachItem(_ body: (_ thread: Int32, _ item: UInt64) -> Void)
  /// The item that the thread runs was seen: when it ends, its number changes, and then
  /// `ForeignCycleDetector.noticed()` follows.
  func awaitEnd(ofItemOn thread: Int32)
  /// What ran last, and when it began; nil if the layer runs nothing, or has noted nothing.
  func lastItem() -> (item: RunningItem, since: UInt64)?

  // MARK: the search for stalls

  // Asked by the one thread that scans, while the program runs. The answers may allocate.

  /// Adds the layer's nodes: each with a stamp that has changed if it has moved since an earlier scan.
  func addNodes(to snapshot: inout WaitSnapshot)
  /// Whether the object of a wait holds already what is waited for: the thread is about to wake.
  func hasAnswer(_ kind: WaitKind, _ object: UInt) -> Bool
  /// Whether the queue at `address`, whose word stops it, was never activated.
  func isInactive(_ queue: UInt) -> Bool
  /// What a report calls the layer's node at `address`; nil if it is not the layer's.
  func title(of address: UInt) -> String?
  /// Why what is waited for at `address` does not come, as the last scan found it; nil if it is not the layer's.
  /// `isStuck` tells which of the layer's nodes cannot move.
  func reason(at address: UInt, _ isStuck: (UInt) -> Bool) -> String?
  /// What is armed or monitored, and might cause code to run.
  func armed() -> [String]
  /// Which code might change what the layer's changeable nodes need; nil if it has none.
  var whoChanges: String? { get }
  /// What lies in the queue at `address` if it is stopped and something does; members of `groups` are counted apart.
  /// The queue stays while it is asked for.
  func stopped(_ queue: UInt, groups: Set<UInt>) -> StoppedQueue?
  /// The scan is over: what was kept alive for it goes. False if something of the program's may be freed by that, and
  /// so might have acted sooner without the scan: then what was seen says nothing.
  func endScan() -> Bool

  // MARK: inspection

  // Asked by the one thread that samples what the process does, while the program runs: no answer waits for a lock for
  // longer than a moment. The answers may allocate.

  /// The program may be inspected from now on.
  func inspectionBegins()
  /// Calls `note` with each queue that has pending items, by an object that names it and may be kept: how many items
  /// were taken off since it was made, then how many are pending. Asked once a second by the thread that samples.
  func sample(_ note: (_ queue: AnyObject, _ taken: UInt64, _ pending: UInt64) -> Void)
}

/// What recordings call things that no thread waits for.
package struct RecordedTitles: Sendable {
  /// Of the event's object, and of its second word; empty if that names nothing.
  package var object, second: String

  /// Such names.
  package init(object: String, second: String = "") { (self.object, self.second) = (object, second) }
}

/// What lock order must know of a queue.
package struct QueueTurn: Sendable, Equatable {
  /// Whether a turn of it, taken as a target's, is one of several.
  package var isShared: Bool
  /// The queue whose turn comes with this one's; 0 for none.
  package var target: UInt

  /// A turn.
  package init(isShared: Bool, target: UInt) { (self.isShared, self.target) = (isShared, target) }
}

// "Not mine", and nothing to tell.
extension DiagnosedLayer {
  package func isOrdered(_ queue: UInt) -> Bool? { nil }
  package func turn(of queue: UInt) -> QueueTurn? { nil }
  package func ownItem() -> UInt64? { nil }
  package func name(_ kind: WaitKind, _ address: UInt) -> String? { nil }
  package func description(_ kind: WaitKind, _ address: UInt) -> String? { nil }
  package func name(of frame: FrameWord) -> String? { nil }
  package func label(ofQueue queue: UInt) -> String? { nil }
  package func recordedTitles(_ kind: EventKind, _ object: UInt, _ second: UInt64) -> RecordedTitles? { nil }
  package func copiedName(_ kind: WaitKind, _ address: UInt) -> String? { nil }
  package func copiedDescription(_ kind: WaitKind, _ address: UInt) -> String? { nil }
  package func copiedName(of frame: FrameWord) -> String? { nil }
  package func copiedLabel(ofQueue queue: UInt) -> String? { nil }
  package func forEachItem(_ body: (_ thread: Int32, _ item: UInt64) -> Void) {}
  package func awaitEnd(ofItemOn thread: Int32) {}
  package func lastItem() -> (item: RunningItem, since: UInt64)? { nil }
  package func addNodes(to snapshot: inout WaitSnapshot) {}
  package func hasAnswer(_ kind: WaitKind, _ object: UInt) -> Bool { false }
  package func isInactive(_ queue: UInt) -> Bool { false }
  package func title(of address: UInt) -> String? { nil }
  package func reason(at address: UInt, _ isStuck: (UInt) -> Bool) -> String? { nil }
  package func armed() -> [String] { [] }
  package var whoChanges: String? { nil }
  package func stopped(_ queue: UInt, groups: Set<UInt>) -> StoppedQueue? { nil }
  package func endScan() -> Bool { true }
  package func inspectionBegins() {}
  package func sample(_ note: (_ queue: AnyObject, _ taken: UInt64, _ pending: UInt64) -> Void) {}
}

// MARK: a queue that starts nothing, with what lies in it: a value for reports

// Where it was stopped is StopNotes.swift.

/// A queue that starts nothing, as a report describes it.
package struct StoppedQueue: Sendable {
  /// What it is called.
  package var title: String
  /// Never activated; else suspended.
  package var isInactive: Bool
  /// How many items lie in it, also in queues that run on it.
  package var count: Int
  /// The first of them.
  package var items: [RunningItem]
  /// Of the groups that were asked for: how many of the items are members of each.
  package var members: [UInt: Int]

  /// A queue with these items.
  package init(title: String, isInactive: Bool, count: Int, items: [RunningItem], members: [UInt: Int]) {
    (self.title, self.isInactive, self.count, self.items, self.members) = (title, isInactive, count, items, members)
  }
}
