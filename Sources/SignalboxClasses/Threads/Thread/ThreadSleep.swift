// ThreadSleep.swift: a thread that does nothing until a point in time, exactly.
import SignalboxSystem

enum ThreadSleep {
  /// Returns at `deadline`, and not before; the pool hears of it if the caller is a worker.
  static func until(_ deadline: ParkDeadline) {
    let word = Atomic32(0)
    BlockingHook.around(longWait: true) {
      withUnsafePointer(to: word) { word in
        while Parking.park(word, expected: 0, deadline: deadline) != .timedOut {}
      }
    }
  }
}
