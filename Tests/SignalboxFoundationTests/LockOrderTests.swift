// LockOrderTests.swift: what lock order and statistics see of Foundation's lock classes; each test in a process of its own. The
// other types are in SignalboxDiagnosisTests/LockOrder/LockTypeTests.swift.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxClasses

private func watch() {
  alarm(500)
  setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
  LockOrder.mode = .report
}

private var kinds: [LockOrderReport.Kind] { LockOrder.reports.map(\.kind) }

/// A thread of the system: nothing of it is seen by instruments but what the body does.
// SAFETY of @unchecked: a thread's handle is a number; it is joined once.
private struct PlainThread: @unchecked Sendable {
  private let handle: pthread_t
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  init(_ body: @escaping @Sendable () -> Void) {
    var made = pthread_t()
    let status = pthread_create(
      &made, nil,
      { context in
        Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    precondition(status == 0, "no thread for a test: error \(status)")
    handle = made
  }
  func join() { pthread_join(handle, nil) }
}

/// What `body` does, on a thread of its own that has ended when this returns.
private func elsewhere(_ body: @escaping @Sendable () -> Void) { PlainThread(body).join() }

/// The four classes, by what the tests do with them; plain functions, as locks may not be used in asynchronous code.
private enum LockClassKind: String, CaseIterable, Sendable {
  case plain = "NSLock"
  case recursive = "NSRecursiveLock"
  case condition = "NSCondition"
  case conditionLock = "NSConditionLock"

  func make(_ name: String?) -> any NSLocking & Sendable {
    switch self {
    case .plain:
      let lock = NSLock()
      lock.name = name
      return lock
    case .recursive:
      let lock = NSRecursiveLock()
      lock.name = name
      return lock
    case .condition:
      let lock = NSCondition()
      lock.name = name
      return lock
    case .conditionLock:
      let lock = NSConditionLock(condition: 1)
      lock.name = name
      return lock
    }
  }
}

private func nest(_ outer: any NSLocking, _ inner: any NSLocking) {
  outer.lock()
  inner.lock()
  inner.unlock()
  outer.unlock()
}

/// Asks for the lock without waiting; whether that was possible. Nil for the class that cannot be asked so.
private func tryOnce(_ lock: any NSLocking, _ body: () -> Void = {}) -> Bool? {
  let got: Bool
  switch lock {
  case let lock as NSLock: got = lock.try()
  case let lock as NSRecursiveLock: got = lock.try()
  case let lock as NSConditionLock: got = lock.tryLock(whenCondition: 1)
  default: return nil
  }
  guard got else { return false }
  body()
  lock.unlock()
  return true
}

@Suite("Lock order and statistics cover Foundation's lock classes") struct LockOrderTests {
  @Test(
    "A lock taken both ways round with another on two threads is reported once, with class and name", arguments: [true, false])
  func orders(named: Bool) async {
    await #expect(processExitsWith: .success) { [named = named as Bool] in
      watch()
      for (index, kind) in LockClassKind.allCases.enumerated() {
        let (lock, other) = (kind.make(named ? "the \(index)" : nil), NSLock())
        other.name = "other of \(index)"
        nest(other, lock)
        #expect(kinds.count == index)
        for _ in 0..<3 { elsewhere { nest(lock, other) } }
        #expect(kinds.count == index + 1 && kinds.last == .inversion, "\(kind): \(kinds)")
        let step = LockOrder.reports.last!.steps[0]
        #expect(step.wanted == "NSLock \"other of \(index)\"")
        let name = named ? "\(kind.rawValue) \"the \(index)\"" : "\(kind.rawValue) made in "
        #expect(step.held.hasPrefix(name), "\(step.held)")
      }
    }
  }

  @Test("Locks that are made at one place are one class, until they are named")
  func places() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (locks, other) = ((0..<2).map { _ in NSLock() }, NSLock())
      nest(locks[0], other)
      elsewhere { nest(other, locks[1]) }
      #expect(kinds == [.inversion])
      let named = (0..<2).map { NSLock.named("number \($0)") }
      nest(named[0], other)
      elsewhere { nest(other, named[1]) }
      #expect(kinds == [.inversion])
    }
  }

  @Test("Locks taken by trying or until a date are in no order with those held before, and are given back")
  func tries() async {
    await #expect(processExitsWith: .success) {
      watch()
      for kind in LockClassKind.allCases where kind != .condition {
        let (lock, other) = (kind.make(nil), NSLock())
        nest(lock, other)
        let edges = LockWorld.graph.edges.count
        elsewhere {
          other.lock()
          var held = 0
          #expect(tryOnce(lock) { held = HeldLocks.count } == true)
          #expect(held == 2 && HeldLocks.count == 1)
          LockOrderTests.takeUntilLater(lock)
          other.unlock()
          #expect(HeldLocks.count == 0)
        }
        #expect(LockWorld.graph.edges.count == edges && kinds.isEmpty, "\(kind)")
        lock.lock()
        elsewhere { #expect(tryOnce(lock) == false) }
        lock.unlock()
      }
    }
  }
  private static func takeUntilLater(_ lock: any NSLocking) {
    let later = Date(timeIntervalSinceNow: 60)
    switch lock {
    case let lock as NSLock: #expect(lock.lock(before: later))
    case let lock as NSRecursiveLock: #expect(lock.lock(before: later))
    case let lock as NSConditionLock:
      #expect(lock.lock(before: later))
      #expect(HeldLocks.count == 2)
      lock.unlock()
      #expect(lock.lock(whenCondition: 1, before: later))
    default: return
    }
    #expect(HeldLocks.count == 2)
    lock.unlock()
  }

  @Test("A recursive lock is held from the first time to the last")
  func recursion() async {
    await #expect(processExitsWith: .success) {
      watch()
      LockOrderTests.recurse()
    }
  }
  private static func recurse() {
    let lock = NSRecursiveLock()
    lock.lock()
    for _ in 0..<3 { lock.lock() }
    #expect(lock.try() && HeldLocks.count == 1)
    for _ in 0..<4 { lock.unlock() }
    #expect(HeldLocks.count == 1)
    lock.unlock()
    #expect(HeldLocks.count == 0)
  }

  @Test("A lock that another thread unlocks is not held any more")
  func strangers() async {
    await #expect(processExitsWith: .success) {
      watch()
      for kind in LockClassKind.allCases where kind != .recursive {
        let lock = kind.make(nil)
        lock.lock()
        elsewhere { lock.unlock() }
        #expect(HeldLocks.count == 0, "\(kind)")
        nest(lock, NSLock())
      }
      #expect(kinds.isEmpty)
    }
  }

  @Test("A thread that waits for a condition or a number does not hold the lock, and does when it goes on")
  func waiting() async {
    await #expect(processExitsWith: .success) {
      watch()
      LockOrderTests.waitForSignal()
      LockOrderTests.waitForNumber()
      #expect(kinds.isEmpty && LockWorld.graph.edges.isEmpty)
    }
  }
  private static func waitForSignal() {
    let (condition, owner) = (NSCondition(), Owner())
    let thread = PlainThread {
      condition.lock()
      owner.isMe()
      condition.wait()
      #expect(HeldLocks.count == 1)
      condition.unlock()
      #expect(HeldLocks.count == 0)
    }
    #expect(owner.isAsleep())
    #expect(HeldLocks.acquisition(of: condition.core.address, by: owner.value) == nil)
    condition.lock()
    condition.signal()
    condition.unlock()
    thread.join()
  }
  private static func waitForNumber() {
    let (lock, owner) = (NSConditionLock(condition: 0), Owner())
    let thread = PlainThread {
      owner.isMe()
      lock.lock(whenCondition: 7)
      #expect(HeldLocks.count == 1)
      lock.unlock(withCondition: 8)
      #expect(HeldLocks.count == 0)
    }
    #expect(owner.isAsleep())
    lock.lock()
    lock.unlock(withCondition: 7)
    thread.join()
    #expect(lock.condition == 8)
  }

  @Test("Statistics by name have acquisitions, waits, the longest one and its holder; waiting for a number is no contention")
  func statistics() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      LockStatistics.start()
      let lock = NSLock.named("accounts")
      LockOrderTests.contend(lock)
      let usage = LockStatistics.snapshot().first { $0.name == "NSLock \"accounts\"" }
      #expect(usage?.acquisitions == 2 && usage?.contended == 1)
      #expect((usage?.longestWait ?? 0) >= 2_000_000 && usage?.longestWait == usage?.totalWait)
      #expect(usage?.longestHolder?.threadName == "the-holder")
      #expect(LockStatistics.table().contains("NSLock \"accounts\", longest behind thread"))
      LockOrderTests.waitForNumber()
      let number = LockStatistics.snapshot().first { $0.name.hasPrefix("NSConditionLock") }
      #expect(number?.acquisitions == 2 && number?.contended == 0, "\(number as Any)")
    }
  }
  /// One thread holds the lock until the calling one has slept behind it for a while.
  private static func contend(_ lock: NSLock) {
    let (waiter, isHeld, isOver) = (Owner(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let holder = PlainThread {
      Threads.setName("the-holder")
      lock.lock()
      isHeld.signal()
      _ = waiter.isAsleep()
      sleepPlainly(milliseconds: 3)  // what the wait has lasted at least
      lock.unlock()
      isOver.wait()  // its name is looked up when the wait is over
    }
    isHeld.wait()
    waiter.isMe()
    lock.lock()
    lock.unlock()
    isOver.signal()
    holder.join()
  }

  @Test("The report of a lock that its holder asks for again says where it was taken, and its name")
  func relock() async throws {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      watch()
      let lock = NSLock.named("accounts")
      nest(lock, lock)
    }
    let text = errorText(result)
    #expect(text.contains(#/acquired NSLock 0x[0-9a-f]+ "accounts" at:\n +\(\d+ frames of Signalbox: .*\)\n +0 \S/#), "\(text)")
  }
}

/// A thread that others read.
private final class Owner: Sendable {
  private let word = Atomic64(0)
  var value: UInt64 { word.loadAcquire() }
  func isMe() { word.storeRelease(ThreadSlot.owner()) }

  /// Waits until the thread sleeps in a wait of ours.
  func isAsleep() -> Bool {
    eventually { value != 0 && WaitRecord.isWaiting(value) }
  }
}

extension NSLock {
  fileprivate static func named(_ name: String) -> NSLock {
    let lock = NSLock()
    lock.name = name
    return lock
  }
}
