// DispatchWorkItem+After.swift: submitting a work item at a later time. Closures: DispatchQueue+After.swift.
import SignalboxWords

extension DispatchQueue {
  /// Submits a work item when `deadline` has passed.
  public final func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {
    asyncAfter(raw: deadline.rawValue, execute)
  }

  /// Submits a work item when the wall clock reaches `wallDeadline`.
  public final func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
    asyncAfter(raw: wallDeadline.rawValue, execute)
  }

  /// Submits a work item at a raw time.
  package final func asyncAfter(raw: dispatch_time_t, _ workItem: DispatchWorkItem) {
    after(raw, .workItem(Unmanaged.passRetained(workItem).toOpaque())) {
      Unmanaged.passUnretained(workItem).release()
    }
  }
}
