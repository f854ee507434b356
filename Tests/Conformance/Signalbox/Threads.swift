// Threads.swift: plain POSIX threads and clocks for the tests: bodies that block must not hold up Swift Testing's own
// threads, which the toolchain's library lends it.
import Glibc
import Testing

/// The root of all suites: one test at a time, since they measure who runs beside whom.
@Suite("Conformance with the toolchain's Dispatch", .serialized) enum Conformance {}

/// A thread of the test's own.
// SAFETY: a thread's handle is a number; it is joined once.
struct Helper: @unchecked Sendable {
  let handle: pthread_t

  /// Waits until the thread has ended.
  func join() {
    pthread_join(handle, nil)
  }
}

/// Runs `body` on a new thread; the caller joins it.
func onThread(_ body: @escaping @Sendable () -> Void) -> Helper {
  var handle = pthread_t()
  let status = pthread_create(
    &handle, nil,
    { context in
      Unmanaged<Shared<@Sendable () -> Void>>.fromOpaque(context!).takeRetainedValue().value()
      return nil
    }, Unmanaged.passRetained(Shared(body)).toOpaque())
  precondition(status == 0, "no thread for a test: error \(status)")
  return Helper(handle: handle)
}

/// Runs `body(0)` to `body(count - 1)` on a thread each and returns when all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let helpers = (0..<count).map { index in onThread { body(index) } }
  for helper in helpers { helper.join() }
}

/// The identity of the calling thread.
func currentThread() -> UInt {
  UInt(pthread_self())
}

/// Clocks read without either library.
enum Clock {
  /// Nanoseconds of uptime, the clock of `DispatchTime`.
  static var uptime: UInt64 { nanoseconds(CLOCK_MONOTONIC) }
  /// Nanoseconds since 1970, the clock of `DispatchWallTime`.
  static var wall: UInt64 { nanoseconds(CLOCK_REALTIME) }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// A pause between two readings of a state.
func briefPause() {
  usleep(500)
}

/// Time for something forbidden to happen, should it be going to; what is permitted never needs it. The oracle cannot have virtual time;
/// in Tests/Bodies this text runs in it, and this takes none.
func waitForWhatMustNotCome() { sleepPlainly(milliseconds: 10) }

/// Sleeps in the kernel: for a sleep that is itself what happens in the test.
func sleepPlainly(milliseconds: UInt32) { usleep(milliseconds * 1_000) }
