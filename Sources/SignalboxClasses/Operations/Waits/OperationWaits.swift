// OperationWaits.swift: threads that wait for an operation's end or an empty queue: how they sleep, and what they say
// of it. Waits for what the waiting thread runs itself can certainly not end. Cycles through operations that have not
// begun are StandingCycles.swift and OperationSnapshot.swift.
//
// No thread owns an operation that has not begun: `cancel()`, `removeDependency(_:)`, a higher maximum, `start()` by
// hand may each free it at any time. So a record names the operation alone, never what it depends on, and its word
// names a thread only while that one is in the base class's call of its `main()`: until that returns no thread can end
// it.
import Foundation
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum OperationWaits {
  // MARK: the record

  /// Leaves the record of a wait for `operation`; `end()` must follow.
  static func begin(for operation: Operation) {
    _ = isDescribed  // before a record leads a walk there, which may learn nothing then
    list(operation)
    let address = address(operation)
    Waiting.begin(.operation, object: address, isTimed: false, .init(OwnerWord(address, .operation)))
  }

  /// The same for a queue's emptiness: which thread could end that is not known to the record.
  static func begin(for queue: OperationQueue) {
    list(queue)
    let address = UInt(bitPattern: Unmanaged.passUnretained(queue).toOpaque())
    Waiting.begin(.operationQueue, object: address, isTimed: false, .init())
  }

  /// The calling thread's wait is over.
  static func end() {
    WaitRecord.withdraw()
    MainThreadHost.noteWait(isOver: true)
    lock.withLock { waits[ThreadSlot.owner()] = nil }
  }

  // What threads wait for. SAFETY: guarded by `lock`; a thread that waits has a reference, and is listed as long as it
  // does.
  nonisolated(unsafe) private static var waits: [UInt64: Lent<NSObject>] = [:]
  private static let lock = UnfairLock()

  private static func list(_ object: NSObject) {
    MainThreadHost.noteWait(isOver: false)
    lock.withLock { waits[ThreadSlot.owner()] = Lent(object) }
  }

  /// The operations and queues that threads wait for.
  static var awaited: [NSObject] { lock.withLock { waits.values.map { $0.kept } } }

  private static func address(_ operation: Operation) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(operation).toOpaque())
  }

  /// Says once how far behind an operation's address its words lie, to those that read them.
  private static let isDescribed: Void = {
    let sample = Operation()
    func offset<Word: ~Copyable>(_ word: borrowing Word) -> UInt {
      withUnsafePointer(to: word) { UInt(bitPattern: $0) - address(sample) }
    }
    ProcessDescription.write(.operationRunner, offset(sample.runner))
    ProcessDescription.write(.operationState, offset(sample.word))
  }()

  // MARK: sleeping

  /// Calls `attempt`, which sleeps once, until it says that the wait is over.
  static func sleep(_ attempt: () -> Bool) { BlockingHook.around(longWait: true) { while !attempt() {} } }

  // MARK: what can never end

  /// Tells if the calling thread is inside of `operation`, which is finished when that returns, and not before.
  static func check(_ operation: Operation) {
    guard OperationFrame.isInMain(of: operation) else { return }
    tell(.operation, address(operation), operation, "whose main() this thread runs")
  }

  /// Tells if the calling thread is inside of an operation of `queue`.
  static func check(_ queue: OperationQueue) {
    guard let own = OperationFrame.ownMain(in: queue) else { return }
    let object = UInt(bitPattern: Unmanaged.passUnretained(queue).toOpaque())
    tell(.operationQueue, object, own, "which cannot end before that")
  }

  private static func tell(_ kind: WaitKind, _ object: UInt, _ own: Operation, _ detail: String) {
    Deadlock.tell(
      SelfWait(
        kind, .ownMain, object: object, detail: detail,
        holds: .init(kind: .operation, address: address(own), name: own.title),
        hint:
          "make what follows an operation that depends on the others, or a completion block, instead of waiting for them here"))
  }
}

// MARK: for an operation's end

extension Operation {
  final func waitBase() {
    passPoint(.operationWaitAsked, self)
    if state.isSettled { return }
    // From inside of what follows from its end (an observer, say): it is finished, and the rest follows when this returns.
    if state.isFinished, runner.loadRelaxed() == ThreadSlot.owner() { return }  // relaxed: own writing, or no match
    LockEvent.waits(for: .operation)
    OperationQueue.payRunner()
    if AdaptiveSpin.run(&ThreadSlot.current.pointee.wait_spin, limit: 2_000, { state.isSettled }) { return }
    OperationWaits.begin(for: self)
    defer { OperationWaits.end() }
    OperationWaits.check(self)
    Raising.around({ OperationRaises.raise(self, $0) }) {
      OperationWaits.sleep {
        // acquire O4: pairs with O3 in Turns/Operation+Run.swift: a ticket of after the wake comes with the settled state, so `moved` refuses.
        let ticket = gate.loadAcquire()
        guard moved({ $0.afterAskToWait() }) else { return true }
        gate.park(expected: ticket)
        return state.isSettled
      }
    }
  }
}

// MARK: for an empty queue

extension OperationQueue {
  final func waitUntilEmpty() {
    passPoint(.operationQueueWaitAsked, self)
    if lock.withLock({ shape.isEmpty }) { return }
    LockEvent.waits(for: .operationQueue)
    OperationQueue.payRunner()
    OperationWaits.begin(for: self)
    defer { OperationWaits.end() }
    OperationWaits.check(self)
    Raising.around({ OperationRaises.raise(self, $0) }) {
      OperationWaits.sleep {
        // acquire O8: pairs with O7 in Turns/OperationQueue+Leaving.swift: read before the lock, so a wake after our note changes it.
        let ticket = gate.loadAcquire()
        let isEmpty = lock.withLock { () -> Bool in
          if !shape.isEmpty { hasSleepers = true }
          return shape.isEmpty
        }
        if isEmpty { return true }
        gate.park(expected: ticket)
        return false
      }
    }
  }
}
