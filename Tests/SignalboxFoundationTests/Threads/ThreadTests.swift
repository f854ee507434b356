// ThreadTests.swift: what our threads do that the toolchain's do not: names, notifications, priorities, release, performs.
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

private typealias RunLoop = SignalboxFoundation.RunLoop
private typealias Timer = SignalboxFoundation.Timer
private typealias Thread = SignalboxFoundation.Thread

/// A value that a test's threads share under a lock.
final class Locked<Value: Sendable>: Sendable {
  private let state: OSAllocatedUnfairLock<Value>
  init(_ value: Value) { state = OSAllocatedUnfairLock(initialState: value) }
  var value: Value { state.withLock { $0 } }
  func access<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result { state.withLock(body) }
}

@Suite("Threads: names, notifications, priorities and performs", .serialized) struct ThreadTests {
  @Test("A long name is kept, and cut for the kernel; descriptions have number and name")
  func names() async {
    let seen = Locked<[String]>([])
    let thread = Thread {
      seen.access { $0 = [Threads.ownName(), "\(Thread.current)"] }
      Thread.current.name = "short"
      seen.access { $0.append(Threads.ownName()) }
    }
    thread.name = "a rather long name of a thread"
    thread.start()
    #expect(eventually { thread.isFinished })
    #expect(seen.value.count == 3 && seen.value[0] == "a rather long n" && seen.value[2] == "short")
    #expect(seen.value[1].hasSuffix("{number = \(thread.number), name = a rather long name of a thread}"))
    #expect("\(Thread.mainThread)".hasSuffix("{number = 1, name = main}"))
  }

  // The toolchain's Thread cannot be subclassed by Swift programs on Linux: it has members that cannot be loaded.
  private final class Custom: Thread, @unchecked Sendable {
    let ran = Locked(false)
    override func main() { ran.access { $0 = true } }
  }

  @Test("A subclass's main() is the thread's work")
  func subclass() async {
    let thread = Custom()
    thread.start()
    #expect(eventually { thread.isFinished })
    #expect(thread.ran.value)
  }

  @Test("The notification of a thread's end is posted on that thread, after main() and by exit()", arguments: [false, true])
  func notification(_ exits: Bool) async {
    let told = Locked(0)
    let thread = Thread { if exits { Thread.exit() } }
    let token = NotificationCenter.default.addObserver(forName: .NSThreadWillExit, object: thread, queue: nil) { note in
      let isOwn = note.object as AnyObject === Thread.own && Thread.own.isExecuting
      told.access { $0 += isOwn ? 1 : 100 }
    }
    thread.start()
    #expect(eventually { thread.isFinished })
    NotificationCenter.default.removeObserver(token)
    #expect(told.value == 1)
  }

  @Test("A thread's object and what it keeps are released when it has ended, by exit() too", arguments: [false, true])
  func release(_ exits: Bool) async {
    final class Marker: NSObject {}
    weak let (thread, marker): (Thread?, Marker?) = {
      let thread = Thread {
        Thread.current.threadDictionary["marker"] = Marker()
        if exits { Thread.exit() }
      }
      thread.start()
      #expect(eventually { thread.isFinished })
      return (thread, thread.threadDictionary["marker"] as? Marker)
    }()
    #expect(eventually { thread == nil && marker == nil })
  }

  @Test("A thread not started by this class has one object, released when the thread ends")
  func adopted() async {
    let same = Locked(false)
    await onOwnThread { same.access { $0 = Thread.current === Thread.current && Thread.current.isExecuting } }
    #expect(same.value)
  }

  @Test("A lower priority is granted and can be asked for")
  func priority() async {
    let granted = Locked<[Double?]>([])
    let thread = Thread {
      granted.access { $0 = [Thread.current.grantedPriority] }
      Thread.current.qualityOfService = .background
      granted.access { $0.append(Thread.current.grantedPriority) }
    }
    thread.threadPriority = 0.4
    thread.start()
    #expect(eventually { thread.isFinished })
    #expect(granted.value.count == 2)
    #expect(abs((granted.value[0] ?? 0) - 0.4) < 0.02, "\(granted.value)")
    #expect((granted.value[1] ?? 1) < 0.3, "\(granted.value)")
    #expect(thread.grantedPriority == nil)
  }

  @Test("The stack in words has a line for each call, with a function or a place in an image")
  func symbols() async {
    let symbols = Thread.callStackSymbols
    #expect(symbols.count > 3)
    for (index, line) in symbols.enumerated() { #expect(line.hasPrefix("\(index) ") && line.count > 8, "\(line)") }
  }

  // MARK: performs

  /// A thread that runs its loop until it is cancelled.
  private static func runner() -> Thread {
    let thread = Thread {
      let keeper = Timer.scheduledTimer(withTimeInterval: 1_000, repeats: true) { _ in }
      while !Thread.current.isCancelled { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
      keeper.invalidate()
    }
    thread.start()
    return thread
  }

  final class Account: NSObject, @unchecked Sendable {
    fileprivate let calls = Locked<[String]>([])
    func add(_ argument: Any?) {
      calls.access { [text = "\(argument ?? "nil") \(Thread.own.name ?? "-")"] in $0.append(text) }
    }
  }

  @Test("A block on another thread is waited for, and done there")
  func performAndWait() async throws {
    let thread = Self.runner()
    thread.name = "runner"
    let account = Account()
    try account.perform(Account.add, on: thread, with: 1, waitUntilDone: true)
    #expect(account.calls.value == ["1 runner"])
    try account.perform(Account.add, on: thread, with: 2, waitUntilDone: false)
    try account.perform(Account.add, on: thread, with: 3, waitUntilDone: true, modes: nil)
    try account.perform(Account.add, on: thread, with: 4, waitUntilDone: true)
    #expect(account.calls.value == ["1 runner", "2 runner", "4 runner"])
    thread.cancel()
    try thread.perform {}
    #expect(eventually { thread.isFinished })
    #expect(throws: PerformError.self) { try account.perform(Account.add, on: thread, with: 5, waitUntilDone: true) }
  }

  @Test("A thread that was cancelled before its start is over: what it kept goes, and performs on it fail")
  func cancelledBeforeStart() throws {
    final class Kept: Sendable {}
    weak var kept: Kept?
    let thread: Thread
    do {
      let own = Kept()
      kept = own
      thread = Thread { withExtendedLifetime(own) {} }
    }
    #expect(kept != nil)
    thread.cancel()
    thread.start()
    #expect(thread.isFinished && !thread.isExecuting && kept == nil)
    #expect(throws: PerformError.self) { try thread.perform(waitUntilDone: true) {} }
    #expect(throws: PerformError.self) { try thread.perform {} }
  }

  @Test("A method is called on a thread of its own, in the background, detached, or by a thread made for it")
  func performOnNewThread() {
    let account = Account()
    account.performInBackground(Account.add, with: 1)
    #expect(eventually { account.calls.value == ["1 -"] })
    Thread.detachNewThread(Account.add, toTarget: account, with: 2)
    #expect(eventually { account.calls.value == ["1 -", "2 -"] })
    let thread = Thread(target: account, action: Account.add, object: nil)
    thread.name = "named"
    thread.start()
    #expect(eventually { thread.isFinished })
    #expect(account.calls.value == ["1 -", "2 -", "nil named"])
  }

  @Test("A thread that ends without running its loop ends the waits for its performs")
  func performDropped() async {
    let (go, asker) = (Gate(), UInt64(ThreadSlot.kernelID()))
    let thread = Thread { go.pass() }
    thread.start()
    #expect(eventually { thread.isExecuting })
    let ending = Thread {
      awaitState("the asker waits") { KernelThread.sample(asker)?.isWaiting == true }
      go.open()
    }
    ending.start()
    #expect(throws: PerformError.self) { try thread.perform(waitUntilDone: true) {} }
  }

  @Test("Delayed performs run in order, and can be cancelled by target and name")
  func delayed() async {
    let account = Account()
    await onOwnThread {
      // So far apart that no pause between the two calls turns the dates around.
      account.perform(Account.add, with: 1, afterDelay: 0.7)
      account.perform(Account.add, named: "b", with: 2, afterDelay: 0.01)
      account.perform(Account.add, named: "c", with: 3, afterDelay: 0.005)
      NSObject.cancelPreviousPerformRequests(withTarget: account, name: "c")
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 10))
      account.perform(Account.add, with: 4, afterDelay: 0.001)
      NSObject.cancelPreviousPerformRequests(withTarget: account)
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 10))
    }
    #expect(account.calls.value == ["2 -", "1 -"])
  }

  @Test("Queued notifications are posted by style, several as one")
  func notificationQueue() async {
    let log = Locked<[String]>([])
    await onOwnThread {
      let center = NotificationCenter()
      let queue = SignalboxFoundation.NotificationQueue(notificationCenter: center)
      for name in ["asap", "idle", "now"] {
        _ = center.addObserver(forName: NSNotification.Name(name), object: nil, queue: nil) { _ in
          log.access { $0.append(name) }
        }
      }
      func note(_ name: String) -> Notification { Notification(name: NSNotification.Name(name)) }
      let keeper = Timer.scheduledTimer(withTimeInterval: 1_000, repeats: true) { _ in }
      queue.enqueue(note("idle"), postingStyle: .whenIdle)
      queue.enqueue(note("asap"), postingStyle: .asap)
      queue.enqueue(note("asap"), postingStyle: .asap)
      queue.enqueue(note("now"), postingStyle: .now)
      let end = Date(timeIntervalSinceNow: 10)
      while log.value.count < 3, Date() < end {
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
      }
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
      keeper.invalidate()
    }
    #expect(log.value == ["now", "asap", "idle"])
  }
}
