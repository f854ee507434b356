// OperationFrame.swift: which operation the calling thread is inside of, as a chain of small stack records.
import SignalboxSystem

struct OperationFrame {
  let operation: Lent<Operation>
  /// The queue that started it, or inside of which it was started by hand.
  let queue: Lent<OperationQueue>?
  let previous: UnsafeMutablePointer<OperationFrame>?
  /// Whether the queue has pushed it: afterwards the thread searches for the next operation itself.
  var isRunner = false
  /// Whether `main()` is called by the base class: the operation is finished when it returns, and not before.
  var isInMain = false
  /// Whether it is a further block of a block operation, on a thread of its own: the operation is not finished before it returns.
  var isInBlock = false
  /// The operation is finished, and what follows from that is being done: what becomes ready is for that search, too.
  var isSettling = false
  /// Something may start, and that search is due.
  var owesRunner = false

  /// Whether this is the frame in which its queue has started `operation`.
  func isRunner(of operation: Operation) -> Bool {
    isRunner && self.operation == Lent(operation)
  }

  /// Whether the calling thread is about to search for the next operation of `queue` itself; notes that it has to.
  static func owes(_ queue: OperationQueue) -> Bool {
    guard let frame = innermost, frame.pointee.isSettling, frame.pointee.queue == Lent(queue) else { return false }
    frame.pointee.owesRunner = true
    return true
  }

  /// The thread's innermost. SAFETY: whoever pushes a frame takes it off before its stack memory goes; only its thread reads it.
  static var innermost: UnsafeMutablePointer<OperationFrame>? {
    @inline(__always) get { ThreadSlot.current.pointee.operations?.assumingMemoryBound(to: OperationFrame.self) }
    set { ThreadSlot.current.pointee.operations = UnsafeMutableRawPointer(newValue) }
  }

  /// Runs `body` inside of a frame.
  @inline(__always)
  static func inside(
    _ operation: Operation, of queue: Lent<OperationQueue>?, _ body: (UnsafeMutablePointer<OperationFrame>) -> Void
  ) {
    var frame = OperationFrame(operation: Lent(operation), queue: queue, previous: innermost)
    withUnsafeMutablePointer(to: &frame) { pointer in
      innermost = pointer
      body(pointer)
      innermost = pointer.pointee.previous
    }
  }

  /// Whether the calling thread is inside of the base class's call of `operation`'s `main()`, or of one of its blocks, and that
  /// is not finished.
  static func isInMain(of operation: Operation) -> Bool {
    ownMain { $0.operation == Lent(operation) } != nil
  }

  /// The innermost operation of `queue` that the calling thread is inside of in the same way.
  static func ownMain(in queue: OperationQueue) -> Operation? {
    // relaxed: until that call returns the operation has its queue, if it has one at all.
    ownMain { $0.operation.use { $0.queueBits.loadRelaxed() } == queue.bits }
  }

  private static func ownMain(where isWanted: (OperationFrame) -> Bool) -> Operation? {
    var frame = innermost
    while let here = frame?.pointee {
      let isUnfinished = here.operation.use { !$0.state.isFinished }
      if here.isInMain || here.isInBlock, isUnfinished, isWanted(here) { return here.operation.kept }
      frame = here.previous
    }
    return nil
  }
}
