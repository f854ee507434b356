// Notification.swift: work to submit when something has ended: a group's generation, or a work item's run.
import SignalboxWords

/// One registered notification.
struct Notification {
  let queue: DispatchQueue
  /// The item.
  let slot: Slot
  /// Which of the group's generations it waits for.
  let generation: UInt64

  func submit() { queue.pushEither(slot) }

  /// It will never be submitted: its closure or work item is released. A C function's argument is its caller's; the C face keeps
  /// a group while members are inside, so none is lost there.
  func destroy() {
    if slot.first == SlotKind.workItem {
      Unmanaged<DispatchWorkItem>.at(UInt(slot.second)).release()
    } else if slot.isClosure {
      _ = slot.work.take()
    }
  }

  /// Generations are 31 bits and wrap: order by distance, with the sign where 32 bits have it.
  func isDue(atEndOf ended: UInt64) -> Bool {
    Int32(truncatingIfNeeded: (ended &- generation) << 1) >= 0
  }
}
