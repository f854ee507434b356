// MainQueue.swift: the queue of the main thread: who drains it and how it calls the main thread. Two ways: dispatchMain(),
// which keeps the thread, and a descriptor with a drain call for run loops that are not ours.
//
//   signalWord: 0 quiet   1 the main queue has items   2 quiet, and the main thread sleeps in dispatchMain
import SignalboxDiagnosis
import SignalboxLocks
public import SignalboxSystem

/// The main queue's side of the main thread.
public enum MainQueue {
  static let queue: DispatchQueue = {
    ForkGuard.arm()
    let queue = DispatchQueue(name: "com.apple.main-thread", kind: .main, qos: .unspecified, target: .none)
    _ = Unmanaged.passRetained(queue)  // lives for ever
    return queue
  }()

  private static let signalWord = Atomic32(0)
  private static let eventBits = Atomic64(0)
  private static let eventLock = UnfairLock()

  /// The main queue has become enqueued: calls the main thread, however it waits.
  static func signal() {
    // release M1 (in the exchange): publishes the queue's enqueued state to the drainer's acquire M2.
    if signalWord.exchangeAcqRel(1) == 2 { withUnsafePointer(to: signalWord) { _ = Parking.wake($0) } }
    event?.signal()
  }

  // acquire: the event behind the bits is whole; pairs with the release in descriptor().
  private static var event: EventDescriptor? {
    guard let raw = UnsafeRawPointer(bitPattern: UInt(eventBits.loadAcquire())) else { return nil }
    return Unmanaged<EventDescriptor>.fromOpaque(raw).takeUnretainedValue()
  }

  /// A descriptor that is readable while the main queue may hold items: for run loops of your own. Opened at first call.
  ///
  /// When it is readable call `drain()` on the main thread. Not to be read, written or closed.
  /// - Throws: `SystemError` when the process has no descriptor left.
  public static func descriptor() throws(SystemError) -> Int32 {
    try eventLock.withLock { () throws(SystemError) -> Int32 in
      if let event { return event.descriptor }
      let made = try EventDescriptor()
      // seq_cst: the event is published before the look at the queue, as a pusher's claim is before its look at the event.
      eventBits.storeSeqCst(UInt64(UInt(bitPattern: Unmanaged.passRetained(made).toOpaque())))
      if !queue.isStoreEmpty { made.signal() }
      return made.descriptor
    }
  }

  /// Runs the main queue's items, those that they add included, and returns when none is left.
  ///
  /// - Precondition: called on the main thread: the program is stopped otherwise. From within an item of the main queue it
  ///   returns at once.
  public static func drain() {
    guard Threads.isMain else {
      Misuse.stop("MainQueue.drain() is called on a thread that is not the main one: call it on the main thread")
    }
    let thread = ThreadSlot.current
    _ = ThreadSlot.owner()
    // Cleared first: an item added from here on signals again.
    event?.clear()
    let word = QueueState(rawValue: queue.state.loadSeqCst())
    guard word[QueueState.enqueued] == 1, !word.isOwned else { return }
    _ = queue.drain(thread)
  }

  /// Drains and sleeps in turn, for ever.
  static func serve() -> Never {
    guard Threads.isMain else {
      Misuse.stop("dispatchMain() is called on a thread that is not the main one: call it on the main thread")
    }
    if ThreadSlot.current.innermostFrame != nil {
      Misuse.stop("dispatchMain() is called from inside \(ThreadFrames.description()): call it outside of any item")
    }
    while true {
      _ = signalWord.exchangeAcqRel(0)  // acquire M2: pairs with M1; the drain sees what was signalled before
      drain()
      sleepUntilSignalled()
    }
  }

  private static func sleepUntilSignalled() {
    if AdaptiveSpin.wait({ signalWord.loadAcquire() == 1 }) { return }  // acquire M2: pairs with M1
    guard signalWord.casAcqRel(0, 2).exchanged else { return }
    while signalWord.loadAcquire() == 2 { withUnsafePointer(to: signalWord) { _ = Parking.park($0, expected: 2) } }
  }
}

/// Runs the main queue on the main thread, for ever.
///
/// The main thread stays alive and is the only one to run main-queue items.
/// - Precondition: called on the main thread, outside of any item.
public func dispatchMain() -> Never { MainQueue.serve() }
