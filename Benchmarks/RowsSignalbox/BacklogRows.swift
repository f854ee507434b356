// BacklogRows.swift: what becomes of items that wait: a million behind a suspension, and one ball between two queues.
import BenchSupport

func backlogRows() -> [Row] {
  [
    Row(
      "fill-then-drain", .async, "async onto a suspended queue until a million wait, then resume and run them", bar: .ratio(4),
      floor: .storedCall, batch: .fixed(1_000_000)
    ) {
      let queue = DispatchQueue(label: "bench.backlog")
      return .timed { count in
        queue.suspend()
        for _ in 0..<count { queue.async { opaqueBody() } }
        queue.resume()
        queue.sync { opaqueBody() }
      }
    },
    Row(
      "ping-pong", .async, "one hop of an item that submits its successor to the other of two serial queues", bar: .ratio(8),
      floor: .storedContext(bytes: 32), batch: .fixed(5_000)
    ) {
      let rally = Rally()
      return .timed { count in rally.play(hops: count) }
    },
    Row(
      "suspend-resume", .async, "suspend and resume an idle queue", bar: .notSlower, floor: .swapPair
    ) {
      let queue = DispatchQueue(label: "bench.backlog")
      return .timed { count in
        for _ in 0..<count {
          queue.suspend()
          queue.resume()
        }
      }
    },
  ]
}

/// A ball that two queues send each other.
// SAFETY: `left` is touched by the one item in flight, which submits its successor last, and by `play` before the first and
// after the last.
private final class Rally: @unchecked Sendable {
  private let sides = (DispatchQueue(label: "bench.ping"), DispatchQueue(label: "bench.pong"))
  private let done = DispatchSemaphore(value: 0)
  private var left = 0

  func play(hops: Int) {
    left = hops
    hit()
    done.wait()
  }

  private func hit() {
    guard left > 0 else {
      done.signal()
      return
    }
    left -= 1
    (left % 2 == 0 ? sides.0 : sides.1).async { self.hit() }
  }
}
