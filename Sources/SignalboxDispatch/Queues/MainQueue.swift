// MainQueue.swift: the queue of the main thread, and the two ways to drain it: dispatchMain(), which keeps the thread, and a
// descriptor with a drain call for run loops that are not ours. Who is notified of items is MainThreadHost.swift.
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

/// The main queue's side of the main thread.
///
/// ```swift file
/// import Glibc
/// @MainActor func serve(until isDone: () -> Bool) throws {
///   var wanted = pollfd(fd: try MainQueue.descriptor(), events: Int16(POLLIN), revents: 0)
///   while !isDone() {
///     _ = poll(&wanted, 1, -1)  // and the program's own descriptors
///     MainQueue.drain()
///   }
/// }
/// ```
public enum MainQueue {
  package static let queue: DispatchQueue = {
    ThreadSlot.onThreadEnd { MainThreadHost.threadEnds() }
    let queue = MainDispatchQueue()
    _ = Unmanaged.passRetained(queue)  // lives forever
    ProcessDescription.write(.mainQueue, queue.address)
    return queue
  }()

  /// A descriptor that is readable while the main queue may have items; for programs with a run loop of their own. Created by
  /// the first call.
  ///
  /// When it is readable, call `drain()` on the main thread. Do not read, write or close the descriptor. If the toolchain's
  /// libdispatch is also loaded (by Foundation or Swift's concurrency), the descriptor is also readable for that library's main
  /// queue.
  ///
  /// ```swift
  /// let descriptor = try MainQueue.descriptor()  // for poll, epoll or the event loop of a library
  /// print(descriptor >= 0)  // true; when it is readable, the main thread calls MainQueue.drain()
  /// ```
  ///
  /// - Throws: `SystemError` if the process has no descriptor left.
  public static func descriptor() throws(SystemError) -> Int32 { try MainThreadHost.descriptor() }

  /// Runs the items that are in the main queue when the call begins, and those in the main queue of the toolchain's libdispatch
  /// if that library is loaded. Items added meanwhile make the descriptor readable again, so that the program's loop gets to
  /// its other work in between.
  ///
  /// ```swift file
  /// /// Called by the program's event loop when `MainQueue.descriptor()` is readable.
  /// @MainActor func mainQueueIsReady() { MainQueue.drain() }
  /// ```
  ///
  /// - Precondition: called on the main thread; otherwise the program is stopped. From within an item of the main queue it
  ///   returns at once.
  public static func drain() {
    checkMayDrain()
    // seq_cst, though only our own ownership counts: nothing from within an item
    if queue.state.loadSeqCst().isOwned { return }
    MainThreadHost.sharesLoop()
    MainThreadHost.clearDescriptor()
    // Theirs may hold a call that drains ours: one turn is enough.
    let before = turns
    if let other = MainThreadHost.other { MainThreadHost.runOther(other) }
    if turns == before { drain(.whatIsThere) }
  }

  /// Like `drain()`, of this library's main queue alone: for the C face.
  package static func drainOurs() {
    checkMayDrain()
    MainThreadHost.sharesLoop()
    MainThreadHost.clearDescriptor()
    drain(.whatIsThere)
  }

  private static func checkMayDrain() {
    guard MainThreadHost.isMainThread else {
      Misuse.stop("MainQueue.drain() is called on a thread that is not the main one: call it on the main thread")
    }
  }

  private static var isEnqueued: Bool {
    // seq_cst: after M2 of the loop, which the enqueued state came before (M1)
    let word = queue.state.loadSeqCst()
    return word[QueueState.enqueued] == 1 && !word.isOwned
  }

  /// How far a drain of the main queue goes before it signals for the rest.
  enum Extent: UInt32 {
    /// Until no item is left; where another main queue wants its turn, a budget of items.
    case budget
    /// What the queue holds as the drain begins.
    case whatIsThere
  }
  private static let extent = Atomic32(0)
  private static let turnCount = Atomic32(0)

  /// How many drains there were. relaxed: written and compared by the thread that has the main queue.
  package static var turns: UInt32 { turnCount.loadRelaxed() }

  /// Whether the drain under way ends with what was there as it began. Asked by the draining thread.
  // relaxed: written by that same thread.
  static var drainsWhatIsThere: Bool { extent.loadRelaxed() == Extent.whatIsThere.rawValue }

  /// Runs items. Nothing from within an item. Called by whoever counts as the main thread.
  static func drain(_ extent: Extent) {
    let thread = ThreadSlot.current
    _ = ThreadSlot.owner()
    guard isEnqueued else { return }
    // relaxed: the next drain begins after this one, and only it reads and writes these words.
    self.extent.storeRelaxed(extent.rawValue)
    turnCount.storeRelaxed(turnCount.loadRelaxed() &+ 1)
    _ = queue.drain(thread)
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

/// The main queue as a queue: whoever has the main thread runs its items.
package final class MainDispatchQueue: DispatchQueue, @unchecked Sendable {
  // SAFETY of @unchecked: no state of its own.
  init() { super.init(name: "com.apple.main-thread", kind: .main, qos: .unspecified, target: .none) }

  override func notifyOfItems(_ urgency: Urgency) -> Lent<DispatchQueue>? {
    MainThreadHost.signal()
    return nil
  }
  /// The other library's main queue, or the rest of the loop's work.
  override var doOthersWait: Bool { MainThreadHost.isShared && !isRunLoopsTurn }
  override var waitsForItsItem: Bool { !list.isEmpty || MainThreadHost.isShared }
  override var isRunLoopsTurn: Bool { MainQueue.drainsWhatIsThere }
  override var turnLimit: Int? { isRunLoopsTurn ? nil : .max }
  override var boundThreadOfCaller: (this: String, again: String)? {
    MainThreadHost.isMainThread ? ("the main thread", "the main thread") : nil
  }
}

/// Runs the main queue on the main thread and never returns. If the toolchain's libdispatch is loaded, its main queue is run
/// too.
///
/// - Precondition: called on the main thread, outside of any item.
public func dispatchMain() -> Never {
  MainQueue.checkMayServe()
  MainThreadHost.serve()
}
