// RunLoopQueue.swift: a queue whose items run only when a run loop performs them, one at a time, on the loop's thread. The main
// queue is another (MainQueue). README.md: "Queues of run loops".
//
//   pending    the queue is enqueued, and nobody has come for it: it holds a reference to itself
//   abandoned  the loop has let go of its last handle: what is pending, and what still comes, goes to the pool
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

/// For the C face, and for queues whose items another library's queue runs.
package final class RunLoopQueue: DispatchQueue, @unchecked Sendable {
  // SAFETY of @unchecked: `shape` is guarded by `lock`; the rest is DispatchQueue's.
  private struct Shape {
    var isPending = false
    var isAbandoned = false
    /// References that C holds.
    var handles = 1
    /// The thread that performs now, as ThreadSlot names it, or 0.
    var performer: UInt64 = 0
  }
  private let lock = UnfairLock()
  @exclusivity(unchecked) private var shape: Shape
  /// Tells whoever performs that there is something to be performed.
  private let tell: (@Sendable (RunLoopQueue) -> Void)?
  /// The thread whose loop it is, or 0.
  private let loop: UInt64

  /// Creates one with one handle. A bound one belongs to the calling thread's loop; any other to a thread only while that thread
  /// performs. `tell` is called on any thread when there is something to perform.
  package init(label: String, isBound: Bool = true, tell: (@Sendable (RunLoopQueue) -> Void)? = nil) {
    shape = Shape()
    loop = isBound ? ThreadSlot.owner() : 0
    self.tell = tell
    Events.emit(.untoldUsed, 0)
    super.init(name: label, kind: .runLoop, qos: .unspecified, target: .none)
  }

  // MARK: telling

  /// Whoever performs gives the reference back that was taken for this, as soon as it shows.
  override func notifyOfItems(_ urgency: Urgency) -> Lent<DispatchQueue>? {
    let own = Unmanaged.passUnretained(self).retain()
    defer { own.release() }
    let isAbandoned = lock.withLock { () -> Bool in
      shape.isPending = !shape.isAbandoned
      return shape.isAbandoned
    }
    if isAbandoned { goToPool() } else { tell?(self) }
    return nil
  }

  private func goToPool() {
    Pools.serving(.standard).use { $0.submit(self, as: .standard, .later) }
  }

  /// C holds one more handle.
  package func handleIsRetained() { lock.withLock { shape.handles += 1 } }

  /// C holds one handle less. After the last nobody can perform any more: what was accepted runs on the pool.
  package func handleIsReleased() {
    let goes = lock.withLock { () -> Bool in
      shape.handles -= 1
      guard shape.handles == 0 else { return false }
      defer { shape.isPending = false }
      shape.isAbandoned = true
      return shape.isPending
    }
    if goes { goToPool() }
  }

  // MARK: performing

  /// Runs the first pending item, if there is one, on the calling thread. Returns whether there were more behind it.
  package func perform() -> Bool {
    let thread = ThreadSlot.current
    let me = ThreadSlot.owner()
    let word = state.hint()  // relaxed: only our own ownership counts
    // From inside an item.
    if word[QueueState.exclusive] == 1, word[QueueState.owner] == me { return runOne(of: itemsOfOwnTurn(), thread) }
    let isPending = lock.withLock { () -> Bool in
      defer { shape.isPending = false }
      if shape.isPending { shape.performer = me }
      return shape.isPending
    }
    guard isPending else { return false }
    // The reference that was taken when the queue became enqueued.
    defer { Unmanaged.passUnretained(self).release() }
    defer { lock.withLock { if shape.performer == me { shape.performer = 0 } } }
    guard let items = takeForDrain(thread) else { return false }
    let more = runOne(of: items, thread)
    if items.isEmpty { releaseAndRecheck(items) } else { requeue(items) }
    return more
  }

  private func runOne(of items: borrowing OwnedList, _ thread: ThreadPointer) -> Bool {
    let first = items.first()
    guard first != 0 else { return false }
    let slot = items.takeFirst(first)
    let more = !items.isEmpty
    thread.insideDrain(of: address, .drainAlone) { frame in
      frame.pointee.runs(slot)
      // Nobody hands this queue over: waiting threads get items of their own here (enterPlainly).
      _ = Item.run(slot, thread)
    }
    return more
  }

  /// Its loop has other sources.
  override var waitsForItsItem: Bool { true }
  override var turnLimit: Int? { .max }

  /// The loop is the calling thread's, or that performs the queue now.
  override var boundThreadOfCaller: (this: String, again: String)? {
    let me = ThreadSlot.current.pointee.owner
    let isHere = lock.withLock { !shape.isAbandoned && (loop == me || shape.performer == me) }
    return isHere ? ("its run loop's thread", "that thread") : nil
  }
}
