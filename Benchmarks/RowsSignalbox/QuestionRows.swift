// QuestionRows.swift: what a program may ask: specific values, labels, preconditions, the global queues.
import BenchSupport

func questionRows() -> [Row] {
  [
    Row("get-specific", .questions, "getSpecific inside an item", bar: .notSlower, floor: .body(calls: 1)) {
      let queue = DispatchQueue(label: "bench.specific")
      let key = DispatchSpecificKey<UInt64>()
      queue.setSpecific(key: key, value: 7)
      return .timed { count in
        queue.sync { for _ in 0..<count { keep(DispatchQueue.getSpecific(key: key) ?? 0) } }
      }
    },
    Row(
      "get-specific-target", .questions, "getSpecific of the target's value inside an item", bar: .notSlower,
      floor: .body(calls: 1)
    ) {
      let target = DispatchQueue(label: "bench.target")
      let queue = DispatchQueue(label: "bench.specific", target: target)
      let key = DispatchSpecificKey<UInt64>()
      target.setSpecific(key: key, value: 7)
      return .timed { count in
        queue.sync { for _ in 0..<count { keep(DispatchQueue.getSpecific(key: key) ?? 0) } }
      }
    },
    Row("label", .questions, "a queue's label as a string", bar: .notSlower, floor: .body(calls: 1)) {
      let queue = DispatchQueue(label: "bench.label")
      return .timed { count in for _ in 0..<count { keep(UInt64(queue.label.utf8.count)) } }
    },
    Row(
      "precondition", .questions, "dispatchPrecondition(condition: .onQueue) inside an item", bar: .notSlower,
      floor: .body(calls: 1)
    ) {
      let queue = DispatchQueue(label: "bench.precondition")
      return .timed { count in
        queue.sync { for _ in 0..<count { dispatchPrecondition(condition: .onQueue(queue)) } }
      }
    },
    Row("global-queue", .questions, "DispatchQueue.global(qos:)", bar: .notSlower, floor: .body(calls: 1)) {
      .timed { count in for _ in 0..<count { keep(DispatchQueue.global(qos: .utility)) } }
    },
  ]
}
