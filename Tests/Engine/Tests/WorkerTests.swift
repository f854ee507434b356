// WorkerTests.swift: the pool's count of those that run and a worker's status; who is woken for work; threads' records of waits.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks
@testable import SignalboxWords

@Suite(.serialized) struct WorkerTests {
  init() { LockTuning.rounds = 0 }

  @Test("Worker and sampler at the same time: no share in the count is taken twice or lost, all schedules")
  func status() throws {
    try expectAll {
      let pool = Pool()
      pool.set { $0.afterWorkArrived(processors: 1, bound: 1).next }
      let worker = Worker(pool: pool)
      pool.found(worker)
      race(
        { pool.markAsleep(worker) },
        {
          pool.unblocked(worker)
          pool.willBlock(worker)
          pool.unblocked(worker)
        })
      pool.unblocked(worker)
      let state = pool.snapshot
      let counts = [state[PoolState.running], state[PoolState.searching], state[PoolState.idle], state[PoolState.total]]
      try require(counts == [1, 0, 0, 1], "\(counts)")
    }
  }

  @Test("Work that arrives while workers park is run")
  func parkAndWake() throws {
    try expectSome {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async { done.signal() }
      done.wait()
      race(
        { DispatchQueue.global().async { done.signal() } }, { DispatchQueue.global().async { done.signal() } })
      done.wait()
      done.wait()
    }
  }

  @Test("The pool grows while work arrives on two lists: all of it runs")
  func growth() throws {
    try expectSome {
      let done = DispatchSemaphore(value: 0), pool = Pools.ofThread
      race(
        { DispatchQueue.global().async { done.signal() } },
        { DispatchQueue.global(qos: .utility).async { done.signal() } },
        { DispatchQueue(label: "queue").async { done.signal() } })
      for _ in 0..<3 { done.wait() }
      try pool.use { pool in
        let state = pool.snapshot
        try require(state.brokenInvariant == nil, "\(state)")
      }
    }
  }

  @Test("A worker that cannot be made: what was accepted runs all the same")
  func failedCreation() throws {
    try expectSome(isStill: false, startsMayFail: true) {
      let done = DispatchSemaphore(value: 0), pool = Pools.ofThread
      race(
        { DispatchQueue.global().async { done.signal() } }, { DispatchQueue.global().async { done.signal() } })
      done.wait()
      done.wait()
      try pool.use { pool in
        let state = pool.snapshot
        try require(state.brokenInvariant == nil, "\(state)")
      }
    }
  }

  @Test("A worker that parked in favour of one that cannot be made is woken again")
  func parkedInFavour() throws {
    // Without that wake the item of one of the two is left lying in schedule 4,017.
    try expectSome(isStill: false, startsMayFail: true, 6_000) {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async { done.signal() }
      race({ DispatchQueue.global().async { done.signal() } })
      done.wait()
      done.wait()
    }
  }

  @Test("Parallel calls: every one is made once, and the caller sees what they wrote")
  func concurrentPerform() throws {
    try expectSome {
      let one = Number(), two = Number()
      DispatchQueue.concurrentPerform(iterations: 2) { index in (index == 0 ? one : two).add() }
      try one.expect(1)
      try two.expect(1)
    }
  }
}
