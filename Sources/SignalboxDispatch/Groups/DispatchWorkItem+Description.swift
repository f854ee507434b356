// DispatchWorkItem+Description.swift: what `print` and reports show of a work item. The form is ObjectText's.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

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
    switch Whereabouts(rawValue: whereabouts.loadRelaxed()).place {  // relaxed: for people
    case .notSubmitted: "not submitted"
    case .thread(let owner): "runs on \(ObjectText.thread(owner))"
    case .unclear: "submitted more than once, or just over"
    case .queue: "submitted"
    }
  }
}
