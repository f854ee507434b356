// ThreadEnd.swift: a thread ends inside an item: what its drains held is given back and the item counts as over, so that nothing
// waits for it forever.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

enum ThreadEnd {
  /// From now on, each enrolled thread cleans up as it ends.
  static let isNoticed: Void = ThreadSlot.onThreadEnd { cleanUp() }

  /// Runs on every enrolled thread as it ends; on an orderly end there is nothing to give back but caches.
  private static func cleanUp() {
    let thread = ThreadSlot.current
    thread.innermostFrame = nil  // the stack the frames lay on is gone
    if let worker = Pool.worker(thread)?.kept {
      thread.pointee.worker = nil
      thread.pointee.perform = nil
      if let workItem = worker.runningWorkItem { DispatchWorkItem.endForQueue(workItem) }
      if let answer = worker.runningAnswer { CompletionWaiter.complete(answer) }
      worker.runningGroup?.use { $0.leave() }
      while let (queue, kind) = worker.popDrain() {
        giveBack(Unmanaged<DispatchQueue>.at(queue), kind)
      }
      worker.touchedPool.use { $0.threadLost(worker) }
    }
    NodeCache.threadEnds()
    ItemPage.threadEnds()
    QueueRegistry.threadEnds()
  }

  private static func giveBack(_ reference: Unmanaged<DispatchQueue>, _ kind: FrameKind) {
    Lent(reference).use { queue in
      switch kind {
      case .drainAlone:
        if queue.isConcurrent { queue.set { $0.afterBarrierRan() } }
        queue.serve(queue.itemsOfOwnTurn())
      case .drainShared:
        queue.leaveOneShared()
        queue.givePlaceAndTell()
      case .syncAlone, .syncShared: preconditionFailure("a sync is no drain")
      }
    }
    reference.release()  // it lay in the target's list; the drain would have consumed it
  }
}

extension Pool {
  func threadLost(_ worker: Worker) {
    forget(worker)
    worker.isOver()
    worker.serves(nil)
    worker.leavesBreadth()
    // acquire-release: in turn with thieves and the sampler, as in FlushBeforeSleep
    let own = worker.ownSlot.exchangeAcqRel(0)
    let wasRunning = worker.leavesRunning(for: Worker.Status.idle) == Worker.Status.running
    set { $0.afterThreadLost(wasRunning: wasRunning) }
    if own != 0 { submitShared(own) }
    shareRing(of: worker)
    if hasSharedWork || ringsAreToBeServed { workArrived() }
  }
}
