// WakeRows.swift: one item at a time on a sleeping worker: most of it is the kernel's work.
import BenchSupport

func wakeRows() -> [Row] {
  [
    Row(
      "wake", .wake, "async to a worker that answers through a semaphore, back to back", bar: .ratio(1.1),
      floor: .wakeRoundTrip, batch: .elastic(minimum: 50)
    ) {
      let queue = DispatchQueue(label: "bench.serial")
      let answer = DispatchSemaphore(value: 0)
      return .timed { count in
        for _ in 0..<count {
          queue.async { answer.signal() }
          answer.wait()
        }
      }
    },
    Row(
      "wake-after-idle", .wake, "from async after 1 ms of idleness to the closure's first step", bar: .notSlowerOrNearFloor,
      floor: .wakeAfterIdle, batch: .elastic(minimum: 20), sampleMilliseconds: 0.4
    ) {
      let queue = DispatchQueue(label: "bench.serial")
      let moment = Stamp()
      let answer = KernelSemaphore()
      return .selfTimed { count in
        sumOfWakeTimes(count, moment: moment) {
          queue.async {
            moment.mark()
            answer.signal()
          }
          answer.wait()
        }
      }
    },
    Row(
      "wake-work-item", .wake, "async of a work item, then wait for it", bar: .notSlowerOrNearFloor, floor: .wakeRoundTrip,
      batch: .elastic(minimum: 50)
    ) {
      let queue = DispatchQueue(label: "bench.serial")
      return .timed { count in
        for _ in 0..<count {
          let item = DispatchWorkItem { opaqueBody() }
          queue.async(execute: item)
          item.wait()
        }
      }
    },
  ]
}
