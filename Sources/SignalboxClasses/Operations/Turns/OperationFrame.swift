// OperationFrame.swift: which operation the calling thread is inside of, as a chain of small stack records; and threads
// that begin or end inside of an operation.
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

  /// The thread's innermost. SAFETY: code that pushes a frame takes it off before its stack memory goes; only its
  /// thread reads it.
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

extension OperationFrame {
  // MARK: threads that end inside

  /// The calling thread, which is the program's own, is about to end by its own wish: operations whose `main()` it is inside of are
  /// finished by that, the innermost first.
  static func endAll() {
    while let frame = innermost?.pointee {
      innermost = frame.previous
      if frame.isInMain { frame.operation.use { $0.finishBase(wasRun: true) } }
    }
  }

  /// From the first use on the end of threads is monitored: one that comes unannounced leaves an operation that no code
  /// can find. Threads, which know no operations, learn how to ask what they are inside of.
  static let endIsNoticed: Void = {
    ThreadSlot.onThreadEnd {
      guard innermost != nil else { return }
      let name = KernelThread.name(ThreadSlot.kernelID()) ?? ""
      Misuse.stop(
        "thread \"\(name)\" has ended inside of an operation, which can never be finished: return from main() instead")
    }
    ThreadInsides.install(ThreadInsides(origin: { origin }, exit: { endAll() }))
  }()
}

extension Operation: ThreadOrigin {}

extension OperationFrame {
  // MARK: threads that begin inside

  /// The operation of a queue that the calling thread works for: inside of it, or as a thread that was started there.
  static var origin: Operation? {
    var frame = innermost
    while let here = frame {
      let operation = here.pointee.operation.use { $0.state.isQueued && !$0.isFinished ? $0 : nil }
      if let operation { return operation }
      frame = here.pointee.previous
    }
    return inheritedOrigin
  }
  private static var inheritedOrigin: Operation? { ThreadLocals.existing?.thread?.liveOrigin as? Operation }

  /// The queue of the operation inside of which the calling thread was started, until that is finished.
  static var inheritedQueue: OperationQueue? {
    var queue: OperationQueue?
    inheritedOrigin?.withQueue { queue = $0 }
    return queue
  }
}
