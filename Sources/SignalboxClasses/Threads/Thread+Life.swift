// Thread+Life.swift: how a thread begins and ends, and who is told. The API's other half is Thread.swift.
import Foundation
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

extension Thread {
  static func ownEnds() -> Never {
    HeldAtEnd.exits()
    OperationFrame.endAll()
    own.finish()
    Threads.exitThread()
  }

  // MARK: the new thread

  final func begin() {
    guard set(State.started, clearing: 0) & State.started == 0 else {
      Misuse.stop("\(description) was started twice: a thread runs once; make another one")
    }
    if state.loadAcquire() & State.cancelled != 0 {
      set(State.finished, clearing: 0)
      return
    }
    ThreadNotices.becomesMultiThreaded()
    if let operation = OperationFrame.origin { lock.withLock { origin = operation } }
    let argument = ThreadLocals.handOver(self)
    var attempts = 0
    while true {
      do {
        return try Threads.spawn(stackSize: lock.withLock { stackBytes }, argument) { Thread.threadBody($0!) }
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
  private static func threadBody(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    ThreadLocals.takeOver(argument)?._withUnsafeGuaranteedRef { $0.runMain() }
    return nil
  }

  private final func runMain() {
    // The slot, which the thread's locals have entered, knows the number: no second system call.
    // relaxed: who names it earlier leaves that to the next line
    kernelID.storeRelaxed(UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.tid))
    if let name { Threads.setName(name) }
    if asksForPriority { applyPriority() }
    set(State.executing, clearing: 0)
    main()
    finish()
  }

  /// The operation inside of which it was started, until that is finished.
  final var liveOrigin: Operation? { lock.withLock { origin }.flatMap { $0.isFinished ? nil : $0 } }

  /// The thread is about to end: told once, by whoever comes first (the end of `main()`, `exit()`, the thread's end itself).
  final func finish(isTold: Bool = true) {
    guard set(State.told, clearing: 0) & State.told == 0 else { return }
    if isTold { ThreadNotices.willExit(self) }
    let rest = lock.withLock {
      defer { (block, dictionary, origin) = (nil, nil, nil) }
      return (block, dictionary, origin)
    }
    withExtendedLifetime(rest) {}
    hasLostLoop()
    kernelID.storeRelaxed(0)  // relaxed: asked for by hints only
    set(State.finished, clearing: State.executing)
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

  static var isMultiThreaded: Bool { word.loadAcquire() == 1 }

  /// Before the first thread is started, once, on the thread that starts it.
  static func becomesMultiThreaded() {
    guard word.loadAcquire() == 0, word.casAcqRel(0, 1).exchanged else { return }
    NotificationCenter.default.post(name: .NSWillBecomeMultiThreaded, object: nil)
  }

  /// On the thread that is about to end.
  static func willExit(_ thread: Thread) { NotificationCenter.default.post(name: .NSThreadWillExit, object: thread) }
}
