// MainThreadWait.swift: waits without limit on the main thread, checked again and again. The checks are OwnItems.swift and
// OwnMembersWatch.swift.
import SignalboxSystem

enum MainThreadWait {
  /// When an unlimited wait is checked: after 10 ms, then twice as late each time, at last every second.
  struct Polls {
    private var interval: UInt64 = 10_000_000
    mutating func next() -> Deadline {
      defer { interval = min(interval * 2, 1_000_000_000) }
      return .uptime(Clock.uptime() &+ interval)
    }
  }

  /// When an unlimited semaphore wait of the main thread is to be checked; nil on other threads.
  static func semaphoreWarning() -> Warning? {
    MainThreadHost.isMainThread ? Warning(due: Clock.uptime() &+ 1_000_000_000) : nil
  }

  struct Warning {
    let due: UInt64
    /// Due now: warns if the main queue holds items; never again in this wait.
    func next() -> Warning? {
      if !MainQueue.queue.list.isEmpty {
        Misuse.report(
          "the main thread has waited for a semaphore for 1 s while the main queue holds items: if one of them is to signal, "
            + "this wait never ends")
      }
      return nil
    }
  }
}
