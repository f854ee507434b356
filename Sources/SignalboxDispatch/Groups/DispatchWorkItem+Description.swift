// DispatchWorkItem+Description.swift: what `print` and reports show of a work item. The form is ObjectText's.
import SignalboxDiagnosis
import SignalboxSystem

extension DispatchWorkItem: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of item, its address and its current state: `<DispatchWorkItem 0x… submitted>`.
  ///
  /// - Note: Thread safety: any thread. Meant for people: the wording may change.
  public final var description: String {
    ObjectText.plain("DispatchWorkItem", nil, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), facts)
  }

  /// The same as `description`.
  public final var debugDescription: String { description }

  private final var facts: [String] { (hasEnded ? ["has run"] : [place]) + (isCancelled ? ["cancelled"] : []) }

  private final var place: String {
    let place = whereabouts.loadRelaxed()  // relaxed: for people
    switch place & 7 {
    case 0: return "not submitted"
    case WorkItemWaits.running: return "runs on \(ObjectText.thread(place >> 3))"
    case WorkItemWaits.unclear: return "submitted more than once, or just over"
    default: return "submitted"
    }
  }
}
