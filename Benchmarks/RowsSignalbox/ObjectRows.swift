// ObjectRows.swift: the life of queues and work items.
import BenchSupport

func objectRows() -> [Row] {
  [
    Row("queue-create", .objects, "make and free a serial queue", bar: .ratio(2), floor: .allocation(bytes: 256)) {
      .timed { count in for _ in 0..<count { keep(DispatchQueue(label: "bench.short-lived")) } }
    },
    Row(
      "queue-create-async", .objects, "make a serial queue, run one item on it, free it", bar: .ratio(3),
      floor: .storedContext(bytes: 256), batch: .fixed(2_000)
    ) {
      let countDown = CountDown()
      return .timed { count in
        countDown.arm(count)
        for _ in 0..<count {
          let queue = DispatchQueue(label: "bench.short-lived")
          queue.async { countDown.hit() }
        }
        countDown.wait()
      }
    },
    Row("work-item-create", .objects, "make and free a work item", bar: .ratio(3), floor: .allocation(bytes: 96)) {
      .timed { count in for _ in 0..<count { keep(DispatchWorkItem { opaqueBody() }) } }
    },
    Row("work-item-perform", .objects, "perform a work item", bar: .notSlower, floor: .body(calls: 1)) {
      let item = DispatchWorkItem { opaqueBody() }
      return .timed { count in for _ in 0..<count { item.perform() } }
    },
    Row("work-item-cancel", .objects, "cancel a work item and ask whether it is", bar: .notSlower, floor: .body(calls: 1)) {
      let item = DispatchWorkItem { opaqueBody() }
      return .timed { count in
        for _ in 0..<count {
          item.cancel()
          keep(item.isCancelled ? 1 : 0)
        }
      }
    },
    Row(
      "work-item-async", .objects, "make a work item and run it on a serial queue", bar: .notSlower,
      floor: .storedContext(bytes: 96), batch: .fixed(20_000)
    ) {
      let queue = DispatchQueue(label: "bench.serial")
      return .timed { count in
        for _ in 0..<count { queue.async(execute: DispatchWorkItem { opaqueBody() }) }
        queue.sync { opaqueBody() }
      }
    },
  ]
}
