// Recorder.swift: what happens in a scenario, in order, with thread and queue; and what the scenario demands of it.
//
// Events are numbered under one lock and handed on at once, so a reader in another process sees all that came before a hang.
import Signalbox
import SignalboxSystem

/// Something that happened.
public struct Event: Sendable, Equatable {
  /// The thread: `main`, `worker 1` (of the pool), `thread 1` (of the scenario).
  public let thread: String
  /// The kernel's number of the thread.
  public let threadID: Int32
  /// The label of the queue whose item ran; nil outside of any.
  public let queue: String?
  /// What happened.
  public let text: String

  /// An event.
  public init(thread: String, threadID: Int32, queue: String?, text: String) {
    self.thread = thread
    self.threadID = threadID
    self.queue = queue
    self.text = text
  }
}

/// A demand that was not met.
public struct Problem: Sendable, Equatable {
  /// What should have been.
  public let expected: String
  /// What was.
  public let happened: String

  /// A problem.
  public init(expected: String, happened: String) {
    self.expected = expected
    self.happened = happened
  }
}

/// What a scenario tells, as it runs.
public enum Report: Sendable, Equatable {
  /// Something happened.
  case event(Event)
  /// A demand was not met.
  case problem(Problem)
  /// The body is through; what was measured.
  case measured(String)
}

/// Notes events and checks of one scenario. Thread safety: any thread.
public final class Recorder: @unchecked Sendable {
  // SAFETY of @unchecked: the variables are touched only under `lock`.
  private let lock = UnfairLock()
  private var noted: [Event] = []
  private var unmet: [Problem] = []
  private var names: [Int32: String] = [:]
  private let sink: (@Sendable (Report) -> Void)?
  private let ending: (@Sendable () -> Void)?

  /// A recorder that hands each report on as it is made; `ending` ends the process for scenarios that give away the main thread.
  public init(sink: (@Sendable (Report) -> Void)? = nil, ending: (@Sendable () -> Void)? = nil) {
    self.sink = sink
    self.ending = ending
  }

  /// Notes that something happened, here and now.
  public func note(_ text: String) {
    let queue = DispatchQueue.currentLabel
    lock.withLock {
      let id = ThreadSlot.kernelID()
      let event = Event(thread: nameAssumingLocked(id), threadID: id, queue: queue, text: text)
      noted.append(event)
      sink?(.event(event))
    }
  }

  /// Demands something; `happened` tells what is the case instead.
  public func expect(_ holds: Bool, _ expected: String, _ happened: @autoclosure () -> String = "it is not so") {
    guard !holds else { return }
    let problem = Problem(expected: expected, happened: happened())
    lock.withLock {
      unmet.append(problem)
      sink?(.problem(problem))
    }
  }

  /// Ends a scenario whose main thread serves the main queue: from there the body cannot return.
  public func finish(_ measured: String) {
    lock.withLock { sink?(.measured(measured)) }
    ending?()
  }

  private func nameAssumingLocked(_ id: Int32) -> String {
    if let name = names[id] { return name }
    let kind = Threads.isMain ? "main" : ThreadSlot.current.pointee.worker != nil ? "worker" : "thread"
    let name = kind == "main" ? kind : "\(kind) \(names.values.count { $0.hasPrefix(kind) } + 1)"
    names[id] = name
    return name
  }

  // MARK: what was noted

  /// All events so far.
  public var events: [Event] { lock.withLock { noted } }
  /// All demands that were not met so far.
  public var problems: [Problem] { lock.withLock { unmet } }
  /// What happened, in order.
  public var texts: [String] { events.map(\.text) }

  /// The threads of the events that `isWanted`, each once, in order of appearance.
  public func threads(_ isWanted: (String) -> Bool = { _ in true }) -> [String] {
    var found: [String] = []
    for event in events where isWanted(event.text) && !found.contains(event.thread) { found.append(event.thread) }
    return found
  }

  /// Demands that these happened one after another; others may stand between them.
  public func expectOrder(_ wanted: String...) { expectOrder(wanted) }

  /// Demands that these happened one after another; others may stand between them.
  public func expectOrder(_ wanted: [String]) {
    let texts = texts
    let found = texts.filter { wanted.contains($0) }
    expect(
      found == wanted, "in this order: " + wanted.joined(separator: ", "),
      found.isEmpty ? "none of them" : found.joined(separator: ", "))
  }

  /// Demands that all of these happened, in whatever order, and nothing else of that beginning.
  public func expectAll(_ wanted: [String], beginning: String) {
    let found = texts.filter { $0.hasPrefix(beginning) }
    expect(found.sorted() == wanted.sorted(), "each once: " + wanted.joined(separator: ", "), found.joined(separator: ", "))
  }

  /// Demands that every event that `isWanted` happened on one of these threads' kinds (`main`, `worker`, `thread`).
  public func expectThreads(_ kind: String, _ isWanted: (String) -> Bool) {
    let strangers = events.filter { isWanted($0.text) && !$0.thread.hasPrefix(kind) }
    expect(
      strangers.isEmpty, "all of it on \(kind == "main" ? "the main thread" : "a \(kind)")",
      strangers.map { "\($0.text) on \($0.thread)" }.joined(separator: ", "))
  }

  /// The events' order as one line.
  public func order(_ isWanted: (String) -> Bool = { _ in true }) -> String { texts.filter(isWanted).joined(separator: ", ") }
}
