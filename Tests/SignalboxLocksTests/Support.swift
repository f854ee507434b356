// Support.swift: what the lock tests share: joined threads, waiting with a deadline that fails loudly, what a child process said.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// Kills this process after `patience`, so that a hang in a child process becomes a failure.
func killOnHang() { alarm(UInt32(2 * patience)) }

/// Switches every instrument on when the environment asks for it: all that is tested holds on the instrumented paths too.
let prepareSubject: Void = {
  if getenv("SIGNALBOX_INSTRUMENTS") != nil { Instruments.set(0xFF) }
}()

/// Nanoseconds in this many milliseconds.
func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }

/// Nanoseconds that `body` takes.
func duration(_ body: () -> Void) -> UInt64 {
  let start = Clock.uptime()
  body()
  return Clock.uptime() - start
}

/// A thread of the test's own, made without the library under test.
// SAFETY of @unchecked: a thread's handle is a number; it is joined once.
struct TestThread: @unchecked Sendable {
  private let handle: pthread_t

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  init(_ body: @escaping @Sendable () -> Void) {
    _ = prepareSubject
    var handle = pthread_t()
    let status = pthread_create(
      &handle, nil,
      { context in
        Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    precondition(status == 0, "no thread for a test: error \(status)")
    self.handle = handle
  }

  func join() { pthread_join(handle, nil) }
}

/// Runs `body` on this many POSIX threads and returns when all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let threads = (0..<count).map { index in TestThread { body(index) } }
  for thread in threads { thread.join() }
}

/// Runs `body` on one other thread and returns when it has ended.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) { TestThread(body).join() }

/// A number that threads share.
final class Count: Sendable {
  private let number: Atomic64
  init(_ value: UInt64 = 0) { number = Atomic64(value) }
  var value: UInt64 {
    get { number.loadAcquire() }
    set { number.storeRelease(newValue) }
  }
  @discardableResult func add(_ value: UInt64 = 1) -> UInt64 { number.addSeqCst(value) &+ value }
  /// The value is at least `value` in the end.
  func raise(to value: UInt64) { change { max($0, value) } }
  /// The value is at most `value` in the end.
  func lower(to value: UInt64) { change { min($0, value) } }
  private func change(_ step: (UInt64) -> UInt64) {
    var old = number.loadRelaxed()
    while step(old) != old {
      let swap = number.casAcqRel(old, step(old))
      if swap.exchanged { return }
      old = swap.original
    }
  }
}

/// Plain variables that only the lock under test protects.
// SAFETY of @unchecked: touched only while that lock is held, or after all threads have ended.
final class Guarded: @unchecked Sendable {
  var sum = 0
  var inside = 0
  var mostInside = 0

  /// One visit; now and then the visitor loses its processor inside, so that others have to sleep.
  func visit(_ round: Int) {
    inside += 1
    mostInside = max(mostInside, inside)
    sum += 1
    if round % 500 == 0 { sched_yield() }
    inside -= 1
  }
}

/// Plain memory for locks that are used by their address.
func withMemory<T, R>(_ value: T, _ body: (UnsafeMutablePointer<T>) throws -> R) rethrows -> R {
  let pointer = UnsafeMutablePointer<T>.allocate(capacity: 1)
  pointer.initialize(to: value)
  defer { pointer.deallocate() }
  return try body(pointer)
}

/// A pointer that threads of a test share.
// SAFETY of @unchecked: the memory outlives the threads, and the lock under test decides which thread touches it.
struct Shared<T>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<T>
}

/// Whether the kernel shows the thread asleep.
func isAsleep(_ thread: UInt64) -> Bool { KernelThread.sample(thread)?.isWaiting ?? false }

/// The calling thread's number, as the kernel counts.
var kernelID: UInt64 { UInt64(ThreadSlot.kernelID()) }

/// How often the calling thread has given its processor away by itself.
var voluntarySwitches: Int {
  var usage = rusage()
  getrusage(1, &usage)  // RUSAGE_THREAD, a macro that Swift's import leaves out
  return usage.ru_nvcsw
}

/// Runs `body`, which calls what asynchronous code may not: the bodies of exit tests are asynchronous.
func plainly<R>(_ body: () throws -> R) rethrows -> R { try body() }
