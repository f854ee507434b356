// TargetTests.swift: the word that says what a queue's items run on, a place among a limited number, and who asks that a queue be served
// as more urgent: what one thread writes before it reads what another writes, which does it the other way round.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks
@testable import SignalboxWords

@Suite(.serialized) struct TargetTests {
  init() { LockTuning.rounds = 0 }

  @Test("Who sees that a queue is active sees its last target, all schedules")
  func lastTarget() throws {
    try expectAll {
      let first = DispatchQueue(label: "first"), second = DispatchQueue(label: "second"), saw = Saw()
      let queue = DispatchQueue(label: "queue", attributes: .initiallyInactive, target: first)
      touch(queue)
      race(
        {
          queue.setTarget(queue: second)
          queue.activate()
        },
        {
          guard queue.hasFixedTarget else { return }
          saw.values = [queue.ownTarget.use { UInt64($0.address) }]
        })
      try require(saw.values.isEmpty || saw.values == [UInt64(second.address)], "the target was the one before")
    }
  }

  @Test("Who counts a target after it was changed counts the new one, all schedules")
  func countedTarget() throws {
    try expectAll(weaker: [.releases, .acquires]) {
      let first = DispatchQueue(label: "first"), second = DispatchQueue(label: "second"), saw = Saw(), isChanged = Flag()
      let queue = DispatchQueue.ofC(target: first), bits = DispatchQueue.bits(retaining: second)
      touch(queue)
      race(
        {
          let old = queue.exchangeTarget(bits)
          isChanged.word.storeRelaxed(1)  // relaxed: the lock of the word alone is to order
          unseen { TargetRelease.release(bits: old) }
        },
        {
          guard isChanged.word.loadRelaxed() == 1 else { return }  // relaxed: as above
          let target = queue.heldOwnTarget()
          saw.values = [target.queue.use { UInt64($0.address) }]
          unseen { target.letGo() }
        })
      try require(saw.values.isEmpty || saw.values == [UInt64(second.address)], "the target was the one that was let go of")
    }
  }

  @Test("A place that is given back while the owner of the list finds none is not missed, all schedules")
  func placeGivenBack() throws {
    try expectAll(weaker: [.totalOrder]) {
      let target = DispatchQueue(label: "target")
      let queue = DispatchQueue(label: "queue", attributes: .concurrent, target: target)
      touch(queue)
      // An item has the only place, and another is pending; the target runs nothing.
      target.suspend()
      queue.setWidth(1)
      _ = queue.takePlace(queue.itemsOfOwnTurn())
      queue.list.append(Slot(7, 0))
      queue.set { $0.with(QueueState.owner, ThreadSlot.owner()).with(QueueState.width, 1) }
      race({ queue.releaseForWantOfPlace(queue.itemsOfOwnTurn()) }, { queue.givePlaceAndTell() })
      let isTold = unseen {
        let isTold = target.itemsOfOwnTurn().first() == SlotKind.queue
        if isTold { Unmanaged<DispatchQueue>.at(UInt(target.itemsOfOwnTurn().removeFirst())).release() }
        target.resume()
        return isTold
      }
      try require(isTold, "an item is pending, a place is free, and nobody was notified")
    }
  }

  @Test("Who makes a queue runnable and who asks for it: one of the two sees the other", arguments: [false, true])
  func raised(wasAskedBefore: Bool) throws {
    try expectSome(weaker: [.totalOrder]) {
      let queue = DispatchQueue(label: "queue", qos: .background), saw = Saw(), pool = Pools.ofThread
      touch(queue)
      if wasAskedBefore { _ = queue.extrasMade().raise.now }
      race(
        {
          _ = queue.tryUpdate { state in state.afterPush().map { ($0, true) } }
          saw.values = [UInt64(queue.servingClass(on: .global(qos: .background), isNew: false).rawValue)]
        }, { _ = queue.beginRaise(to: .interactive) })
      // Who asks and sees the queue runnable puts it on the urgent list, for which a worker is made.
      let isOnUrgentList = pool.use { $0.snapshot[PoolState.total] > 0 }
      try require(saw.values == [0] || isOnUrgentList, "class 0 asked for the queue, which lies at \(saw.values)")
    }
  }

  @Test("Who begins to drain a raised queue and who asks no more: one of the two sees the other, all schedules")
  func sentBack() throws {
    try expectAll(weaker: [.totalOrder]) {
      let queue = DispatchQueue(label: "queue", qos: .background), isMisplaced = Saw(), owner = Saw()
      touch(queue)
      _ = queue.beginRaise(to: .interactive)
      queue.set { $0.with(QueueState.enqueued, 1) }
      race(
        {
          _ = queue.update { $0.afterDequeued(ThreadSlot.owner(), alone: true) }
          isMisplaced.values = queue.isMisplaced(in: .normal) ? [1] : []
        },
        {
          // Not by endRaise, which reads the state so often that it comes to know the newest.
          queue.extras?.raise.end(.interactive)
          owner.values = queue.ownerNumber.map { [$0] } ?? []
        })
      queue.set { $0.with(QueueState.owner, 0).with(QueueState.exclusive, 0) }
      let isSeen = !isMisplaced.values.isEmpty || !owner.values.isEmpty
      try require(isSeen, "the queue is drained where nobody asks for it, and is left there")
    }
  }
}

private final class Flag: Sendable { let word = Atomic64(0) }
