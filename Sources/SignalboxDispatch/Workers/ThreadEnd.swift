// ThreadEnd.swift: a thread ends inside an item or a sync: what it held is given back, so that nothing waits for it for ever.
import SignalboxDiagnosis
import SignalboxSystem

enum ThreadEnd {
  /// Runs on every enrolled thread as it ends; on an orderly end there is nothing to give back but caches.
  static func cleanUp() {
    let thread = ThreadSlot.current
    while let frame = thread.innermostFrame {
      // The stack of an ending thread is still mapped while its exit hooks run.
      let (queue, kind) = (DispatchQueue.queue(of: frame.pointee), frame.pointee.kind)
      thread.innermostFrame = frame.pointee.previous
      giveBack(queue, kind)
    }
    if let worker = Pool.worker(thread) {
      thread.pointee.worker = nil
      Pool.shared.threadLost(worker)
    }
    NodeCache.threadEnds()
    ItemPage.threadEnds()
  }

  private static func giveBack(_ queue: DispatchQueue, _ kind: ThreadFrame.Kind) {
    if queue.kind == .global { return }
    switch kind {
    case .syncAlone: queue.leaveAloneSlow()
    case .syncShared: queue.leaveSharedSlow()
    case .drainAlone:
      if queue.kind == .concurrent { queue.set { $0.afterBarrierRan() } }
      queue.serveAssumingOwned()
      // The reference that lay in the target's list, which the drain would have consumed.
      if queue.kind != .main { Unmanaged.passUnretained(queue).release() }
    case .drainShared:
      queue.leaveOneShared()
      Unmanaged.passUnretained(queue).release()
    }
  }
}

extension Pool {
  func threadLost(_ worker: Worker) {
    forget(worker)
    let own = worker.ownSlot.exchangeAcqRel(0)
    let wasRunning = worker.status.loadAcquire() == Worker.Status.running
    set { $0.afterThreadLost(wasRunning: wasRunning) }
    if own != 0 { submitShared(own) }
    if hasSharedWork { workArrived() }
  }
}
