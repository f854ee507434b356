// PoolFigures.swift: the pool's threads and the timers, as figures show them. Those of queues are QueueFigures.swift.
import SignalboxSystem
import SignalboxWords

/// The threads of one band at one moment.
package struct PoolFigure: Sendable {
  /// The classes that it serves.
  package var name: String
  /// Threads that there are, or are being made.
  package var threads: Int
  /// Of those, awake and not known to be blocked.
  package var running: Int
  /// Of those, asleep without work.
  package var idle: Int
  /// How many there may be.
  package var limit: Int
}

extension EngineFigures {
  /// The threads of each band; none before the first is made.
  package static func pools() -> [PoolFigure] {
    guard Pools.isMade, !Instruments.isForkedChild else { return [] }
    return Pools.all.map { pool in
      pool.use { pool in
        let state = pool.snapshot
        return PoolFigure(
          name: pool.band.name, threads: Int(state[PoolState.total]), running: Int(state[PoolState.running]),
          idle: Int(state[PoolState.idle]), limit: Int(pool.bound))
      }
    }
  }

  /// How many timers are armed.
  package static var armedTimers: Int { Instruments.isForkedChild ? 0 : ClockTimers.armedCount }
}
