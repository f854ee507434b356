// StatusTests.swift: a worker's status and the pool's count of those that run: two words, changed by the worker and by the sampler.
// The steps of both, on a worker without a thread, in a child whose pool has no other.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite struct StatusTests {
  /// A worker that is counted as one that has been made and searches.
  static func madeWorker() -> Worker {
    killOnHang()
    Pool.shared.set { $0.afterWorkArrived(processors: 1, bound: 1).next }
    return Worker(pool: Pool.shared)
  }

  static var counts: [UInt64] {
    let state = Pool.shared.snapshot
    return [state[PoolState.running], state[PoolState.searching], state[PoolState.idle], state[PoolState.total]]
  }

  @Test("The sampler counts out a worker that runs, once, and none that searches, is blocked or is idle")
  func marks() async {
    await #expect(processExitsWith: .success) {
      let worker = Self.madeWorker(), pool = Pool.shared
      pool.markAsleep(worker)
      #expect(Self.counts == [1, 1, 0, 1], "it searches")
      pool.found(worker)
      pool.markAsleep(worker) { false }
      #expect(Self.counts == [1, 0, 0, 1], "it has woken before the mark stood")
      for _ in 0..<2 { pool.markAsleep(worker) }
      #expect(Self.counts == [0, 0, 0, 1])
      pool.willBlock(worker)
      #expect(Self.counts == [0, 0, 0, 1], "counted out already")
      for _ in 0..<2 { pool.unblocked(worker) }
      #expect(Self.counts == [1, 0, 0, 1])
      pool.willBlock(worker)
      pool.markAsleep(worker)
      #expect(Self.counts == [0, 0, 0, 1], "blocked")
      pool.unblocked(worker)
      pool.markAsleep(worker)
      #expect(pool.outOfWork(worker) && Self.counts == [1, 1, 0, 1], "a mark does not outlast the job")
      pool.willBlock(worker)
      #expect(Self.counts == [1, 1, 0, 1], "a searcher stays one")
      pool.unblocked(worker)
      #expect(Self.counts == [1, 1, 0, 1])
      pool.found(worker)
      pool.set { $0.adding(PoolState.total, 1).adding(PoolState.running, 1).adding(PoolState.searching, 1) }
      #expect(!pool.outOfWork(worker), "somebody else searches")
      pool.markAsleep(worker)
      #expect(Self.counts == [1, 1, 1, 2], "idle")
    }
  }

  @Test("A worker that wakes while the sampler counts it out waits for that, and counts itself in after it")
  func wakesMeanwhile() async {
    await #expect(processExitsWith: .success) {
      let worker = Self.madeWorker(), pool = Pool.shared, isBack = Atomic32(0)
      pool.found(worker)
      #expect(!worker.mayBeCountedOut)
      worker.status.storeRelease(Worker.Status.marked)  // release: the sampler's first step
      #expect(worker.mayBeCountedOut, "it begins nothing new while the sampler is at it")
      let thread = TestThread {
        pool.unblocked(worker)
        isBack.storeRelease(1)  // release: what was counted before
      }
      waitForWhatMustNotCome()
      // acquire: pairs with the release above
      #expect(isBack.loadAcquire() == 0 && Self.counts == [1, 0, 0, 1])
      pool.set { $0.afterBlocked() }
      worker.status.storeRelease(Worker.Status.sampled)  // release: its last step
      thread.join()
      #expect(Self.counts == [1, 0, 0, 1] && !worker.mayBeCountedOut)
    }
  }

  @Test("A worker that comes back from sleep while others have its place leaves further items to them, until it is out of work")
  func comesBackTooMany() async {
    await #expect(processExitsWith: .success) {
      let worker = Self.madeWorker(), pool = Pool.shared
      pool.setWidth(1)
      pool.found(worker)
      worker.jobClass = .standard
      pool.markAsleep(worker)
      #expect(worker.asked.loadAcquire() & Worker.Asked.toYield != 0, "a drain is to check before its next item")
      #expect(!worker.leavesItemsToOthers && Self.counts == [1, 0, 0, 1], "its place is free: it counts as running again")
      for isSeen in [true, false] {
        if isSeen { pool.willBlock(worker) } else { pool.markAsleep(worker) }
        pool.set { $0.adding(PoolState.total, 1).adding(PoolState.running, 1) }
        if isSeen { pool.unblocked(worker) }
        #expect(worker.leavesItemsToOthers && Self.counts == [2, 0, 0, 2])
        worker.jobClass = nil
        #expect(!worker.leavesItemsToOthers, "a serial queue is promised a thread")
        worker.jobClass = .standard
        pool.set { $0.adding(PoolState.total, -1).adding(PoolState.running, -1) }
        #expect(!worker.leavesItemsToOthers, "the other has gone")
        precondition(pool.outOfWork(worker), "no other worker searches")
        pool.found(worker)
        #expect(!worker.isSurplus)
      }
    }
  }

  @Test("A worker that was found asleep as it took a job gives it back if its place is taken, but for a serial queue's turn")
  func givesBack() async {
    await #expect(processExitsWith: .success) {
      let worker = Self.madeWorker(), pool = Pool.shared, root = pool.rootAddress(of: .standard)
      pool.setWidth(1)
      pool.found(worker)
      let item = PoolJob(Slot(5_000, 1), root: root)
      let (serial, concurrent) = (DispatchQueue(label: "serial"), DispatchQueue(label: "wide", attributes: .concurrent))
      func turn(_ queue: DispatchQueue) -> PoolJob { PoolJob(.turn(UInt64(queue.address)), root: 0) }
      pool.markAsleep(worker)
      #expect(!worker.givesBack(item) && Self.counts == [1, 0, 0, 1], "its place is free: it runs the job, and counts")
      pool.markAsleep(worker)
      pool.set { $0.adding(PoolState.total, 1).adding(PoolState.running, 1) }
      #expect(!worker.givesBack(item), "its class has fewer workers than there are processors")
      for _ in 0..<pool.processors { pool.classCounts.change(from: nil, to: .standard) }
      pool.markAsleep(worker)
      #expect(worker.givesBack(item) && Self.counts == [2, 0, 0, 2])
      #expect(pool.lists.shard(.items, of: .standard, for: worker).isEmpty == false, "it is there for others")
      #expect(pool.takeShared(for: Pool.Taker(queuesFirst: true, own: nil, worker: worker)) == nil, "and not for this worker")
      pool.set { $0.adding(PoolState.total, -1).adding(PoolState.running, -1) }
      let taken = pool.takeShared(for: Pool.Taker(queuesFirst: true, own: nil, worker: worker))
      #expect(taken?.one == item.one && taken?.root == root, "nothing is lost")
      pool.markAsleep(worker)
      pool.set { $0.adding(PoolState.total, 1).adding(PoolState.running, 1) }
      #expect(!worker.givesBack(turn(serial)), "a serial queue is promised a thread")
      pool.markAsleep(worker)
      #expect(worker.givesBack(turn(concurrent)))
      #expect(!pool.lists.isEmpty(.items, of: concurrent.serviceClass))
      withExtendedLifetime((serial, Unmanaged.passRetained(concurrent))) {}
    }
  }

  @Test("Whatever the worker and the sampler do at the same time, no share is counted twice or lost", .timeLimit(.minutes(10)))
  func atTheSameTime() async {
    await #expect(processExitsWith: .success) {
      let worker = Self.madeWorker(), pool = Pool.shared, isOver = Atomic32(0)
      pool.found(worker)
      let sampler = TestThread {
        var wakes = false
        while isOver.loadAcquire() == 0 {  // acquire: pairs with the release below
          pool.markAsleep(worker) { wakes }
          wakes.toggle()
        }
      }
      for _ in 0..<50_000 {
        pool.unblocked(worker)
        pool.willBlock(worker)
        pool.unblocked(worker)
        precondition(pool.outOfWork(worker), "nobody else searches")
        pool.found(worker)
      }
      isOver.storeRelease(1)  // release: all that was done
      sampler.join()
      pool.unblocked(worker)
      #expect(Self.counts == [1, 0, 0, 1])
    }
  }
}
