// ContendedRows.swift: `sync` on one queue by several threads at once. With more threads than processors a sample spans
// several time slices, so that holders are interrupted, too.
import BenchSupport

func contendedRows() -> [Row] {
  [
    contended("sync-serial-2-threads", threads: 2, milliseconds: 15, bar: .ratio(4)),
    contended("sync-serial-4-threads", threads: 4, milliseconds: 30, bar: .ownCost(atMost: 5, of: "sync-serial")),
    contended("sync-serial-16-threads", threads: 16, milliseconds: 80, bar: .ownCost(atMost: 5, of: "sync-serial")),
    contended(
      "sync-serial-64-threads", threads: 64, milliseconds: 200, bar: .ownCost(atMost: 1.2, of: "sync-serial-4-threads")),
    contended("sync-concurrent-2-threads", threads: 2, milliseconds: 15, bar: .notSlower, attributes: .concurrent),
    contended("sync-concurrent-16-threads", threads: 16, milliseconds: 80, bar: .notSlower, attributes: .concurrent),
    Row(
      "sync-readers-and-writer", .contended, "sync by 2 threads on a concurrent queue, every 16th a barrier", bar: .notSlower,
      floor: .contendedSwapPairs(threads: 2)
    ) {
      let queue = DispatchQueue(label: "bench.contended", attributes: .concurrent)
      let crew = Crew(threads: 2) { _, share in
        for number in 0..<share {
          if number % 16 == 0 { queue.sync(flags: .barrier) { opaqueBody() } } else { queue.sync { opaqueBody() } }
        }
      }
      return .selfTimed { count in crew.run(count) }
    },
  ]
}

private func contended(
  _ name: String, threads: Int, milliseconds: Double, bar: Bar, attributes: DispatchQueue.Attributes = []
) -> Row {
  let kind = attributes == .concurrent ? "concurrent" : "serial"
  return Row(
    name, .contended, "sync on one \(kind) queue by \(threads) threads at once", bar: bar,
    floor: .contendedSwapPairs(threads: threads), batch: .elastic(minimum: threads * 50), sampleMilliseconds: milliseconds
  ) {
    let queue = DispatchQueue(label: "bench.contended", attributes: attributes)
    let crew = Crew(threads: threads) { _, share in for _ in 0..<share { queue.sync { opaqueBody() } } }
    return .selfTimed { count in crew.run(count) }
  }
}
