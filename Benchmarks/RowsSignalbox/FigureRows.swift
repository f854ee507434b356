// FigureRows.swift: what counting queues costs, beside the same work uncounted in the same run, and what a snapshot costs. The toolchain's
// library has no figures: there these rows do the same work uncounted, and the snapshot is empty (Figures.swift beside its Subject.swift).
import BenchSupport

private let itemsPerCall = 50_000

/// Counts queues, and notes the times of tasks, while `body` runs.
func counting(_ body: () -> Void) {
  QueueFigures.startCounting()
  body()
  QueueFigures.stopCounting()
}

func figureRows() -> [Row] {
  [
    Row(
      "figures-async-serial", .async, "async of an empty closure, on a queue that is counted",
      bar: .ownCostAnd(nanoseconds: 1, of: "async-serial"), floor: .storedCall, batch: .fixed(itemsPerCall)
    ) {
      let queue = DispatchQueue(label: "bench.counted")
      return .timed { count in
        counting {
          for _ in 0..<count { queue.async { opaqueBody() } }
          queue.sync { opaqueBody() }
        }
      }
    },
    Row(
      "figures-queue-create-async", .objects, "make a serial queue, run one item on it, free it, while queues are counted",
      bar: .none, floor: .storedContext(bytes: 256), batch: .fixed(2_000)
    ) {
      let countDown = CountDown()
      return .timed { count in
        counting {
          countDown.arm(count)
          for _ in 0..<count {
            let queue = DispatchQueue(label: "bench.short-lived")
            queue.async { countDown.hit() }
          }
          countDown.wait()
        }
      }
    },
    Row("figures-snapshot", .objects, "take the figures of 100 queues", bar: .time(atMost: 20_000), floor: .body(calls: 1)) {
      let queues = (0..<100).map { DispatchQueue(label: "bench.counted.\($0)") }
      counting {
        for queue in queues {
          let countDown = CountDown()
          countDown.arm(1)
          queue.async { countDown.hit() }
          countDown.wait()
        }
      }
      return .timed { count in for _ in 0..<count { keep(UInt64(QueueFigures.taken(queues))) } }
    },
  ]
}
