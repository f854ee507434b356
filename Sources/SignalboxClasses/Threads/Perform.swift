// Perform.swift: having something done on another thread, by its run loop: now and waited for, later, or on a new thread.
//
// Apple's family takes selectors. Here a method is named as `Type.method` (TargetAction.swift), the target is the receiver, and
// what is to be cancelled later is found by the target and a name.
public import Foundation
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

/// The reason why another thread did not run a block.
///
/// ```swift
/// let thread = Thread {}
/// thread.start()
/// while !thread.isFinished { await Task.yield() }
/// do { try thread.perform(waitUntilDone: true) { print("never") } } catch {
///   switch error { case .threadHasEnded(let name): print(name, "has ended") }
///   print(error.description)
/// }
/// ```
public enum PerformError: Error, Sendable, CustomStringConvertible {
  /// The thread has exited, so its loop runs nothing any more. The value is the thread's description.
  case threadHasEnded(String)

  /// The error in words.
  public var description: String {
    switch self {
    case .threadHasEnded(let thread): "\(thread) has ended: blocks left on its run loop will not run"
    }
  }
}

/// Tells a waiting thread how it ended: done, or dropped with the block that held it.
private final class PerformTicket: Sendable {
  final class Answer: Sendable {
    let isDone = Atomic32(0)
    let semaphore = SignalboxDispatch.DispatchSemaphore(value: 0)
  }
  let answer: Answer
  init(_ answer: Answer) { self.answer = answer }
  func isDone() { answer.isDone.storeRelease(1) }  // release P4: what the block did, to P5
  // Whether the block has run or not, it is gone now.
  deinit { answer.semaphore.signal() }
}

extension Thread {
  /// Calls `block` on the thread's run loop, in the first of `modes` in which it runs.
  ///
  /// With `waitUntilDone` on the thread itself, the block is called directly. A thread that does not run its loop never calls
  /// the block; this is reported after a second.
  ///
  /// ```swift
  /// let done = DispatchSemaphore(value: 0)
  /// let worker = Thread { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }  // until a block has run
  /// try worker.perform { print("on the worker's run loop"); done.signal() }
  /// worker.start()
  /// done.wait()
  /// ```
  ///
  /// - Parameters:
  ///   - modes: the common modes by default. With nil or no modes, the block never runs and is not waited for.
  ///   - waitUntilDone: whether to return only after the block has run.
  /// - Throws: `PerformError.threadHasEnded`.
  public final func perform(
    waitUntilDone: Bool = false, modes: [RunLoop.Mode]? = [.common], _ block: @escaping @Sendable () -> Void
  ) throws(PerformError) {
    guard let modes, !modes.isEmpty else { return }
    if waitUntilDone, self === Thread.own { return block() }
    guard waitUntilDone else {
      if !leave(modes, block) { throw .threadHasEnded(description) }
      return
    }
    let answer = PerformTicket.Answer()
    // Only the block holds the ticket: it goes with the block.
    let isLeft = { (ticket: PerformTicket) in
      leave(modes) {
        block()
        ticket.isDone()
      }
    }(PerformTicket(answer))
    if isLeft { answer.semaphore.wait() }
    // acquire P5: pairs with P4; the semaphore has ordered the end of the block before this.
    if answer.isDone.loadAcquire() == 0 { throw .threadHasEnded(description) }
  }

  /// Leaves a block with the thread's loop, or for the loop that it is to have. False: the thread has ended.
  private final func leave(_ modes: [RunLoop.Mode], _ block: @escaping @Sendable () -> Void) -> Bool {
    if self === Thread.mainThread {
      RunLoop.main.perform(inModes: modes, block: block)
      return true
    }
    let place = lock.withLock { () -> (isOver: Bool, loop: RunLoop?) in
      if isOver { return (true, nil) }
      if loop == nil { early.append(EarlyPerform(modes: modes, block: block)) }
      return (false, loop)
    }
    place.loop?.perform(inModes: modes, block: block)
    if place.loop == nil, !place.isOver { noteNoLoop() }
    return !place.isOver
  }

  /// A block waits for the loop that the thread is to have: if there is none a second later, that is reported, once for a thread.
  private final func noteNoLoop() {
    // In a body that is explored it would be a timer that the body leaves behind.
    guard !Exploration.isOfCaller, state.moved({ $0.afterCheckPlanned() }) else { return }
    DispatchQueue.global(qos: .default).asyncAfter(deadline: .now() + .nanoseconds(Int(UnservedLoopCheck.patience))) {
      [weak self] in
      guard let self else { return }
      _ = state.moved { $0.afterCheck() }
      guard !lock.withLock({ early.isEmpty }), state.moved({ $0.afterToldOfNoLoop() }) else { return }
      tellOfNoLoop()
    }
  }

  private final func tellOfNoLoop() {
    let state = isExecuting ? "runs no loop" : "was not started"
    Misuse.report(
      """
      a block was left more than a second ago for \(self), which \(state): it is called, and a caller that waits for it goes \
      on, when that thread runs its loop (RunLoop.current.run()), or ends
      """)
  }
}

/// Objects whose methods can be called on other threads or later; all of Foundation's objects conform.
///
/// ```swift file
/// final class Greeter: NSObject, Sendable {
///   func greet(_ name: String) { print("hello,", name) }
/// }
/// func greetFromElsewhere(_ greeter: Greeter, on worker: Thread) throws {
///   greeter.performInBackground(Greeter.greet, with: "Ann")  // on a new thread
///   try greeter.perform(Greeter.greet, on: worker, with: "Bob", waitUntilDone: true)
/// }
/// ```
///
/// - Note: Thread safety: any thread may call `perform`; the method runs on the thread that is named.
public protocol ThreadPerforming: AnyObject {}
extension NSObject: ThreadPerforming {}

extension ThreadPerforming {
  /// Calls `action` of this object with `arg` on the thread `thr`, by its run loop; see `Thread.perform`.
  ///
  /// `try cache.perform(Cache.remove, on: worker, with: key, waitUntilDone: true)`
  ///
  /// ```swift file
  /// final class Cache: NSObject, Sendable {
  ///   func remove(_ key: String) { print("removed", key) }
  ///   func removeLater(_ key: String, on worker: Thread) throws {
  ///     try perform(Cache.remove, on: worker, with: key, waitUntilDone: false)
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: `PerformError.threadHasEnded` if the thread has exited.
  public func perform<Argument>(
    _ action: @escaping (Self) -> (Argument) -> Void, on thr: Thread, with arg: Argument, waitUntilDone wait: Bool,
    modes: [RunLoop.Mode]? = [.common]
  ) throws(PerformError) {
    // SAFETY: both go to the other thread, as with Apple's selectors; whether they may is the caller's to know.
    nonisolated(unsafe) let (call, arg) = (action(self), arg)
    try thr.perform(waitUntilDone: wait, modes: modes) { call(arg) }
  }

  /// Calls a method without an argument, otherwise like `perform(_:on:with:waitUntilDone:modes:)`; `arg` is ignored.
  ///
  /// ```swift file
  /// final class Cache: NSObject, Sendable {
  ///   func empty() { print("emptied") }
  ///   func emptyLater(on worker: Thread) throws { try perform(Cache.empty, on: worker, waitUntilDone: false) }
  /// }
  /// ```
  ///
  /// - Throws: `PerformError.threadHasEnded` if the thread has exited.
  public func perform(
    _ action: @escaping (Self) -> () -> Void, on thr: Thread, with arg: Any? = nil, waitUntilDone wait: Bool,
    modes: [RunLoop.Mode]? = [.common]
  ) throws(PerformError) {
    try perform({ target in { (_: Void) in action(target)() } }, on: thr, with: (), waitUntilDone: wait, modes: modes)
  }

  /// Calls `action` of this object with `arg` on the main thread, by its run loop.
  ///
  /// ```swift file
  /// final class Screen: NSObject, Sendable {
  ///   func show(_ text: String) { print(text) }
  ///   func showLater(_ text: String) { performOnMainThread(Screen.show, with: text, waitUntilDone: false) }
  /// }
  /// ```
  public func performOnMainThread<Argument>(
    _ action: @escaping (Self) -> (Argument) -> Void, with arg: Argument, waitUntilDone wait: Bool,
    modes: [RunLoop.Mode]? = [.common]
  ) {
    // The main thread does not end before the program.
    try? perform(action, on: Thread.mainThread, with: arg, waitUntilDone: wait, modes: modes)
  }

  /// Like `performOnMainThread(_:with:waitUntilDone:modes:)`, for a method without an argument.
  ///
  /// ```swift file
  /// final class Screen: NSObject, Sendable {
  ///   func update() { print("updated") }
  ///   func updateLater() { performOnMainThread(Screen.update, waitUntilDone: false) }
  /// }
  /// ```
  public func performOnMainThread(
    _ action: @escaping (Self) -> () -> Void, with arg: Any? = nil, waitUntilDone wait: Bool,
    modes: [RunLoop.Mode]? = [.common]
  ) {
    try? perform(action, on: Thread.mainThread, waitUntilDone: wait, modes: modes)
  }

  /// Calls `action` of this object with `arg` on a new thread.
  ///
  /// ```swift file
  /// final class Loader: NSObject, Sendable {
  ///   func load(_ name: String) { print("loads", name) }
  ///   func start(_ name: String) { performInBackground(Loader.load, with: name) }
  /// }
  /// ```
  public func performInBackground<Argument>(_ action: @escaping (Self) -> (Argument) -> Void, with arg: Argument) {
    Thread(target: self, action: action, object: arg).start()
  }

  /// Calls `action` of this object on a new thread.
  ///
  /// ```swift file
  /// final class Server: NSObject, Sendable {
  ///   func run() { print("serves") }
  ///   func start() { performInBackground(Server.run) }
  /// }
  /// ```
  public func performInBackground(_ action: @escaping (Self) -> () -> Void, with arg: Any? = nil) {
    Thread(target: self, action: action).start()
  }

  /// Calls `action` of this object with `arg` on the calling thread's run loop after `delay` seconds.
  ///
  /// ```swift file
  /// final class Search: NSObject {
  ///   func run(_ text: String) { print("searches", text) }
  ///   func typed(_ text: String) {
  ///     NSObject.cancelPreviousPerformRequests(withTarget: self)
  ///     perform(Search.run, with: text, afterDelay: 0.3)  // unless the next letter comes earlier
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name under which `cancelPreviousPerformRequests(withTarget:name:)` finds the call.
  ///   - modes: the modes in which it may be called; none means never.
  public func perform<Argument>(
    _ action: @escaping (Self) -> (Argument) -> Void, named name: String = "", with arg: Argument,
    afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode] = [.default]
  ) {
    guard !modes.isEmpty else { return }
    let loop = RunLoop.own
    // SAFETY: used on this thread only, by the timer's block.
    nonisolated(unsafe) let (call, arg) = (action(self), arg)
    let timer = Timer(timeInterval: max(delay, 0.000_1), repeats: false) { [weak loop] timer in
      loop?.delayed.removeAll { $0.timer === timer }
      call(arg)
    }
    loop.delayed.append(DelayedPerform(target: ObjectIdentifier(self), name: name, timer: timer))
    for mode in modes { loop.add(timer, forMode: mode) }
  }

  /// Calls a method without an argument after `delay` seconds, otherwise like `perform(_:named:with:afterDelay:inModes:)`.
  ///
  /// ```swift file
  /// final class Reminder: NSObject {
  ///   func remind() { print("now") }
  ///   func start() { perform(Reminder.remind, afterDelay: 60) }  // while this thread runs its loop
  /// }
  /// ```
  public func perform(
    _ action: @escaping (Self) -> () -> Void, named name: String = "", with arg: Any? = nil, afterDelay delay: TimeInterval,
    inModes modes: [RunLoop.Mode] = [.default]
  ) {
    perform({ target in { (_: Void) in action(target)() } }, named: name, with: (), afterDelay: delay, inModes: modes)
  }
}

extension NSObject {
  /// Cancels all delayed calls on `aTarget` in the calling thread's run loop.
  ///
  /// ```swift file
  /// final class Reminder: NSObject {
  ///   func remind() { print("now") }
  ///   func start() { perform(Reminder.remind, afterDelay: 60) }
  ///   func stop() { NSObject.cancelPreviousPerformRequests(withTarget: self) }  // on the same thread
  /// }
  /// ```
  public class func cancelPreviousPerformRequests(withTarget aTarget: AnyObject) {
    RunLoop.own.cancelDelayed { $0.target == ObjectIdentifier(aTarget) }
  }

  /// Cancels those delayed calls on `aTarget` that have the name `name`.
  ///
  /// ```swift file
  /// final class Reminder: NSObject {
  ///   func remind() { print("now") }
  ///   func start() { perform(Reminder.remind, named: "reminder", afterDelay: 60) }
  ///   func stop() { NSObject.cancelPreviousPerformRequests(withTarget: self, name: "reminder") }
  /// }
  /// ```
  public class func cancelPreviousPerformRequests(withTarget aTarget: AnyObject, name: String) {
    RunLoop.own.cancelDelayed { $0.target == ObjectIdentifier(aTarget) && $0.name == name }
  }
}

extension RunLoop {
  fileprivate final func cancelDelayed(_ isMeant: (DelayedPerform) -> Bool) {
    let meant = delayed.filter(isMeant)
    delayed.removeAll(where: isMeant)
    for one in meant { one.timer.invalidate() }
  }
}
