// CFaceSupport.swift: what the C faces (C-style names, C ABI) need of the engine: labels, references, submission, doors
// to layers that they may not import. A function with its context is CWork.swift (Items/).
public import SignalboxSystem
import SignalboxWords

/// Doors to lower layers for the C faces.
package enum CFaceSupport {
  /// Whether this process is the fork of one that had used queues.
  package static var isFork: Bool { Instruments.isForkedChild }

  /// The kind of objects that hold the blocks of work items, as the first word of each has it; 0: there are none.
  package static let blockHolder = Atomic64(0)

  /// The function by which jobs of Swift's tasks that came through the C face are run; 0: none has come.
  package static let jobRunner = Atomic64(0)

  /// Ends the program for misuse; see `Misuse.stop`.
  package static func stop(_ message: String) -> Never { Misuse.stop(message) }

  /// What the calling code is an item of, in words, for such a message.
  package static var whereabouts: String { "running inside: \(ThreadFrames.description())" }

  /// Writes one line on standard error and goes on.
  package static func report(_ message: String) { Misuse.report(message) }
}

// MARK: labels

// Labels are C strings that live as long as their queue.

package enum CLabel {
  // SAFETY: the text of a literal, which ends in 0 and lives as long as the process.
  nonisolated(unsafe) package static let empty = UnsafeRawPointer(("" as StaticString).utf8Start)
    .assumingMemoryBound(to: CChar.self)

  /// Marks a label that is the program's own string. No address has that bit.
  static let foreign: UInt64 = 1 << 63

  /// Makes the program's own string the label of a queue that was made without one; nil for none. No effect on main and global
  /// queues.
  package static func lend(_ label: UnsafePointer<CChar>?, to queue: DispatchQueue) {
    if queue.isShared { return }
    guard queue.givenName.isEmpty else {
      Misuse.stop(
        "queue \"\(queue.givenName)\" is to get another label: only a queue made without one may (dispatch_queue_set_label_nocopy)"
      )
    }
    queue.setLateLabel(label)
  }

  /// The label of `queue`, copied at the first call and freed with the queue.
  package static func of(_ queue: DispatchQueue) -> UnsafePointer<CChar> { queue.cLabel }

  /// The label of the queue whose item is running; nil outside of any queue.
  package static func ofCurrent() -> UnsafePointer<CChar>? {
    DispatchQueue.currentReference?.use { $0.cLabel }
  }

  /// Keeps a label that is no text in UTF-8, so that C gets back the bytes it gave; messages show it mended.
  package static func keep(_ label: UnsafePointer<CChar>, at queue: DispatchQueue) {
    var count = 0
    while label[count] != 0 { count += 1 }
    queue.keepLabel(Array(UnsafeBufferPointer(start: label, count: count + 1)))
  }
}

// MARK: references

// All references that C has to a queue hold one reference of Swift's together. So most steps are one addition to a
// word, and no call of the runtime.
//
//   retain    0 → 1: a reference of Swift's is taken; else nothing
//   release   1 → 0: it is given back; else nothing
//
// Who retains has the queue by some reference or is called by it (an item of the queue). So at 0 → 1 there is another
// of Swift's, until that step is over: a release that goes to 0 at the same time gives its own back, in either order.
// Who releases what C does not have, because Swift has handed its own reference over, gives back one of Swift's.

extension DispatchQueue {
  /// The caller's reference to a new queue becomes C's first.
  package final func referenceIsCs() { references.storeRelaxed(1) }  // relaxed: nobody else knows the queue

  /// C has one reference more. True: the caller takes one of Swift's for it.
  @inlinable @inline(__always) package final func isFirstOfC() -> Bool {
    references.addRelaxed(1) == 0  // relaxed: whoever hands a reference over orders that
  }

  /// C has one reference less. True: the caller gives one of Swift's back.
  @inlinable @inline(__always) package final func isLastOfC() -> Bool {
    var count = references.loadRelaxed()  // relaxed: the swap re-checks
    // Where C has none, the number stays as it is: who retains at the same time is the first then, and takes one of Swift's.
    while count > 0 {
      // seq_cst (acquire-release would do): what anybody did by a reference of C's comes before the queue's end
      let swap = references.casSeqCst(count, count - 1)
      if swap.exchanged { return count == 1 }
      count = swap.original
    }
    return true
  }
}

// MARK: submission of C functions

extension DispatchQueue {
  /// Submits a C function; allocates nothing in the steady state.
  package final func async(_ work: CWork) { submit(work.raw) }

  /// Submits a C function as a member of `group`, which lives until it has left, and as a barrier if `isBarrier`.
  package final func async(_ work: CWork, group: DispatchGroup?, isBarrier: Bool) {
    if group == nil && !isBarrier { return async(work) }
    submit(work.raw, group: group.map { Lent($0) }, flags: isBarrier ? .barrier : [])
  }
}

extension DispatchGroup {
  /// Submits a C function to `queue` once the members that are inside now have left.
  package final func notify(queue: DispatchQueue, _ work: CWork) {
    register(queue, Slot(work.raw))
  }
}

// MARK: what else the C faces submit

extension DispatchQueue {
  /// Submits a work item as a member of `group`, as a barrier if `isBarrier` or if it says so itself.
  package final func async(_ workItem: DispatchWorkItem, group: DispatchGroup?, isBarrier: Bool) {
    if group == nil && !isBarrier { return async(execute: workItem) }
    group?.enterKeeping()
    let node = NodeCache.take()
    node.pointee.take(Unmanaged.passRetained(workItem))
    node.pointee.group = group.map { Lent($0) }
    node.pointee.isBarrier = isBarrier || workItem.flags.contains(.barrier)
    push(.node(node))
  }
}

extension DispatchWorkItem {
  /// Submits a C function to `queue` once the item has run.
  package final func notify(queue: DispatchQueue, _ work: CWork) {
    register(queue, Slot(work.raw))
  }
}
