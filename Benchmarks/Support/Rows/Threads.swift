// Threads.swift: a thread and a semaphore of the C library, so that neither library under test moves the bench itself.
import Glibc

// SAFETY: `sem_t` is made for concurrent use; the storage lives until the last reference is gone.
/// A counting semaphore of the C library: the nearest thing to a bare futex, independent of the libraries under test.
public final class KernelSemaphore: @unchecked Sendable {
  private let storage: UnsafeMutablePointer<sem_t>

  /// A semaphore with the given value.
  public init(_ value: UInt32 = 0) {
    storage = .allocate(capacity: 1)
    storage.initialize(to: sem_t())
    sem_init(storage, 0, value)
  }

  deinit {
    sem_destroy(storage)
    storage.deallocate()
  }

  /// Adds one and wakes a waiter.
  public func signal() { sem_post(storage) }

  /// Takes one, sleeping until there is one.
  public func wait() { while sem_wait(storage) != 0 {} }

  /// Takes one, sleeping until there is one or about so much time has passed; false if it has.
  public func wait(atMostMilliseconds limit: Int) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_nsec += limit % 1_000 * 1_000_000
    end.tv_sec += limit / 1_000 + end.tv_nsec / 1_000_000_000
    end.tv_nsec %= 1_000_000_000
    while sem_timedwait(storage, &end) != 0 { if errno != EINTR { return false } }
    return true
  }
}

/// Starts a thread, which the caller must join.
func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  var thread = pthread_t()
  let box = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  let outcome = pthread_create(
    &thread, nil,
    { raw in
      guard let raw else { return nil }
      Unmanaged<ThreadBody>.fromOpaque(raw).takeRetainedValue().body()
      return nil
    }, box)
  guard outcome == 0 else { fatalError("the bench could not start a thread (error \(outcome)): raise the limit of threads") }
  return thread
}

private final class ThreadBody: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Gives the calling thread a name, at most 15 bytes, for reports that name threads; no effect where /proc is not there.
func nameThread(_ name: String) {
  guard let file = fopen("/proc/thread-self/comm", "we") else { return }
  fputs(name, file)
  fclose(file)
}
