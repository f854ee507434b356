// Thread+Life.swift: how a thread begins and ends, and which notifications are posted of that. Also what it is inside
// of, and the loop that it makes and loses. The API's other half is Thread.swift.
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
    // It is over without having run, and no observer hears of that; what it kept goes, and what is performed on it
    // fails.
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
    // relaxed: a thread that names it earlier leaves that to the next line
    kernelID.storeRelaxed(UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.tid))
    if let name { Threads.setName(name) }
    if asksForPriority { applyPriority() }
    _ = state.moved { $0.afterBegin() }
    main()
    finish()
  }

  /// What it was started inside of, until that is finished.
  final var liveOrigin: (any ThreadOrigin)? { lock.withLock { origin }.flatMap { $0.isFinished ? nil : $0 } }

  /// The thread is about to end: announced once, by whichever comes first (the end of `main()`, `exit()`, the thread's
  /// end itself).
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

// MARK: what a thread is inside of, for a module's part that lies above threads: operations

/// Something that a thread may be started inside of.
protocol ThreadOrigin: AnyObject, Sendable {
  var isFinished: Bool { get }
}

/// How a thread asks what it is inside of. Installed with the first frame there can be: before that no thread is inside of anything.
struct ThreadInsides: Sendable {
  /// What the calling thread works for; nil: nothing.
  let origin: @Sendable () -> (any ThreadOrigin)?
  /// The calling thread, which is the program's own, is about to end by its own wish.
  let exit: @Sendable () -> Void

  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var installed: ThreadInsides?

  static func install(_ insides: ThreadInsides) { lock.withLock { installed = insides } }
  /// nil: no thread was ever inside of anything.
  static var known: ThreadInsides? { lock.withLock { installed } }
}

// MARK: a thread's loop, and what was left for one that has not made its loop yet

// What leaves it is Perform.swift.

/// What was left with a thread that has no loop yet.
struct EarlyPerform {
  let modes: [RunLoop.Mode]
  let block: @Sendable () -> Void
}

extension Thread {
  /// The thread has made its loop: what was left for it goes there.
  final func hasMade(_ loop: RunLoop) {
    let waiting = lock.withLock { () -> [EarlyPerform] in
      self.loop = loop
      defer { early = [] }
      return early
    }
    for one in waiting { loop.perform(inModes: one.modes, block: one.block) }
  }

  /// The thread has no loop any more.
  final func hasLostLoop() {
    let dropped = lock.withLock { () -> [EarlyPerform] in
      isOver = true
      loop = nil
      defer { early = [] }
      return early
    }
    withExtendedLifetime(dropped) {}
  }
}
