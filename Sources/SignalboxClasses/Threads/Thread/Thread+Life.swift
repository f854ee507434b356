// Thread+Life.swift: how a thread begins and ends, and who is notified. The API's other half is Thread.swift.
import Foundation
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

extension Thread {
  static func ownEnds() -> Never {
    HeldAtEnd.exits()
    ThreadInsides.known?.exit()
    own.finish()
    Threads.exitThread()
  }

  // MARK: the new thread

  final func begin() {
    guard state.moved({ $0.afterStart() }) else {
      Misuse.stop("\(description) was started twice: a thread runs once; make another one")
    }
    // It is over without having run, and nobody hears of that; what it kept goes, and what is performed on it fails.
    if state.load().isCancelled { return finish(isTold: false) }
    ThreadNotices.becomesMultiThreaded()
    if let around = ThreadInsides.known?.origin() { lock.withLock { origin = around } }
    let argument = ThreadLocals.handOver(self)
    var attempts = 0
    while true {
      do {
        return try Threads.spawn(stackSize: lock.withLock { stackBytes }, argument) { Thread.threadBody($0) }
      } catch {
        attempts += 1
        guard attempts < 500 else {
          Misuse.stop("\(description) cannot be started: \(error). Use fewer threads, or smaller stacks")
        }
        ThreadSleep.until(.uptime(Clock.uptime() + 10_000_000))  // others may end meanwhile
      }
    }
  }

  /// Only the locals keep the object, nothing on this stack, so that it goes when the thread exits.
  private static func threadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    argument.flatMap(ThreadLocals.takeOver)?.use { $0.runMain() }
    return nil
  }

  private final func runMain() {
    // The slot, which the thread's locals have entered, knows the number: no second system call.
    // relaxed: who names it earlier leaves that to the next line
    kernelID.storeRelaxed(UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.tid))
    if let name { Threads.setName(name) }
    if asksForPriority { applyPriority() }
    _ = state.moved { $0.afterBegin() }
    main()
    finish()
  }

  /// What it was started inside of, until that is finished.
  final var liveOrigin: (any ThreadOrigin)? { lock.withLock { origin }.flatMap { $0.isFinished ? nil : $0 } }

  /// The thread is about to end: announced once, by whoever comes first (the end of `main()`, `exit()`, the thread's end itself).
  final func finish(isTold: Bool = true) {
    guard state.moved({ $0.afterTold() }) else { return }
    if isTold { ThreadNotices.willExit(self) }
    let rest = lock.withLock {
      defer { (block, dictionary, origin) = (nil, nil, nil) }
      return (block, dictionary, origin)
    }
    withExtendedLifetime(rest) {}
    hasLostLoop()
    kernelID.storeRelaxed(0)  // relaxed: asked for by hints only
    _ = state.moved { $0.afterEnd() }
  }
}

/// A thread's block in a structure: generic functions, a lock's among them, hand that on as it is, where they would wrap a bare
/// closure in memory of its own.
struct ThreadBlock {
  let call: @Sendable () -> Void
}

/// The notifications of threads.
enum ThreadNotices {
  private static let word = Atomic32(0)

  // acquire: pairs with the swap in `becomesMultiThreaded`: what its caller did before is visible.
  static var isMultiThreaded: Bool { word.loadAcquire() == 1 }

  /// Before the first thread is started, once, on the thread that starts it.
  static func becomesMultiThreaded() {
    // acquire, release (in the swap): pairs with the load in `isMultiThreaded`; of several first threads one finds 0 and posts it.
    guard word.loadAcquire() == 0, word.casAcqRel(0, 1).exchanged else { return }
    NotificationCenter.default.post(name: .NSWillBecomeMultiThreaded, object: nil)
  }

  /// On the thread that is about to end.
  static func willExit(_ thread: Thread) { NotificationCenter.default.post(name: .NSThreadWillExit, object: thread) }
}
