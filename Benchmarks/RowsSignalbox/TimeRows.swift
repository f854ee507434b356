// TimeRows.swift: timers by `asyncAfter`, and reading the clock.
import BenchSupport

func timeRows() -> [Row] {
  [
    Row(
      "after", .time, "asyncAfter armed and fired, 0.1 ms ahead", bar: .ratio(2), floor: .storedContext(bytes: 96),
      batch: .fixed(20_000)
    ) {
      let queue = DispatchQueue(label: "bench.timers")
      let countDown = CountDown()
      return .timed { count in
        countDown.arm(count)
        for _ in 0..<count { queue.asyncAfter(deadline: .now() + .microseconds(100)) { countDown.hit() } }
        countDown.wait()
      }
    },
    Row(
      "after-many", .time, "processor time of one of 20,000 timers that wait at once", bar: .notSlower,
      floor: .storedContext(bytes: 96), batch: .fixed(20_000)
    ) {
      let queue = DispatchQueue(label: "bench.timers")
      let countDown = CountDown()
      return .selfTimed { count in
        let start = processorNanoseconds()
        let first = DispatchTime.now() + .milliseconds(60)
        countDown.arm(count)
        // 7,919 is a prime: the deadlines come in no order, 1 µs apart.
        for number in 0..<count {
          queue.asyncAfter(deadline: first + .microseconds(number * 7_919 % count)) { countDown.hit() }
        }
        countDown.wait()
        return processorNanoseconds() - start
      }
    },
    Row(
      "timer-lateness", .time, "from a deadline 1 ms ahead to the closure's first step, with asyncAfter",
      bar: .nearFloor(atMost: 1.25), floor: .lateAlarm, batch: .elastic(minimum: 20), sampleMilliseconds: 40
    ) {
      let queue = DispatchQueue(label: "bench.lateness")
      let (moment, answer) = (Stamp(), KernelSemaphore())
      return .selfTimed { count in
        var late = 0.0
        for _ in 0..<count {
          let deadline = DispatchTime.now() + .milliseconds(1)
          queue.asyncAfter(deadline: deadline) {
            moment.mark()
            answer.signal()
          }
          answer.wait()
          late += moment.nanoseconds - Double(deadline.uptimeNanoseconds)
        }
        return late
      }
    },
    Row("time-now", .time, "DispatchTime.now()", bar: .notSlower, floor: .clock) {
      .timed { count in for _ in 0..<count { keep(DispatchTime.now().uptimeNanoseconds) } }
    },
  ]
}
