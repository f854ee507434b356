// OperationWaits.swift: whether a wait for operations can end, and sleeping until it does. Circles of dependencies that nobody
// waits for are OperationCycle.swift.
//
// What must happen before an operation is finished: every unfinished dependency must be, unless it is cancelled; where its queue
// runs one at a time, the one that runs; where it lies behind a barrier, all before that; in the main queue the main thread must
// come for it. If one of these is the caller's own `main()`, or the main thread in its wait, the wait never ends.
import Foundation
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

enum OperationWaits {
  // MARK: the record

  /// Leaves the record of a wait for `operation`; `end()` must follow.
  static func begin(for operation: Operation) {
    _ = installed
    list(operation)
    Waiting.begin(.operation, object: address(operation), isTimed: false, words(of: operation))
  }

  /// The same for a queue's emptiness: who could end that is not known to the record.
  static func begin(for queue: OperationQueue) {
    _ = installed
    list(queue)
    let address = UInt(bitPattern: Unmanaged.passUnretained(queue).toOpaque())
    Waiting.begin(.operationQueue, object: address, isTimed: false, .init())
  }

  /// The calling thread's wait is over.
  static func end() {
    WaitRecord.withdraw()
    lock.withLock { waits[ThreadSlot.owner()] = nil }
  }

  // What threads wait for. SAFETY: guarded by `lock`; who waits has a reference, and is listed as long as it does.
  nonisolated(unsafe) private static var waits: [UInt64: Unmanaged<NSObject>] = [:]
  private static let lock = UnfairLock()

  private static func list(_ object: NSObject) {
    lock.withLock { waits[ThreadSlot.owner()] = .passUnretained(object) }
  }

  /// The operations and queues that threads wait for.
  static var awaited: [NSObject] { lock.withLock { waits.values.map { $0.takeUnretainedValue() } } }

  private static func address(_ operation: Operation) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(operation).toOpaque())
  }

  /// The operation, then what it waits for in turn, down to one that runs.
  private static func words(of operation: Operation) -> OwnerWords {
    var words = OwnerWords()
    var next: Operation? = operation
    for _ in 0..<6 {
      guard let here = next else { break }
      words.append(OwnerWord(address(here), .operation))
      if here.runner.loadRelaxed() != 0 { break }
      next = needs(of: here).first
    }
    return words
  }

  /// Tells the diagnosis how to read and name operations; once.
  private static let installed: Void = {
    let sample = Operation()
    wordOffset = withUnsafePointer(to: sample.word) { UInt(bitPattern: $0) } - address(sample)
    runnerOffset = withUnsafePointer(to: sample.runner) { UInt(bitPattern: $0) } - address(sample)
    OwnerReading.operation.install { address, isAlive, result in
      result.assumingMemoryBound(to: OwnerAnswer.self).pointee = OperationWaits.answer(address, isAlive)
    }
    ObjectNaming.install(
      { address, result in
        // SAFETY: a waiting thread refers to the operation and stands still.
        let operation = Unmanaged<Operation>.fromOpaque(UnsafeRawPointer(bitPattern: address)!)
        result.assumingMemoryBound(to: String.self).pointee = operation._withUnsafeGuaranteedRef { $0.title }
      }, for: [.operation])
    ObjectNaming.install(
      { address, result in
        // SAFETY: as above.
        let queue = Unmanaged<OperationQueue>.fromOpaque(UnsafeRawPointer(bitPattern: address)!)
        result.assumingMemoryBound(to: String.self).pointee = queue._withUnsafeGuaranteedRef { $0.title }
      }, for: [.operationQueue])
    DispatchQueue.installDiagnosis()
    WaitWatch.add(OperationNodes())
  }()

  // How far behind an operation's address its words lie. SAFETY: written once, before the function that reads them is installed.
  nonisolated(unsafe) private static var wordOffset: UInt = 0
  nonisolated(unsafe) private static var runnerOffset: UInt = 0

  private static func answer(_ operation: UInt, _ isAlive: Bool) -> OwnerAnswer {
    guard let word = SafeMemory.word64(operation + wordOffset, isAlive: isAlive),
      let runner = SafeMemory.word64(operation + runnerOffset, isAlive: isAlive)
    else { return OwnerAnswer() }
    let state = OperationState(rawValue: word)
    if state.isFinished { return OwnerAnswer() }
    // In a `start()` of a subclass the thread does not own it: whoever says that it is finished ends it.
    var answer = OwnerAnswer(owner: state.isInMain ? runner : 0)
    answer.followsNext = runner == 0 && state.isWaiting && !state.isCancelled
    return answer
  }

  // MARK: sleeping

  /// Calls `attempt`, which sleeps once, until it says that the wait is over. `look` looks for its end being impossible: on the
  /// main thread again and again, because operations may be added meanwhile.
  static func sleep(_ attempt: (ParkDeadline) -> Bool, look: () -> Void) {
    look()
    BlockingHook.around(longWait: true) {
      guard MainThreadHost.isMainThread else {
        while !attempt(.never) {}
        return
      }
      var interval: UInt64 = 10_000_000
      while true {
        let due = Clock.uptime() &+ interval
        if attempt(.uptime(due)) { return }
        guard Clock.uptime() >= due else { continue }
        look()
        interval = min(interval * 10, 1_000_000_000)
      }
    }
  }

  // MARK: what can never end

  static func check(_ operation: Operation) {
    guard mayHinder, let found = hindrance(of: [operation]) else { return }
    tell(.operation, address(operation), found)
  }

  static func check(_ queue: OperationQueue) {
    guard mayHinder, let found = hindrance(of: queue.snapshot(withBarriers: true)) else { return }
    tell(.operationQueue, UInt(bitPattern: Unmanaged.passUnretained(queue).toOpaque()), found)
  }

  /// Most threads that wait are inside of no operation; nothing waits for them.
  private static var mayHinder: Bool {
    OperationFrame.innermost != nil || (MainThreadHost.isMainThread && OperationQueue.main.hasAny)
  }

  private enum Hindrance {
    case own(Operation)
    case mainThread(Operation)
  }

  /// Something that must end before one of `operations` does, and cannot while the calling thread waits.
  private static func hindrance(of operations: [Operation]) -> Hindrance? {
    var seen: Set<ObjectIdentifier> = []
    var stack = operations
    while let operation = stack.popLast() {
      guard !operation.state.isFinished, seen.insert(ObjectIdentifier(operation)).inserted else { continue }
      if OperationFrame.isInMain(of: operation) { return .own(operation) }
      if MainThreadHost.isMainThread, operation.isOnlyMainThreads { return .mainThread(operation) }
      stack += needs(of: operation)
    }
    return nil
  }

  /// What must be finished before `operation` can start.
  private static func needs(of operation: Operation) -> [Operation] {
    let state = operation.state
    guard state.isWaiting else { return [] }
    var needs = state.isCancelled ? [] : operation.dependencies.filter { !$0.state.isFinished }
    operation.withQueue { needs += $0.needs(of: operation) }
    return needs
  }

  private static func tell(_ kind: WaitKind, _ object: UInt, _ hindrance: Hindrance) {
    let held: DeadlockReport.Object
    let detail: String
    switch hindrance {
    case .own(let operation):
      held = .init(kind: .operation, address: address(operation), name: operation.title)
      let isSame = kind == .operation && object == address(operation)
      detail = isSame ? "whose main() this thread runs" : "which cannot end before that"
    case .mainThread(let operation):
      held = .init(kind: .operation, address: address(operation), name: "the main thread")
      detail = "which cannot end before the main thread has run \(operation.title)"
    }
    Deadlock.tell(
      selfWait: kind, object: object, detail: detail, holds: held,
      hint: "make what follows an operation that depends on the others, or a completion block, instead of waiting for them here"
    )
  }
}

extension Operation {
  /// Whether it is due, and only the main thread can start it.
  fileprivate final var isOnlyMainThreads: Bool {
    var isMain = false
    guard state.isWaiting else { return false }
    withQueue { isMain = $0.isMain }
    return isMain
  }
}

extension OperationQueue {
  fileprivate final var hasAny: Bool { lock.withLock { !shape.isEmpty } }

  /// What else of the queue must be finished before `operation` can start.
  fileprivate final func needs(of operation: Operation) -> [Operation] {
    lock.withLock {
      let links = operation.links
      guard links.place != .outside, links.place != .started, links.place != .left else { return [] }
      let isBehind = links.epoch != shape.epoch || operation.state.isBarrier
      guard isBehind || shape.limit == 1 else { return [] }
      var needs: [Operation] = []
      var next = first
      while let here = next {
        next = here._withUnsafeGuaranteedRef { other in
          let isBefore = isBehind && other !== operation && other.links.epoch &- links.epoch > UInt32.max / 2
          let isBarred = isBehind && operation.state.isBarrier && other.links.epoch == links.epoch && other !== operation
          if other.links.place == .started || isBefore || isBarred { needs.append(other) }
          return other.links.next
        }
      }
      return needs
    }
  }
}
