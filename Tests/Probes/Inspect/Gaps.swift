// Gaps.swift: threads that note for how long they stood still: what an inspection costs those who are inspected.
import Glibc
import Signalbox
import Synchronization

enum Gaps {
  /// The longest so far, in nanoseconds.
  private static let longest = Atomic<UInt64>(0)

  static func measure(_ threads: Int) -> Never {
    for number in 0..<threads { thread { work(number) } }
    print("ready")
    fflush(nil)
    while readLine() != nil {
      print(longest.exchange(0, ordering: .sequentiallyConsistent) / 1_000)
      fflush(nil)
    }
    exit(0)
  }

  /// Takes turns at a queue of its own and at one that all have, makes queues and lets them go, so that it meets every lock that an inspection
  /// takes; and notes the longest time between two steps. What the kernel has given to other threads meanwhile does not count.
  @Sendable private static func work(_ number: Int) -> Never {
    let own = DispatchQueue(label: "gaps.\(number)")
    var last: UInt64 = 0, before = -1
    while true {
      let switches = preemptions(), now = uptime()
      // Of the two steps between which another thread had the processor nothing is known.
      if switches == before { note(now - last) }
      (last, before) = (now, switches)
      own.sync {}
      own.async {}
      DispatchQueue(label: "gaps.short").sync {}
    }
  }

  private static func note(_ gap: UInt64) {
    var known = longest.load(ordering: .relaxed)  // relaxed: the swap re-checks
    while gap > known {
      let swap = longest.compareExchange(expected: known, desired: gap, ordering: .relaxed)  // relaxed: a number alone
      if swap.exchanged { return }
      known = swap.original
    }
  }

  /// How often the kernel has taken the processor from this thread for another.
  private static func preemptions() -> Int {
    var usage = rusage()
    getrusage(1, &usage)  // RUSAGE_THREAD
    return usage.ru_nivcsw
  }

  private static func uptime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
