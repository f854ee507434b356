// BlockOperation.swift: an operation made of closures, which run at once and are finished together.
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

/// An operation that runs closures: the first on the thread that starts it, the others at the same time on threads of the pool.
/// It finishes when the last closure has returned.
///
/// Thread safety: as for `Operation`.
///
/// ```swift
/// let first = BlockOperation { print("first") }, second = BlockOperation { print("second") }
/// second.addDependency(first)
/// let queue = OperationQueue()
/// queue.addOperation(second)
/// queue.addOperation(first)
/// ```
open class BlockOperation: Operation, @unchecked Sendable {
  typealias Block = @Sendable () -> Void
  /// A closure kept as a struct: as a generic argument, an optional's too, it would be wrapped at each store.
  private struct Work { let body: Block }
  // SAFETY of @unchecked: written before the operation is executed, while `lock` is held; `main` reads them afterwards.
  @exclusivity(unchecked) private final var firstBlock: Work?
  @exclusivity(unchecked) private final var moreBlocks: [Block] = []

  /// Creates an operation without closures.
  public override init() { super.init() }

  /// Creates an operation that runs `block`.
  public convenience init(block: @escaping @Sendable () -> Void) { self.init(state: .initial, block: block) }

  init(state: OperationState, block: @escaping Block) {
    firstBlock = Work(body: block)
    super.init(state: state)
  }

  /// The state of one that was given to a queue already.
  static let queuedState: OperationState = {
    var state = OperationState.initial
    state[OperationState.queued] = 1
    return state
  }()

  /// Adds a closure, which runs at the same time as the others.
  ///
  /// - Precondition: the operation is neither executing nor finished; otherwise the program is stopped.
  open func addExecutionBlock(_ block: @escaping @Sendable () -> Void) {
    passPoint(.operationSet, self)
    let state = state
    if !state.isWaiting {
      Misuse.stop(
        "a block is added to \(title), which \(state.isFinished ? "is finished" : "executes"): add all blocks before it starts")
    }
    lock.withLock {
      if firstBlock == nil { firstBlock = Work(body: block) } else { moreBlocks.append(block) }
    }
  }

  /// The address of the first closure's function; nil without one.
  final var firstFunction: UInt64? {
    // SAFETY: a struct of one closure is its two words: the function, and the context.
    lock.withLock { firstBlock.map { UInt64(unsafeBitCast($0, to: (UInt, UInt).self).0) } }
  }

  /// The closures, in the order in which they were added.
  open var executionBlocks: [@Sendable () -> Void] { lock.withLock { (firstBlock.map { [$0.body] } ?? []) + moreBlocks } }

  /// Runs the closures.
  open override func main() {
    let (first, isOnly) = lock.withLock { (firstBlock, moreBlocks.isEmpty) }
    if isOnly { first?.body() } else { BlockCrew(self, executionBlocks).run() }
  }
}

/// Several closures under way: each is taken by the next thread that comes for one.
private final class BlockCrew: Sendable {
  private let blocks: [BlockOperation.Block]
  private let next = Atomic64(0)
  private let others = DispatchGroup()
  private let operation: BlockOperation
  private let queue: OperationQueue?

  init(_ operation: BlockOperation, _ blocks: [BlockOperation.Block]) {
    (self.operation, self.blocks) = (operation, blocks)
    queue = OperationFrame.innermost?.pointee.queue?.kept
  }

  /// On the thread of the operation, which takes its share and then waits for those that others have taken.
  func run() {
    let work = DispatchQueue.global(qos: operation.effectiveService.dispatchClass.qosClass)
    for _ in 1..<blocks.count {
      work.async(group: others) {
        OperationFrame.inside(self.operation, of: self.queue.map { Lent($0) }) { frame in
          frame.pointee.isInBlock = true
          _ = self.takeOne()
        }
      }
    }
    while takeOne() {}
    others.wait()
  }

  private func takeOne() -> Bool {
    // relaxed: the closures are constant, and published by the submission.
    let index = next.addRelaxed(1)
    guard index < UInt64(blocks.count) else { return false }
    blocks[Int(index)]()
    return true
  }
}
