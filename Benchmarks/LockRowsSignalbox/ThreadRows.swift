// ThreadRows.swift: threads: started, slept in, asked for themselves. What their loops do is RunLoopRows.swift.
import BenchSupport

/// All rows about threads, on the library that this module is compiled on.
public func threadRows() -> [Row] { startRows() + ownRows() }

private func startRows() -> [Row] {
  [
    Row(
      "thread-start", .threads, "make a thread, start it, and wait until its block runs", bar: .notSlower,
      floor: .threadStart, batch: .elastic(minimum: 20)
    ) {
      let hasRun = KernelSemaphore()
      return .timed { count in
        for _ in 0..<count {
          Thread { hasRun.signal() }.start()
          hasRun.wait()
        }
      }
    },
    Row(
      "thread-start-together", .threads, "one of 64 threads that are started together, until all have run", bar: .notSlower,
      floor: .threadStart, batch: .fixed(64)
    ) {
      let haveRun = CountDown()
      return .timed { count in
        haveRun.arm(count)
        for _ in 0..<count { Thread.detachNewThread { haveRun.hit() } }
        haveRun.wait()
      }
    },
    Row(
      "thread-sleep", .threads, "sleep for a millisecond: how much longer it takes", bar: .notSlowerOrNearFloor,
      floor: .lateSleep, batch: .elastic(minimum: 20), sampleMilliseconds: 2
    ) {
      .selfTimed { count in sumOfLateness(count, milliseconds: 1) { Thread.sleep(forTimeInterval: 0.001) } }
    },
  ]
}

private func ownRows() -> [Row] {
  [
    Row("thread-current", .threads, "Thread.current", bar: .notSlower, floor: .body(calls: 1)) {
      .selfTimed { count in onThread { for _ in 0..<count { keep(Thread.current) } } }
    },
    Row("thread-is-main", .threads, "Thread.isMainThread", bar: .notSlower, floor: .body(calls: 1)) {
      .selfTimed { count in onThread { for _ in 0..<count { opaqueBody(Thread.isMainThread ? 1 : 0) } } }
    },
    Row(
      "thread-dictionary", .threads, "read a value in the thread's dictionary", bar: .notSlower, floor: .body(calls: 1)
    ) {
      .selfTimed { count in
        onThread {
          Thread.current.threadDictionary["key"] = "value"
          for _ in 0..<count { keep(UInt64(Thread.current.threadDictionary["key"] == nil ? 0 : 1)) }
        }
      }
    },
  ]
}

/// Runs `body` on a thread of the class; the nanoseconds that it took there.
private func onThread(_ body: @escaping @Sendable () -> Void) -> Double {
  let spent = Stamped(), ended = KernelSemaphore()
  Thread.detachNewThread {
    let start = monotonicNanoseconds()
    body()
    spent.nanoseconds = monotonicNanoseconds() - start
    ended.signal()
  }
  ended.wait()
  return spent.nanoseconds
}

// SAFETY of @unchecked: written before the semaphore's signal, read after its wait.
private final class Stamped: @unchecked Sendable { var nanoseconds = 0.0 }
