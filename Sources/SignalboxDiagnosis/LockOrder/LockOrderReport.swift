// LockOrderReport.swift: what was found out about an order of locks, as a value and in words.
import SignalboxSystem

/// Where an order was seen first.
struct LockOrderPlace: Sendable {
  let threadName: String
  let tid: UInt64
  let heldAt: [UInt]
  let wantedAt: [UInt]
}

/// What was found, not yet in words: these ask the loader for names, which must not happen under a lock.
struct LockOrderFinding {
  struct Step {
    let place: LockOrderPlace
    let held: LockClassText
    let wanted: LockClassText

    var addresses: [UInt] { place.heldAt + place.wantedAt + held.site + wanted.site }
  }
  let kind: LockOrderReport.Kind
  let steps: [Step]
  /// Of a wait that ends by time: how many nanoseconds were left.
  var timeLeft: UInt64?
}

/// One finding of lock-order validation.
///
/// ```swift
/// LockOrder.onReport { report in
///   for step in report.steps { print(step.threadName, "has", step.held, "and wants", step.wanted) }
/// }
/// ```
public struct LockOrderReport: Sendable {
  /// The kinds of finding.
  public enum Kind: String, Sendable {
    /// Locks are acquired in contradictory orders.
    case inversion
    /// Two locks of one class without levels are acquired against the order of their addresses.
    case nesting
    /// Two locks with levels are acquired against the order of the levels.
    case level
    /// A thread waits for a group, semaphore, work item or condition while it holds a lock.
    case waitUnderLock = "wait under lock"
  }

  /// One order: a thread asked for `wanted` while it held `held`.
  public struct Step: Sendable {
    /// The name of the lock held.
    public let held: String
    /// The name of the lock asked for.
    public let wanted: String
    /// The name of the first thread that did so.
    public let threadName: String
    /// The kernel's identifier of that thread.
    public let threadID: UInt64
    /// The stack, as return addresses, where the thread acquired the lock held.
    public let heldAt: [UInt]
    /// The stack, as return addresses, where it asked for the other lock.
    public let wantedAt: [UInt]

    fileprivate init(_ place: LockOrderPlace, held: String, wanted: String) {
      self.held = held
      self.wanted = wanted
      threadName = place.threadName
      threadID = place.tid
      heldAt = place.heldAt
      wantedAt = place.wantedAt
    }

    fileprivate func lines(_ symbols: ReportSymbols) -> [String] {
      let who = "first by thread \"\(threadName)\" (\(threadID))"
      return ["  \(wanted) while holding \(held), \(who):"] + Self.lines("held since", heldAt, symbols)
        + Self.lines("asked for at", wantedAt, symbols)
    }

    fileprivate func json(_ symbols: ReportSymbols) -> String {
      let fields = [
        "\"held\":\(JSONText.quoted(held))", "\"wanted\":\(JSONText.quoted(wanted))", "\"thread\":\(threadID)",
        "\"name\":\(JSONText.quoted(threadName))", "\"heldAt\":\(JSONText.list(symbols.lines(heldAt)))",
        "\"wantedAt\":\(JSONText.list(symbols.lines(wantedAt)))",
      ]
      return "{\(fields.joined(separator: ","))}"
    }

    private static func lines(_ title: String, _ stack: [UInt], _ symbols: ReportSymbols) -> [String] {
      if stack.isEmpty { return ["    \(title): not known"] }
      return ["    \(title):"] + symbols.lines(stack).map { "      \($0)" }
    }
  }

  /// The kind of finding.
  public let kind: Kind
  /// The orders that form a cycle, newest first; for a wait, the one lock held.
  public let steps: [Step]
  /// The text written on standard error.
  public let message: String
  /// The steps as JSON objects: with the functions' names, as they were found.
  private let stepTexts: [String]

  /// Names functions: takes as long as that does.
  init(_ finding: LockOrderFinding) {
    let symbols = ReportSymbols(finding.steps.flatMap(\.addresses))
    kind = finding.kind
    steps = finding.steps.map { Step($0.place, held: $0.held.text(symbols), wanted: $0.wanted.text(symbols)) }
    stepTexts = steps.map { $0.json(symbols) }
    message = ([Self.headline(kind, steps, finding.timeLeft)] + steps.flatMap { $0.lines(symbols) } + symbols.hintLines).joined(
      separator: "\n")
  }

  /// The report as one JSON object on one line.
  public var json: String { JSONText.object(.lockOrder, fields) }

  var fields: [String] {
    [
      "\"finding\":\"\(kind.rawValue)\"", "\"message\":\(JSONText.quoted(message))",
      "\"steps\":[\(stepTexts.joined(separator: ","))]",
    ]
  }

  private static func headline(_ kind: Kind, _ steps: [Step], _ timeLeft: UInt64?) -> String {
    let (held, wanted) = (steps[0].held, steps[0].wanted)
    switch kind {
    case .inversion:
      return "lock order: \(wanted) is asked for while \(held) is held, but elsewhere \(around(steps)): "
        + "threads that do both at once wait for one another forever; take them in one order everywhere"
    case .nesting:
      return "lock order: two locks of one class (\(held)) are held at once and not taken in the order of their addresses: "
        + "threads that take the same two the other way round wait for one another forever; "
        + "take the lower address first, or give them names with levels"
    case .level:
      return "lock order: \(wanted) is asked for while \(held) is held: take lower levels first"
    case .waitUnderLock:
      return "lock order: a \(wanted) is waited for while \(held) is held: if the thread that ends the wait needs that lock, "
        + "\(ReportTimes.end(timeLeft)); release the lock first"
    }
  }

  private static func around(_ steps: [Step]) -> String {
    steps.dropFirst().map { "\($0.wanted) while \($0.held) is held" }.joined(separator: ", and ")
  }
}

extension DiagnosticReport {
  /// What lock-order validation found; nil for other kinds.
  public var lockOrder: LockOrderReport? { details as? LockOrderReport }
}
