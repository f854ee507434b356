// MainQueue.swift: the queue of the main thread, and the two ways to drain it: dispatchMain(), which keeps the thread, and a
// descriptor with a drain call for run loops that are not ours. Who is told of items is MainThreadHost.swift.
import SignalboxDiagnosis
public import SignalboxSystem

/// The main queue's side of the main thread.
public enum MainQueue {
  static let queue: DispatchQueue = {
    ForkGuard.arm()
    ThreadSlot.onThreadEnd { MainThreadHost.threadEnds() }
    QueueOrdering.install()
    let queue = DispatchQueue(name: "com.apple.main-thread", kind: .main, qos: .unspecified, target: .none)
    _ = Unmanaged.passRetained(queue)  // lives for ever
    return queue
  }()

  /// A descriptor that is readable while the main queue may hold items: for run loops of your own. Opened at first call.
  ///
  /// When it is readable call `drain()` on the main thread. Not to be read, written or closed. Where the toolchain's libdispatch
  /// is loaded as well (Foundation and Swift's concurrency bring it), it is readable for that one's main queue, too.
  /// - Throws: `SystemError` when the process has no descriptor left.
  public static func descriptor() throws(SystemError) -> Int32 { try MainThreadHost.descriptor() }

  /// Runs the main queue's items, those that they add included, and returns when none is left; in between, and at least once,
  /// also what the main queue of the toolchain's libdispatch holds, if that library is loaded.
  ///
  /// - Precondition: called on the main thread: the program is stopped otherwise. From within an item of the main queue it
  ///   returns at once.
  public static func drain() {
    checkMayDrain()
    if QueueState(rawValue: queue.state.loadSeqCst()).isOwned { return }
    repeat {
      MainThreadHost.clearDescriptor()
      drainSlice()
      if let other = MainThreadHost.other { MainThreadHost.runOther(other) }
    } while isEnqueued
  }

  /// As `drain()` for a loop that has work of others to do as well: a budget of items, and the descriptor is readable again for
  /// the rest.
  package static func drainSome() {
    checkMayDrain()
    MainThreadHost.sharesLoop()
    MainThreadHost.clearDescriptor()
    drainSlice()
  }

  private static func checkMayDrain() {
    guard MainThreadHost.isMainThread else {
      Misuse.stop("MainQueue.drain() is called on a thread that is not the main one: call it on the main thread")
    }
  }

  private static var isEnqueued: Bool {
    let word = QueueState(rawValue: queue.state.loadSeqCst())
    return word[QueueState.enqueued] == 1 && !word.isOwned
  }

  /// Runs items until none is left; where another main queue wants its turn, at most a budget of them, and signals for the rest.
  /// Nothing from within an item. Called by whoever counts as the main thread.
  static func drainSlice() {
    let thread = ThreadSlot.current
    _ = ThreadSlot.owner()
    if isEnqueued { _ = queue.drain(thread) }
  }

  static func checkMayServe() {
    guard Threads.isMain else {
      Misuse.stop("dispatchMain() is called on a thread that is not the main one: call it on the main thread")
    }
    if ThreadSlot.current.innermostFrame != nil {
      Misuse.stop("dispatchMain() is called from inside \(ThreadFrames.description()): call it outside of any item")
    }
  }
}

/// Runs the main queue on the main thread, for ever; and, where the toolchain's libdispatch is loaded, that one's main queue.
///
/// The main thread stays alive and is the only one to run main-queue items.
/// - Precondition: called on the main thread, outside of any item.
public func dispatchMain() -> Never {
  MainQueue.checkMayServe()
  MainThreadHost.serve()
}
