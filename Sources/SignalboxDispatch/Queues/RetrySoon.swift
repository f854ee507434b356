// RetrySoon.swift: trying again what the system has refused for want of descriptors or memory, until it is granted.
// Alone, because queues, sources, clocks and the bridges to the toolchain's queues go by it, each for something else.
import SignalboxSystem

/// Tries again a little later, on a worker.
package enum RetrySoon {
  private static let pause: UInt64 = 20_000_000  // nanoseconds

  /// Calls `body` after a pause.
  package static func call(_ body: @escaping @Sendable () -> Void) {
    GlobalQueues.queue(for: .default).async {
      // Of the class for which there mostly is a worker already: threads may be lacking, too. It sleeps here, since timers need
      // descriptors as well, which may be what is lacking.
      let word = Atomic32(0)
      let end = Clock.uptime() + pause
      word.park(expected: 0, deadline: .uptime(end))
      body()
    }
  }

  /// Calls `body` now, and after pauses until it returns true.
  package static func until(_ body: @escaping @Sendable () -> Bool) {
    if !body() { call { until(body) } }
  }
}
