// TwoQueues.swift: the body of two threads and two queues that the tests explore and the rate is measured with: thirteen points.
import SignalboxFoundation

/// Two threads take two queues, one inside the other, in the same order.
@Sendable public func takeTwoQueues() {
  let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
  let done = DispatchGroup()
  for _ in 0..<2 {
    done.enter()
    Thread.detachNewThread {
      a.sync { b.sync {} }
      done.leave()
    }
  }
  done.wait()
}
