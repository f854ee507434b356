// Support.swift: what the tests of conditions share: threads to join, and waiting with a limit that fails loudly.
import Glibc
import SignalboxSystem

/// Seconds a test waits for what must happen; only a defect lets them pass.
let patience: UInt64 = 20

/// Looks at `condition` until it holds; false after `patience`.
func eventually(_ condition: () -> Bool) -> Bool {
  let end = Clock.uptime() + patience * 1_000_000_000
  while !condition() {
    if Clock.uptime() > end { return false }
    usleep(500)
  }
  return true
}

/// Kills this process after a while, so that a hang in a child process becomes a failure.
func killOnHang() { alarm(60) }

/// A thread of the test's own.
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
}

/// Runs `body(0)` to `body(count - 1)` on a thread each and returns when all have ended.
func onEach(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  for thread in (0..<count).map({ number in TestThread { body(number) } }) { thread.join() }
}

/// A number that threads change; orders nothing that is under test.
final class Count: Sendable {
  private let word = Atomic64(0)
  var value: Int { Int(word.loadRelaxed()) }
  func add(_ amount: Int = 1) { _ = word.addRelaxed(UInt64(bitPattern: Int64(amount))) }
}
