// RunLoop+Run.swift: the run methods: serve, and sleep in Foundation's loop of the same thread, which serves both meanwhile.
public import Foundation
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

extension RunLoop {
  /// Runs the loop in the default mode as long as it has something to wait for: timers, inputs, blocks, or anything in the
  /// Foundation loop of the thread. The main thread always has its main queue.
  @available(*, noasync, message: "a task must not block its thread")
  public final func run() { while run(mode: .default, before: .distantFuture) {} }

  /// Like `run()`, but runs at most until `limitDate`, and not less, also where the wall clock is being slewed.
  @available(*, noasync, message: "a task must not block its thread")
  public final func run(until limitDate: Date) {
    let mode = record(of: .default), begin = Clock.uptime()
    var limit = LoopTimerCore.uptime(of: limitDate)
    while true {
      repeat { if !runOnce(mode, limit) { return } } while Clock.uptime() < limit
      // Where the wall clock is slewed, by less than a thousandth, the date has not quite come. Where it was set, the uptime counts.
      let rest = limitDate.timeIntervalSinceNow
      guard rest > 0, rest * 1e9 <= Double(limit &- begin) / 1_000 else { return }
      limit = LoopTimerCore.uptime(of: limitDate)
    }
  }

  /// Runs the loop in `mode` until blocks or an input were handled, or until `limitDate`. Timers fire meanwhile but do not end
  /// the run, unless the last one leaves nothing to wait for.
  ///
  /// - Returns: false, at once, if there is nothing to wait for in that mode. The loop cannot run in `.common`.
  /// - Precondition: called on the loop's thread; otherwise the program is stopped.
  @available(*, noasync, message: "a task must not block its thread")
  public final func run(mode: Mode, before limitDate: Date) -> Bool {
    runOnce(record(of: mode), LoopTimerCore.uptime(of: limitDate))
  }

  /// What `limitDate(forMode:)` does.
  final func nextDate(in mode: Mode) -> Date? {
    let mode = record(of: mode)
    checkThread()
    fireDue(mask(of: mode))
    let mask = mask(of: mode)
    let own = lock.withLock { modes.filter { $0.bit & mask != 0 }.compactMap { $0.heap.top()?.due }.min() }
    let now = Clock.uptime()
    let seconds = own.map { $0 > now ? Double($0 - now) / 1e9 : 0 }
    let dates = [seconds, isEmpty(mask) ? foundation.nextTimer(mode.foundation) : nil].compactMap { $0 }
    if let next = dates.min() { return Date(timeIntervalSinceNow: next) }
    return mayRun(mode, mask) == .nothing ? nil : .distantFuture
  }

  private final func checkThread() {
    guard !thread.isCurrent else {
      // Another thread has the part of the first: that one has ended, or is about to, although its end was not noticed yet.
      if thread.isMain, !FirstThread.hasEnded, !Threads.isMain, !Exploration.isOfCaller { FirstThread.ends() }
      return
    }
    Misuse.stop(
      "the run loop of \(thread.title) is run by \(LoopThread.current.title): a loop runs on its own thread; use RunLoop.current"
    )
  }

  private enum Prospect { case something, handled, nothing }

  /// Whether anything can happen in a mode. What Foundation's loop has is only to be learnt by a poll of it.
  private final func mayRun(_ mode: LoopMode, _ mask: UInt64) -> Prospect {
    if mode.index == LoopMode.commonIndex { return .nothing }
    if hasLostThread { return .something }  // the main queue
    var before: UInt64
    repeat {
      if !isEmpty(mask) { return .something }
      adjustAlarm(mode)
      before = calls
      switch foundation.poll(mode.foundation) {
      case .finished: return .nothing
      case .handled: return .handled
      case .stopped, .polled: break
      }
      // A call of this loop's that lay there was something, too: asked again, now that it is gone.
    } while calls != before
    return .something
  }

  private final func runOnce(_ mode: LoopMode, _ limit: UInt64) -> Bool {
    checkThread()
    hasRun = true
    let mask = mask(of: mode)
    switch mayRun(mode, mask) {
    case .nothing: return false
    case .handled: return true
    case .something: break
    }
    isRunning.storeRelaxed(1)  // relaxed: a hint for `unserved`
    runs.append(LoopRun(mode: mode, mask: mask, limit: limit))
    let isRecorded = recordEntry(mode)
    while !pass(mode, mask, limit) {}
    if isRecorded { recordExit() }
    runs.removeLast()
    if runs.isEmpty {
      isRunning.storeRelaxed(0)  // relaxed: as above
      runHasEnded()
    }
    adjustAlarm(mode, isExact: false)
    return true
  }

  /// Serves once, and sleeps if there was nothing to serve. Whether the run is over.
  private final func pass(_ mode: LoopMode, _ mask: UInt64, _ limit: UInt64) -> Bool {
    // An observer of the phases sees those of Foundation's loop, so that everything is left to it.
    if isObserved(mask), !hasLostThread {
      tellRest()
    } else {
      // seq_cst: before the blocks are served; a thread that counts later (P1 in RunLoop+Perform.swift) is seen by
      // `spin`.
      let seen = pushed.loadSeqCst()
      recordPhase(.timers)
      let hasFired = fireDue(mask)
      recordPhase(.sources)
      if performDue(mask) {
        glance(mode, mask)
        return true
      }
      if hasFired, isEmpty(mask) { return mayRun(mode, mask) != .something }
      // Another thread may have taken the last thing away that there was to wait for.
      if limit > Clock.uptime(), spin(seen) { return isEmpty(mask) && mayRun(mode, mask) != .something }
    }
    if limit <= Clock.uptime() {
      if hasLostThread { return true }
      _ = foundation.poll(mode.foundation)
      return true
    }
    return wait(mode, mask, limit)
  }

  /// Sleeps in Foundation's loop. Whether the run is over.
  private final func wait(_ mode: LoopMode, _ mask: UInt64, _ limit: UInt64) -> Bool {
    if hasLostThread {
      sleepWithoutLoop(mask, limit)
      return false
    }
    let own = runs.count - 1
    runs[own].isWaiting = true
    runs[own].hasHandled = false
    adjustAlarm(mode)
    let outcome = foundation.wait(mode.foundation)
    runs[own].isWaiting = false
    switch outcome {
    case .finished, .handled: return true
    case .polled: return false
    case .stopped:
      if runs[own].hasHandled || limit <= Clock.uptime() || !isEmpty(mask) { return true }
      return mayRun(mode, mask) != .something
    }
  }

  /// A loop that its own work keeps awake polls Foundation's now and then.
  private final func glance(_ mode: LoopMode, _ mask: UInt64) {
    let now = Clock.uptime()
    guard now &- lastGlance > LoopTuning.glanceInterval, !hasLostThread else { return }
    let turns = MainQueue.turns
    let outcome = foundation.poll(mode.foundation)
    // A poll serves one descriptor. That may be our own wake each time, which every block that a block leaves brings along. What it
    // has served may be the other main queue: then nothing more for once.
    let isServed = MainQueue.turns != turns || outcome == .handled && !leftMainQueues
    leftMainQueues = isServed
    if !isServed, thread.isMain, mask & LoopMode.common != 0 { MainQueue.drain() }
    lastGlance = now
  }

  final func isObserved(_ mask: UInt64) -> Bool {
    lock.withLock { modes.contains { $0.bit & mask != 0 && $0.observers > 0 } }
  }
}
