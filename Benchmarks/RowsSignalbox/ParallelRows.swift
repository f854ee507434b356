// ParallelRows.swift: `concurrentPerform`: many small iterations, and many small calls.
import BenchSupport

func parallelRows() -> [Row] {
  [
    Row("perform", .parallel, "one iteration of concurrentPerform", bar: .ratio(4), floor: .body(calls: 1)) {
      .timed { count in DispatchQueue.concurrentPerform(iterations: count) { opaqueBody($0) } }
    },
    Row("perform-2", .parallel, "concurrentPerform of 2 iterations", bar: .ratio(1.2), floor: .body(calls: 2)) {
      .timed { count in
        for _ in 0..<count { DispatchQueue.concurrentPerform(iterations: 2) { opaqueBody($0) } }
      }
    },
    Row("perform-nested", .parallel, "one inner iteration of 16 x 16 nested ones", bar: .notSlower, floor: .body(calls: 1)) {
      .timed { count in
        for _ in 0..<count / 256 + 1 {
          DispatchQueue.concurrentPerform(iterations: 16) { _ in
            DispatchQueue.concurrentPerform(iterations: 16) { opaqueBody($0) }
          }
        }
      }
    },
  ]
}
