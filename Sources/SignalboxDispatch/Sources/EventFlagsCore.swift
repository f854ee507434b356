// EventFlagsCore.swift: what the kinds have in common whose data is a set of events that happened: processes, files, memory
// pressure, ports. The life of a source is SourceCore's.
import SignalboxLocks
import SignalboxSystem

package class EventFlagsCore: SourceCore, @unchecked Sendable {
  // SAFETY of @unchecked: the events are atomic, the refusal is guarded by `lock`; subclasses argue for their own.

  private final let pending = Atomic64(0)
  private final let lock = UnfairLock()
  private final var refused: SourceRefusal?

  /// Adds events for the handler to find; those that the source was not made for are left out. Any thread.
  // seq_cst: the events are written before signalEvent() checks whether a check is due; see SourceCore.life.
  final func deliver(_ events: UInt) {
    let wanted = UInt64(events & mask)
    guard wanted != 0 else { return }
    var old = pending.loadSeqCst()
    while true {
      let swap = pending.casSeqCst(old, old | wanted)  // seq_cst: before signalEvent(), as told above
      if swap.exchanged { break }
      old = swap.original
    }
    signalEvent()
  }

  /// Makes `events` what the handler finds, whatever was to be found before: for a state, of which only the latest counts.
  final func deliver(insteadOfOthers events: UInt) {
    let wanted = UInt64(events & mask)
    guard wanted != 0 else { return }
    _ = pending.exchangeSeqCst(wanted)  // seq_cst: as above
    signalEvent()
  }

  override func takeData() -> UInt? {
    let events = pending.exchangeSeqCst(0)  // seq_cst: after the turn's step; pairs with deliver(_:)
    return events == 0 ? nil : UInt(events)
  }

  /// What the machine refused, once it was asked.
  package final var refusal: SourceRefusal? { lock.withLock { refused } }

  /// What becomes of a source that is refused something.
  enum Consequence: String {
    case staysForOtherEvents = "Its other events come"
    case staysForInjectedEvents = "What is injected comes"
    case isCancelled = "The source is cancelled"
  }

  /// Notes what was refused and says so, because a source that stays silent for no reason is found by nobody.
  final func refuse(_ refusal: SourceRefusal, _ consequence: Consequence) {
    lock.withLock { refused = refusal }
    Misuse.report("\(sourceName): \(refusal). \(consequence.rawValue)")
    if consequence == .isCancelled { cancel() }
  }
}
