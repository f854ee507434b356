// CWork+Submit.swift: what the C faces submit: C functions, and work items under their rules. A function with its context is CWork.swift (Items/).
import SignalboxSystem
import SignalboxWords

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
