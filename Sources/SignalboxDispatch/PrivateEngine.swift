// PrivateEngine.swift: a pool, roots, timers and a main queue of its own, for threads whose schedule an exploration chooses. What such
// threads submit stays among them; other threads of the process have the process's engine, and neither sees the other. Each layer has its
// part of it: PrivatePool (Workers/), PrivateQueues (Queues/), PrivateClocks (Time/).
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// An engine beside the process's.
///
/// A thread belongs to it from `adopt` on. What it submits, arms and waits for is served by workers and timers that are threads of
/// the same engine, made where they are needed. Nothing in it depends on how long anything takes.
///
/// Thread safety: `adopt`, `queueForMain` on threads of the engine; `begin`, `endWorkers` and `reset` on one thread while no item is
/// pending. It lives forever, because queues that are made on it have its roots as their targets.
package final class PrivateEngine: PrivateQueues, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass.
  private let clocks = PrivateClocks()

  /// Makes one. What the process has one of, and a thread with it, is made now, by this thread.
  package override init() {
    super.init()
    _ = Unmanaged.passRetained(self)  // lives forever
  }

  /// The calling thread belongs to this engine from now on.
  package func adopt() {
    let thread = ThreadSlot.current
    isOfThread()
    clocks.adopt()
    // Nobody else runs while a thread of an exploration spins.
    (thread.pointee.wait_spin, thread.pointee.search_spin) = (6, 6)
  }

  /// The calling thread has the process's engine again.
  package static func leave() {
    ThreadSlot.current.pointee.engine = nil
    PrivateClocks.leave()
  }

  // MARK: a search of all schedules

  /// The calling thread is about to do something to the queue at the address, with which go its targets' turns.
  package static func uses(queue address: UInt) {
    var next: Lent<DispatchQueue>? = Lent(at: UInt64(address))
    while let queue = next, queue.use({ !$0.isRoot }) {
      next = queue.use {
        Events.emit(.touched, $0.address)
        return $0.targetReference
      }
    }
  }

  /// The calling thread is about to arm a timer that submits to the queue at the address.
  package static func uses(delayTo address: UInt) {
    uses(queue: address)
    PrivateClocks.areTouched()
  }

  /// Calls `body` with each queue that the calling thread has a turn of, the targets' among them, and where its stack says so; until
  /// that returns false.
  package static func forEachTurn(_ body: (_ frame: UInt, _ queue: UInt) -> Bool) {
    var frame = ThreadSlot.current.innermostFrame
    while let here = frame {
      let place = UInt(bitPattern: here)
      var next: Lent<DispatchQueue>? = DispatchQueue.reference(of: here.pointee)
      while let queue = next, queue.use({ !$0.isRoot }) {
        guard body(place, queue.use { UInt($0.address) }) else { return }
        next = queue.use { $0.targetReference }
      }
      frame = here.pointee.previous
    }
  }

  // MARK: what is left

  /// A queue that was stopped, if it still is and holds items: which, and how many.
  package static func stoppedQueue(at address: UInt) -> (title: String, isInactive: Bool, items: Int)? {
    EngineStallNodes.stopped(address, groups: []).map { ($0.title, QueueWaits.isInactive(address), $0.count) }
  }

  // MARK: from run to run

  /// Workers and alarms that are made from now on stay.
  package func begin() { pool.begin() }

  /// How many threads it has that wait for work, or for a timer to be armed.
  package var idleThreads: Int { Int(pool.snapshot[PoolState.idle]) + clocks.count }

  /// How many timers are armed.
  package var armedTimers: Int { clocks.armed }

  /// Lets idle workers and alarms end. They are gone when their threads are.
  package func endThreads() {
    pool.endWorkers()
    clocks.endAlarms()
  }

  /// Forgets the clocks, which begin anew. No timer is armed, and no thread of the engine is left.
  package func reset() { clocks.reset() }
}
