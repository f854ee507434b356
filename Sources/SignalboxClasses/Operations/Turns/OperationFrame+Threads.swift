// OperationFrame+Threads.swift: threads that begin or end inside of an operation. The chain of frames is OperationFrame.swift.
import SignalboxSystem

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

  /// From the first use on the end of threads is monitored: one that comes unannounced leaves an operation that nobody can find.
  /// Threads, which know no operations, learn how to ask what they are inside of.
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
