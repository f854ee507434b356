// Support.swift: what the seam's tests share: waiting with a deadline that fails loudly, joinable threads, the kernel's numbers.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// Nanoseconds in this many milliseconds.
func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }

/// Kills this process after a while, so that a hang in a child process becomes a failure.
func killOnHang() { alarm(500) }

/// A thread of the test's own, made without the library under test.
// SAFETY: a thread's handle is a number; it is joined once.
struct TestThread: @unchecked Sendable {
  private let handle: pthread_t

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  init(_ body: @escaping @Sendable () -> Void) {
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

  func signal(_ number: Int32) { pthread_kill(handle, number) }
}

/// A word on the heap that threads share.
final class SharedWord: Sendable {
  let value: Atomic32
  init(_ value: UInt32 = 0) { self.value = Atomic32(value) }

  func park(expected: UInt32, deadline: ParkDeadline = .never) -> ParkOutcome {
    value.park(expected: expected, deadline: deadline)
  }
  func wake(count: Int32 = 1) -> Int { value.wake(count: count) }
}

/// A 64-bit number that threads share.
final class SharedNumber: Sendable {
  let value = Atomic64(0)
}

/// The name the kernel shows for a thread of this process.
func kernelName(of thread: UInt64) -> String? {
  guard let file = fopen("/proc/self/task/\(thread)/comm", "re") else { return nil }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 64)
  guard fgets(&line, 64, file) != nil else { return nil }
  return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
