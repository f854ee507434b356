// TargetAction.swift: threads and timers that call a method of an object: what Apple writes with a target and a selector. Methods
// that are called on other threads, or later, are Perform.swift.
//
// Without Objective-C there are no selectors. A method is named as `Type.method`, in two forms as with selectors: with the
// argument and without. Neither form asks for a function that is safe to send, because no method of an ordinary class is one:
// as with selectors, the caller knows where target and argument may be used.
public import Foundation

extension Thread {
  /// Creates a thread that will call `action` of `target` with `argument`: `Thread(target: self, action: Loader.load, object:
  /// url)`. The thread retains both until it has exited.
  ///
  /// ```swift file
  /// final class Loader: Sendable {
  ///   func load(_ name: String) { print("loads", name) }
  ///   func start(_ name: String) { Thread(target: self, action: Loader.load, object: name).start() }
  /// }
  /// ```
  public convenience init<Target: AnyObject, Argument>(
    target: Target, action: @escaping (Target) -> (Argument) -> Void, object argument: Argument
  ) {
    // SAFETY: all three go to the new thread, as Apple's do; whether they may is the caller's to know.
    nonisolated(unsafe) let (target, action, argument) = (target, action, argument)
    self.init { action(target)(argument) }
  }

  /// Creates a thread that will call `action` of `target`: `Thread(target: self, action: Loader.run)`. The thread retains the
  /// target until it has exited; `argument` is ignored.
  ///
  /// ```swift file
  /// final class Server: Sendable {
  ///   func run() { print("serves") }
  ///   func start() { Thread(target: self, action: Server.run).start() }
  /// }
  /// ```
  public convenience init<Target: AnyObject>(
    target: Target, action: @escaping (Target) -> () -> Void, object argument: Any? = nil
  ) {
    // SAFETY: as above.
    nonisolated(unsafe) let (target, action) = (target, action)
    self.init { action(target)() }
  }

  /// Starts a thread that calls `action` of `target` with `argument`.
  ///
  /// ```swift file
  /// final class Loader: Sendable {
  ///   func load(_ name: String) { print("loads", name) }
  ///   func start(_ name: String) { Thread.detachNewThread(Loader.load, toTarget: self, with: name) }
  /// }
  /// ```
  public class func detachNewThread<Target: AnyObject, Argument>(
    _ action: @escaping (Target) -> (Argument) -> Void, toTarget target: Target, with argument: Argument
  ) { Thread(target: target, action: action, object: argument).start() }

  /// Starts a thread that calls `action` of `target`.
  ///
  /// ```swift file
  /// final class Server: Sendable {
  ///   func run() { print("serves") }
  ///   func start() { Thread.detachNewThread(Server.run, toTarget: self) }
  /// }
  /// ```
  public class func detachNewThread<Target: AnyObject>(
    _ action: @escaping (Target) -> () -> Void, toTarget target: Target, with argument: Any? = nil
  ) { Thread(target: target, action: action).start() }
}

extension Timer {
  /// Creates a timer that calls `action` of `target` with itself. It is not on a loop yet, and retains the target until it is invalidated.
  ///
  /// ```swift file
  /// final class Backup: Sendable {
  ///   func run(_ timer: Timer) { print("saves", timer.userInfo ?? "all") }
  ///   func schedule(from date: Date) {
  ///     let timer = Timer(
  ///       fireAt: date, interval: 86_400, target: self, action: Backup.run, userInfo: "mail", repeats: true)
  ///     RunLoop.main.add(timer, forMode: .common)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter interval: seconds between calls; zero or less means 0.1 ms. Ignored if the timer does not repeat.
  public convenience init<Target: AnyObject>(
    fireAt date: Date, interval: TimeInterval, target: Target, action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?,
    repeats: Bool
  ) {
    // SAFETY: both are used where Apple's timer uses them: on the loop's thread.
    nonisolated(unsafe) let (target, action) = (target, action)
    self.init(
      LoopTimerCore(date, interval: repeats ? Self.usable(interval) : 0, userInfo: userInfo) { action(target)($0) })
  }

  /// Creates a timer that calls a method without an argument every `interval` seconds, otherwise like
  /// `init(fireAt:interval:target:action:userInfo:repeats:)`.
  ///
  /// ```swift file
  /// final class Backup: Sendable {
  ///   func run() { print("saves all") }
  ///   func schedule(from date: Date) {
  ///     let next = Timer(fireAt: date, interval: 900, target: self, action: Backup.run, userInfo: nil, repeats: true)
  ///     RunLoop.main.add(next, forMode: .common)
  ///   }
  /// }
  /// ```
  public convenience init<Target: AnyObject>(
    fireAt date: Date, interval: TimeInterval, target: Target, action: @escaping (Target) -> () -> Void, userInfo: Any?,
    repeats: Bool
  ) {
    self.init(
      fireAt: date, interval: interval, target: target, action: Self.taking(action), userInfo: userInfo, repeats: repeats)
  }

  /// Creates a timer that first fires after `interval` seconds, otherwise like `init(fireAt:interval:target:action:userInfo:repeats:)`.
  ///
  /// ```swift file
  /// final class Monitor: Sendable {
  ///   func check(_ timer: Timer) { print("checks", timer.userInfo ?? "all") }
  ///   func start() {
  ///     let timer = Timer(timeInterval: 1, target: self, action: Monitor.check, userInfo: "disk", repeats: true)
  ///     RunLoop.main.add(timer, forMode: .common)
  ///   }
  /// }
  /// ```
  public convenience init<Target: AnyObject>(
    timeInterval interval: TimeInterval, target: Target, action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?,
    repeats: Bool
  ) {
    self.init(
      fireAt: Date() + Self.usable(interval), interval: interval, target: target, action: action, userInfo: userInfo,
      repeats: repeats)
  }

  /// Creates a timer that calls a method without an argument after `interval` seconds, otherwise like
  /// `init(timeInterval:target:action:userInfo:repeats:)`.
  ///
  /// ```swift file
  /// final class Monitor: Sendable {
  ///   func check() { print("checks all") }
  ///   func start() {
  ///     let timer = Timer(timeInterval: 1, target: self, action: Monitor.check, userInfo: nil, repeats: true)
  ///     RunLoop.main.add(timer, forMode: .common)
  ///   }
  /// }
  /// ```
  public convenience init<Target: AnyObject>(
    timeInterval interval: TimeInterval, target: Target, action: @escaping (Target) -> () -> Void, userInfo: Any?,
    repeats: Bool
  ) {
    self.init(
      timeInterval: interval, target: target, action: Self.taking(action), userInfo: userInfo, repeats: repeats)
  }

  /// Creates a timer that calls `action` of `target` with itself after `interval` seconds, and adds it to the calling thread's loop in the
  /// default mode.
  ///
  /// ```swift file
  /// final class Monitor: Sendable {
  ///   func check(_ timer: Timer) { print("checks", timer.userInfo ?? "all") }
  ///   func start() {  // on a thread that runs its loop
  ///     Timer.scheduledTimer(timeInterval: 1, target: self, action: Monitor.check, userInfo: "disk", repeats: true)
  ///   }
  /// }
  /// ```
  @available(*, noasync, message: "a task may resume on another thread: use RunLoop.main, or Task.sleep")
  @discardableResult
  public class func scheduledTimer<Target: AnyObject>(
    timeInterval interval: TimeInterval, target: Target, action: @escaping (Target) -> (Timer) -> Void, userInfo: Any?,
    repeats: Bool
  ) -> Timer {
    let timer = Timer(timeInterval: interval, target: target, action: action, userInfo: userInfo, repeats: repeats)
    RunLoop.current.add(timer, forMode: .default)
    return timer
  }

  /// Creates a timer that calls a method without an argument after `interval` seconds, otherwise like
  /// `scheduledTimer(timeInterval:target:action:userInfo:repeats:)`.
  ///
  /// ```swift file
  /// final class Monitor: Sendable {
  ///   func check() { print("checks all") }
  ///   func start() {  // on a thread that runs its loop
  ///     Timer.scheduledTimer(timeInterval: 1, target: self, action: Monitor.check, userInfo: nil, repeats: true)
  ///   }
  /// }
  /// ```
  @available(*, noasync, message: "a task may resume on another thread: use RunLoop.main, or Task.sleep")
  @discardableResult
  public class func scheduledTimer<Target: AnyObject>(
    timeInterval interval: TimeInterval, target: Target, action: @escaping (Target) -> () -> Void, userInfo: Any?,
    repeats: Bool
  ) -> Timer {
    scheduledTimer(timeInterval: interval, target: target, action: taking(action), userInfo: userInfo, repeats: repeats)
  }

  /// A method without an argument, as one that leaves the timer out.
  private static func taking<Target>(_ action: @escaping (Target) -> () -> Void) -> (Target) -> (Timer) -> Void {
    { target in { _ in action(target)() } }
  }
}
