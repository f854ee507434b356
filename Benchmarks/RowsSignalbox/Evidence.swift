// Evidence.swift: runs closures on this half's library so that their stacks can be read.
import BenchSupport

/// Runs closures through this half's library, and calls `look` in each, on whatever thread runs it.
public func runClosures(look: @escaping @Sendable () -> Void) {
  let serial = DispatchQueue(label: "bench.evidence")
  let concurrent = DispatchQueue(label: "bench.evidence.concurrent", attributes: .concurrent)
  let group = DispatchGroup()
  serial.sync { look() }
  for queue in [serial, concurrent, DispatchQueue.global()] { queue.async(group: group) { look() } }
  concurrent.async(group: group, flags: .barrier) { look() }
  DispatchQueue.concurrentPerform(iterations: 4) { _ in look() }
  group.wait()
}
