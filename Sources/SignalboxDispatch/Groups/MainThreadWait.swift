// MainThreadWait.swift: a wait on the main thread that only the main thread could end. Certain ones stop the program.
import SignalboxSystem

enum MainThreadWait {
  /// When an unlimited wait of the main thread is looked at: after 10 ms, then ten times later each time, at last every second.
  struct Looks {
    private var interval: UInt64 = 10_000_000
    mutating func next() -> Deadline {
      defer { interval = min(interval * 10, 1_000_000_000) }
      return .uptime(Clock.uptime() &+ interval)
    }
  }

  /// Stops when every member left in `group` is an item of the main queue, which this very thread would have to run.
  static func check(group: DispatchGroup) {
    guard MainThreadHost.isMainThread else { return }
    var found: UInt64 = 0
    MainQueue.queue.forEachPendingAssumingOwned { first, second in
      guard first == SlotKind.node else { return }
      let node = UnsafeMutableRawPointer(bitPattern: UInt(second))!.assumingMemoryBound(to: ItemNode.self)
      if node.pointee.group?.toOpaque() == Unmanaged.passUnretained(group).toOpaque() { found += 1 }
    }
    guard found > 0, found == group.memberCount else { return }
    Misuse.stop(
      "the main thread waits without limit for group \(group.identity), whose remaining members are items of the main queue, "
        + "which only the main thread runs: use notify(), or submit the members to another queue")
  }

  /// Stops when `workItem` lies in the main queue.
  static func check(workItem: DispatchWorkItem) {
    guard MainThreadHost.isMainThread else { return }
    let wanted = Unmanaged.passUnretained(workItem).toOpaque()
    var found = false
    MainQueue.queue.forEachPendingAssumingOwned { first, second in
      let raw = UnsafeMutableRawPointer(bitPattern: UInt(second))!
      if first == SlotKind.workItem, raw == wanted { found = true }
      guard first == SlotKind.node else { return }
      if raw.assumingMemoryBound(to: ItemNode.self).pointee.workItem?.toOpaque() == wanted { found = true }
    }
    guard found else { return }
    Misuse.stop(
      "the main thread waits without limit for a work item that lies in the main queue, which only the main thread runs: "
        + "use notify(), or submit the item to another queue")
  }

  /// When an unlimited semaphore wait of the main thread is to be looked at; nil on other threads.
  static func semaphoreWarning() -> Warning? {
    MainThreadHost.isMainThread ? Warning(due: Clock.uptime() &+ 1_000_000_000) : nil
  }

  struct Warning {
    let due: UInt64
    /// Due now: warns if the main queue holds items; never again in this wait.
    func next() -> Warning? {
      if !MainQueue.queue.isStoreEmpty {
        Misuse.report(
          "the main thread has waited for a semaphore for 1 s while the main queue holds items: if one of them is to signal, "
            + "this wait never ends")
      }
      return nil
    }
  }
}
