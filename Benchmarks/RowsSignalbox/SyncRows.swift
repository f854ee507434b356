// SyncRows.swift: `sync` by one thread with no other thread in the way.
import BenchSupport

func syncRows() -> [Row] {
  [
    Row("sync-serial", .sync, "sync on an idle serial queue", bar: .ratio(8), floor: .swapPair) {
      let queue = DispatchQueue(label: "bench.serial")
      return .timed { count in for _ in 0..<count { queue.sync { opaqueBody() } } }
    },
    Row("sync-concurrent", .sync, "sync on an idle concurrent queue", bar: .ratio(10), floor: .swapPair) {
      let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
      return .timed { count in for _ in 0..<count { queue.sync { opaqueBody() } } }
    },
    Row("sync-barrier", .sync, "barrier sync on an idle concurrent queue", bar: .ratio(20), floor: .swapPair) {
      let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
      return .timed { count in for _ in 0..<count { queue.sync(flags: .barrier) { opaqueBody() } } }
    },
    Row("sync-global", .sync, "sync on a global queue", bar: .notSlower, floor: .body(calls: 1)) {
      let queue = DispatchQueue.global()
      return .timed { count in for _ in 0..<count { queue.sync { opaqueBody() } } }
    },
    Row("sync-through-target", .sync, "sync on a serial queue that targets a serial queue", bar: .notSlower, floor: .swapPair) {
      let target = DispatchQueue(label: "bench.target")
      let queue = DispatchQueue(label: "bench.inner", target: target)
      return .timed { count in for _ in 0..<count { queue.sync { opaqueBody() } } }
    },
    Row("sync-nested", .sync, "sync on one serial queue inside sync on its target", bar: .notSlower, floor: .swapPair) {
      let target = DispatchQueue(label: "bench.target")
      let outer = DispatchQueue(label: "bench.outer", target: target)
      let inner = DispatchQueue(label: "bench.inner")
      return .timed { count in for _ in 0..<count { outer.sync { inner.sync { opaqueBody() } } } }
    },
    Row("sync-value", .sync, "sync that returns a value computed inside", bar: .notSlower, floor: .swapPair) {
      let queue = DispatchQueue(label: "bench.serial")
      return .timed { count in
        for number in 0..<count {
          let value = queue.sync { () -> UInt64 in
            opaqueBody(number)
            return UInt64(truncatingIfNeeded: number)
          }
          keep(value)
        }
      }
    },
  ]
}
