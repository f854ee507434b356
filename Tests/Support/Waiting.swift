// Waiting.swift: how tests wait: for an event, for a state that can only be read again and again, and, where the time that
// passes is itself what is tested, by sleeping. Nothing here is Signalbox's, so that its faults cannot hide themselves.
import Glibc

/// Seconds a test waits for what must happen; only a defect lets them pass.
public let patience: UInt64 = 120

/// Nanoseconds of uptime, read without the library under test.
private func uptime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Reads `condition` until it holds; false when it still does not after this many seconds: `#expect(eventually { … })`.
public func eventually(within seconds: UInt64 = patience, _ condition: () -> Bool) -> Bool {
  let end = uptime() + seconds * 1_000_000_000
  while !condition() {
    if uptime() > end { return false }
    usleep(300)
  }
  return true
}

/// As `eventually`, on a thread that cannot report to its test: after `patience` the process ends, and says for what it waited.
public func awaitState(_ what: String, _ condition: () -> Bool) {
  if !eventually(within: patience, condition) { fatalError("waited in vain for \(patience) s: \(what)") }
}

/// As `eventually`, for a test that must not block its own thread: the thread is free between two readings.
public func eventuallyYielding(_ condition: () -> Bool) async -> Bool {
  let end = uptime() + patience * 1_000_000_000
  while !condition() {
    if uptime() > end { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}

/// Time for something forbidden to happen, should it be going to; what is permitted never needs it. Real time: what the kernel, its
/// descriptors or a detector must not do. What only the engine must not do is tested in Tests/Bodies, in virtual time.
public func waitForWhatMustNotCome(milliseconds: Int = 10) { sleepPlainly(milliseconds: milliseconds) }

/// Sleeps in the kernel for this many milliseconds, whatever signals come: for tests in which a sleep is what happens.
public func sleepPlainly(milliseconds: Int) { sleepPlainly(microseconds: milliseconds * 1_000) }

/// The same for shorter times.
public func sleepPlainly(microseconds: Int) {
  var rest = timespec(tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1_000)
  var left = rest
  while nanosleep(&rest, &left) != 0 { rest = left }
}

/// Sleeps until the process ends: for a child that is stopped, or ended from outside.
public func sleepForEver() -> Never { while true { pause() } }

// SAFETY of @unchecked: a semaphore is made for use by several threads; its memory lives as long as the object.
/// A gate that threads pass once it is open. They sleep in the C library's semaphore meanwhile.
public final class Gate: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  /// A gate that is closed.
  public init() { sem_init(semaphore, 0, 0) }
  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets every thread pass, now and later.
  public func open() { sem_post(semaphore) }

  /// Sleeps until the gate is open. After twice `patience` the process ends, and says so.
  public func pass() {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += Int(2 * patience)
    while sem_timedwait(semaphore, &end) != 0 {
      if errno != EINTR { fatalError("a gate that nobody opens") }
    }
    sem_post(semaphore)  // for the next one
  }
}
