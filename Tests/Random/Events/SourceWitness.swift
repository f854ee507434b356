// SourceWitness.swift: what the handlers of one source see, and what must be true of them whatever the source's kind.
import Glibc
import Signalbox

/// Held by the handlers; does not hold the source.
final class SourceWitness: @unchecked Sendable {
  // SAFETY of @unchecked: `source` and `react` are set before the source is active; `turns` and `isThrough` are touched by handlers
  // only, which run one at a time: the thread sanitizer sees whether they do.
  let name: String
  private let stage: Stage
  private let token: Token
  private(set) weak var source: DispatchSource?
  /// What the kind does at an event, with its data; does not hold the witness.
  private var react: (UInt) -> Void = { _ in }
  private var turns = 0
  private var isThrough = false

  let events = Tally(), registrations = Tally(), ends = Tally()
  private let inside = Tally(), isSilent = Tally()
  /// How many event handlers, also former ones, are not freed.
  let handlers = Tally()
  /// The number of events after which the handler cancels its source; 0: never.
  let cancelsAfter = Tally()
  /// Microseconds that the event handler takes the first times, so that events come while it runs.
  let linger = Tally()
  /// Whether anybody has called `cancel()`.
  let isCancelled = Tally()
  private let ended = Flag()

  init(_ name: String, _ stage: Stage) {
    (self.name, self.stage, token) = (name, stage, Token(stage.living))
  }

  func watch(_ source: DispatchSource, _ react: @escaping (UInt) -> Void) { (self.source, self.react) = (source, react) }

  var hasEnded: Bool { ended.isUp && inside.value == 0 }
  func fault(_ text: String) { stage.faults.add("\(name): \(text)") }
  func check(_ fact: Bool, _ text: @autoclosure () -> String) { if !fact { fault(text()) } }

  func cancel(_ source: DispatchSource) {
    isCancelled.set(1)
    source.cancel()
  }

  func heardEvent() {
    enter("an event")
    defer { leave() }
    events.add()
    check(isSilent.value == 0, "an event after its own handler has cancelled it")
    guard let source else { return }  // its last reference has just gone
    react(source.data)
    if linger.value > 0 && events.value < 30 { usleep(UInt32(linger.value)) }  // a handler that takes a while
    let isDue = cancelsAfter.value != 0 && events.value >= cancelsAfter.value
    if !isDue && !isThrough { return }
    isSilent.set(1)
    cancel(source)
  }

  /// The handler cancels the source when it returns.
  func cancelFromHandler() { isThrough = true }

  func heardRegistration() {
    enter("the registration handler")
    defer { leave() }
    check(events.value == 0, "the registration handler comes after an event")
    check(registrations.add() == 0, "the registration handler comes twice")
  }

  func heardEnd() {
    enter("the cancel handler")
    check(isCancelled.value != 0, "the cancel handler of a source that nobody has cancelled")
    ends.add()
    leave()
    ended.raise()
  }

  private func enter(_ what: String) {
    check(inside.add() == 0, "\(what) beside another handler")
    check(ends.value == 0, "\(what) after the cancel handler")
    turns += 1
  }
  private func leave() { inside.add(-1) }

  var summary: String {
    "\(name): events \(events.value), registrations \(registrations.value), cancelled \(isCancelled.value), ends \(ends.value)"
  }
}
