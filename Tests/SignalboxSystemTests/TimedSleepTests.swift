// TimedSleepTests.swift: sleep that ends by its time is known as such by the kernel's line on a sleeping thread, and no other is.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

@Suite("Sleep that ends by its time") struct TimedSleepTests {
  // SAFETY of @unchecked: C objects in memory of their own, which outlives the threads; the C library's functions may be called by any.
  private final class Objects: @unchecked Sendable {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    var pipe: [Int32] = [-1, -1]

    init() {
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
      sem_init(semaphore, 0, 0)
      #expect(Glibc.pipe(&pipe) == 0)
    }
  }

  /// Sleeps that others end by a byte, a signal of the condition or a token, with a limit of minutes or without one.
  private static let sleeps: [(name: String, ends: Bool, body: @Sendable (Objects) -> Void)] = [
    ("poll with a limit", true, { _ = poll($0) }), ("poll without", false, { _ = poll($0, limit: -1) }),
    ("select with a limit", true, { choose($0, hasLimit: true) }), ("select without", false, { choose($0, hasLimit: false) }),
    (
      "read", false,
      { objects in
        var byte: UInt8 = 0
        _ = Glibc.read(objects.pipe[0], &byte, 1)
      }
    ),
    (
      "a condition with a limit", true,
      { objects in
        var time = timespec(tv_sec: Glibc.time(nil) + 300, tv_nsec: 0)
        pthread_mutex_lock(objects.mutex)
        pthread_cond_timedwait(objects.condition, objects.mutex, &time)
        pthread_mutex_unlock(objects.mutex)
      }
    ),
    (
      "a condition without", false,
      { objects in
        pthread_mutex_lock(objects.mutex)
        pthread_cond_wait(objects.condition, objects.mutex)
        pthread_mutex_unlock(objects.mutex)
      }
    ),
    (
      "a semaphore with a limit", true,
      { objects in
        var time = timespec(tv_sec: Glibc.time(nil) + 300, tv_nsec: 0)
        sem_timedwait(objects.semaphore, &time)
      }
    ),
    ("a semaphore without", false, { sem_wait($0.semaphore) }),
  ]

  private static func poll(_ objects: Objects, limit: Int32 = 300_000) -> Int32 {
    var polled = pollfd(fd: objects.pipe[0], events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&polled, 1, limit)
  }

  private static func choose(_ objects: Objects, hasLimit: Bool) {
    var set = fd_set(), time = timeval(tv_sec: 300, tv_usec: 0)
    withUnsafeMutableBytes(of: &set) { $0[Int(objects.pipe[0]) / 8] |= 1 << UInt8(objects.pipe[0] % 8) }
    if hasLimit { select(objects.pipe[0] + 1, &set, nil, nil, &time) } else { select(objects.pipe[0] + 1, &set, nil, nil, nil) }
  }

  @Test("By the kernel's line on the thread", arguments: sleeps.indices)
  func sleeping(index: Int) {
    let sleep = Self.sleeps[index], objects = Objects(), number = SharedNumber()
    let thread = TestThread {
      number.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      sleep.body(objects)
    }
    var id: Int32 { Int32(number.value.loadAcquire()) }
    let isAsleep = eventually {
      id != 0 && KernelThread.sample(UInt64(id))?.isWaiting == true && KernelCall(of: id)?.endsByTime == sleep.ends
    }
    #expect(isAsleep, "\(sleep.name): \(KernelCall(of: id)?.number ?? -1)")
    #expect(write(objects.pipe[1], "b", 1) == 1)
    pthread_mutex_lock(objects.mutex)
    pthread_cond_broadcast(objects.condition)
    pthread_mutex_unlock(objects.mutex)
    sem_post(objects.semaphore)
    thread.join()
    objects.pipe.forEach { _ = close($0) }
  }

  @Test("What cannot be ended early sleeps by time: by the number of its call")
  func numbers() {
    #if arch(x86_64)
    let calls = [35, 230, 219]
    #else
    let calls = [101, 115, 128]
    #endif
    for number in calls { #expect(KernelCall(number: number, arguments: [0, 0, 0, 0, 0, 0]).endsByTime) }
    // FUTEX_WAKE's fourth argument is no time.
    #expect(!KernelCall(number: ForeignMutex.Wait.futex, arguments: [8, 1, 1, 8, 0, 0]).endsByTime)
  }
}
