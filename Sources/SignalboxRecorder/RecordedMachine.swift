// RecordedMachine.swift: what a recording notes of the machine that it is made on. The events are the program's: Recording.swift.
import SignalboxSystem

/// The clocks, the process and the thread's name that a recording notes. Tests give fixed ones, so that each machine writes the same bytes.
struct RecordedMachine: Sendable {
  var ticks: @Sendable () -> UInt64 = { Clock.ticks() }
  var uptime: @Sendable () -> UInt64 = { Clock.uptime() }
  var wall: @Sendable () -> UInt64 = { Clock.wall() }
  var process = UInt64(Threads.mainID)
  /// The first 16 bytes of the calling thread's name.
  var threadName: @Sendable () -> (UInt64, UInt64) = { Ring.ownName() }
}
