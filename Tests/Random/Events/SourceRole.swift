// SourceRole.swift: the life of a source of any kind in a play: activation, suspension, handlers, targets, its end. What is
// monitored is the kinds' (subclasses).
import Signalbox

class SourceRole: Role {
  let stage: Stage
  let witness: SourceWitness
  /// nil once it has been let go.
  private(set) final var source: DispatchSource?
  private(set) final var isActive = false
  private final var suspensions = 0
  private final var isFinishing = false

  init(_ name: String, _ stage: Stage) {
    self.stage = stage
    witness = SourceWitness(name, stage)
  }

  /// Gives the role its source, inactive.
  final func adopt(_ source: any DispatchSourceProtocol, _ script: inout Script, _ react: @escaping (UInt) -> Void) {
    let source = source as! DispatchSource
    self.source = source
    witness.watch(source, react)
    witness.linger.set(script.pick([0, 0, 0, 60, 300]))
    setHandler()
    source.setCancelHandler { [witness] in witness.heardEnd() }
    if script.once(in: 2) { source.setRegistrationHandler { [witness] in witness.heardRegistration() } }
  }

  // MARK: what a kind says

  /// A call that only this kind has.
  func act(_ script: inout Script) {}
  /// Whether everything has been reported that a source must report if nobody cancels it; may do what is lacking.
  func hasToldAll() -> Bool { true }
  /// It begins to monitor now.
  func willActivate() {}
  /// What the kind can say about its events, when nothing more can come.
  func judgeEvents() {}
  /// Gives back what the source was made with; it has settled.
  func cleanUp() {}
  var detail: String { "" }

  // MARK: steps

  final func step(_ script: inout Script) {
    guard let source else { return }
    switch script.pick(16) {
    case 0, 1: activate()
    case 2: suspend()
    case 3, 4: resume()
    case 5: if script.once(in: 3) { witness.cancel(source) }
    case 6: if script.once(in: 3) { witness.cancelsAfter.set(witness.events.value + script.pick(4) + 1) }
    case 7: retarget(script.pick(stage.queues))
    case 8: setHandler()
    case 9: if script.once(in: 4) { stage.elsewhere { [witness] in witness.cancel(source) } }
    case 10: if script.once(in: 4) { letGo() }
    default: act(&script)
    }
  }

  private func setHandler() {
    let token = Token(witness.handlers)
    source?.setEventHandler { [witness] in
      withExtendedLifetime(token) { witness.heardEvent() }
    }
  }

  private func retarget(_ queue: DispatchQueue) { source?.setTarget(queue: queue) }

  private func activate() {
    guard !isActive, let source else { return }
    isActive = true
    willActivate()
    source.activate()
  }

  private func suspend() {
    guard suspensions < 3, let source else { return }
    suspensions += 1
    source.suspend()
  }

  private func resume() {
    if suspensions == 0 { return activate() }
    suspensions -= 1
    source?.resume()
  }

  /// Without a cancel, or after one.
  private func letGo() {
    while suspensions > 0 { resume() }
    source = nil
  }

  // MARK: the end

  final func finish() {
    while suspensions > 0 { resume() }
    activate()
    isFinishing = true
  }

  final func isSettled() -> Bool {
    if let source {
      if witness.isCancelled.value == 0 && !hasToldAll() { return false }
      if witness.isCancelled.value == 0 { witness.cancel(source) }
    } else if witness.source != nil {
      return false  // a handler, or a job elsewhere, still holds it, and may cancel it
    }
    // Without a cancel, the handle is free again when the handlers are: a weak reference is nil before the end has come.
    return witness.isCancelled.value == 0 ? witness.handlers.value == 0 : witness.hasEnded
  }

  final func judge() {
    witness.check(
      witness.ends.value == (witness.isCancelled.value != 0 ? 1 : 0), "its cancel handler came \(witness.ends.value) times")
    judgeEvents()
    cleanUp()
    source = nil
  }

  final var summary: String {
    "\(witness.summary), \(isActive ? "active" : "inactive"), suspended \(suspensions) times, \(source == nil ? "let go" : "held")"
      + (detail.isEmpty ? "" : "; \(detail)")
  }

  final var objects: [AnyObject] { [witness] + (source.map { [$0] } ?? []) }
}
