// ThreadFloors.swift: the floors of threads and their loops: a bare thread, a bare sleep, a thread behind an eventfd.
import Glibc

/// Starts threads and waits for their end, one after another.
func threadStarts() -> Workload {
  .timed { count in for _ in 0..<count { pthread_join(startThread { opaqueBody() }, nil) } }
}

/// A sleep of a millisecond each; what counts is how much longer it took.
func lateSleeps() -> Workload {
  .selfTimed { count in sumOfLateness(count, milliseconds: 1) { pause(microseconds: 1_000) } }
}

/// Sleeps this many milliseconds by `sleep`, `count` times; sums how much longer than that each took.
public func sumOfLateness(_ count: Int, milliseconds: Double, sleep: () -> Void) -> Double {
  var late = 0.0
  for _ in 0..<count {
    let start = monotonicNanoseconds()
    sleep()
    late += monotonicNanoseconds() - start - milliseconds * 1e6
  }
  return late
}

/// Rings for a thread that polls an eventfd, and waits for its answer.
func pollerEchoes() -> Workload {
  let poller = Poller()
  return .timed { count in for _ in 0..<count { poller.ringAndAwaitAnswer() } }
}

/// A thread that sleeps in `poll`, as the thread of a run loop does at least.
private final class Poller {
  private typealias Create = @convention(c) (CUnsignedInt, CInt) -> CInt
  private let descriptor: CInt
  private let answer: KernelSemaphore
  private let thread: pthread_t

  init() {
    // SAFETY: the C library documents this signature; the Glibc module does not show the function.
    let create = unsafeBitCast(dlsym(nil, "eventfd"), to: Create.self)
    let descriptor = create(0, CInt(O_CLOEXEC))
    precondition(descriptor >= 0, "no eventfd for the bench")
    let answer = KernelSemaphore()
    (self.descriptor, self.answer) = (descriptor, answer)
    thread = startThread { Self.serve(descriptor, answer) }
  }

  deinit {
    ring(Self.ending)
    pthread_join(thread, nil)
    close(descriptor)
  }

  func ringAndAwaitAnswer() {
    ring(1)
    answer.wait()
  }

  private static let ending: UInt64 = 1 << 32

  private func ring(_ number: UInt64) {
    var number = number
    _ = write(descriptor, &number, 8)
  }

  private static func serve(_ descriptor: CInt, _ answer: KernelSemaphore) {
    var number: UInt64 = 0
    while number < ending {
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, -1) == 1, read(descriptor, &number, 8) == 8 else { continue }
      answer.signal()
    }
  }
}
