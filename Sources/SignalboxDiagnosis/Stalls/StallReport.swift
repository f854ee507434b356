// StallReport.swift: waits that no thread is left to end, as a value, as people read it, and as machines do: the form
// of DeadlockReport's. Which threads wait for one another in a cycle is DeadlockReport.swift.
import SignalboxSystem

/// Threads whose waits nothing can end.
///
/// ```swift
/// for report in StallDetector.scan() {
///   print(report.certainty, report.cause, report.summary)
///   for object in report.objects { print(object.object.description, object.lacks) }
/// }
/// ```
public struct StallReport: Sendable {
  /// The cause of a stall.
  public enum Cause: String, Sendable {
    /// Work is queued, and every thread that the pool may have waits for something that only other threads would do.
    case pool = "pool exhausted"
    /// The main queue has items, and the main thread does not return to it.
    case mainQueue = "main queue not drained"
    /// Objects of an upper layer, such as operations, depend on each other in a cycle.
    case cycle = "dependency cycle"
    /// Every thread that could end the waits waits itself.
    case allWait = "all wait"
    /// No thread waits with Signalbox, and nothing can happen any more.
    case still = "nothing left"
  }

  /// An object that is waited for.
  public struct Object: Sendable {
    /// The object: its kind, address and name.
    public var object: DeadlockReport.Object
    /// The missing action.
    public var lacks: String
    /// For a group: where it was entered while the stall detector was on, as far as it has not been left since.
    public var enters: [Enter]
    /// For a stopped queue: the stack where it was last suspended or made inactive while the stall detector was on.
    public var stopped: [UInt] = []
    /// For a stopped queue: its first items, at most 8.
    public var items: [DeadlockReport.Item] = []
  }

  /// Calls of `enter()` for a group at one place.
  public struct Enter: Sendable {
    /// The number of calls.
    public var count: Int
    /// The stack of the call, as return addresses, innermost first; empty if not available.
    public var stack: [UInt]
  }

  /// The certainty. Suspected: a thread sleeps in a system call that is not one of Signalbox's waits, and might still end the
  /// stall.
  public var certainty: DeadlockReport.Certainty
  /// The cause of the stall.
  public var cause: Cause
  /// A summary in one sentence.
  public var summary: String
  /// The objects that are waited for, each once, followed by stopped queues with items that might end a wait.
  public var objects: [Object]
  /// The threads that wait with Signalbox, those that the cause is about first; at most 24.
  public var participants: [DeadlockReport.Participant]
  /// The number of waiting threads that are not listed.
  public var omitted: Int
  /// What might still end the stall, in words; empty if it is certain.
  public var mayStillEnd: [String]
  /// How to fix a stall of this kind.
  public var hint: String
  /// If nothing can happen any more: the item that started last; nil if none was recorded.
  public var last: DeadlockReport.Item?
  /// The number of seconds since that item started.
  public var lastSeconds = 0.0
  /// If nothing can happen any more: the threads that sleep without limit in what is not Signalbox's (locks, conditions, semaphores, calls
  /// of the system); at most 24.
  public var sleepers: [Sleeper] = []

  /// The threads that have what others wait for.
  var holders: [Holder] = []
  /// If nothing can happen any more: which of Foundation's own operations wait for one another, or which nothing starts, as lines.
  public var operations: [String] = []
  /// If nothing can happen any more: what Swift's tasks wait for, those that do the same at the same place as one; at
  /// most eight.
  public var tasks: [Tasks] = []
  /// If nothing can happen any more: tasks that wait for one another, as lines.
  public var taskCycles: [String] = []

  /// A thread that sleeps in something that is not Signalbox's.
  public struct Sleeper: Sendable {
    /// The kernel's number of the thread.
    public var threadID: UInt64
    /// The name of the thread.
    public var threadName: String
    /// The stack of its wait, as return addresses, innermost first; empty if not available.
    public var stack: [UInt]
    /// The Swift task that it runs; nil if it runs none, or if that is not known.
    public var task: DeadlockReport.Task?
    /// What it does, in words.
    var deed: String
  }
}

// MARK: as people read it, and as machines do

extension StallReport {
  /// The whole report as lines of text. Looking up symbols may start a helper process.
  public var text: String { text(symbols: symbols) }
  /// The whole report as one JSON object on one line. Addresses are hexadecimal strings, times are in seconds.
  public var json: String { json(symbols: symbols) }

  var symbols: ReportSymbols {
    ReportSymbols(
      participants.flatMap(\.addresses) + objects.flatMap(\.addresses) + (last?.places ?? [])
        + sleepers.flatMap { $0.stack + ($0.task?.places ?? []) } + holders.flatMap(\.stack) + tasks.flatMap(\.places))
  }

  func text(symbols: ReportSymbols) -> String {
    var lines = [summary]
    for object in objects { lines += object.lines(symbols) }
    lines += operations
    if !taskCycles.isEmpty { lines += ["  tasks wait for one another:"] + taskCycles.map { "  \($0)" } }
    for row in tasks { lines += row.lines(symbols) }
    if cause == .still { lines.append("  " + lastText(symbols)) }
    for participant in participants { lines.append("  \(participant.title) waits for \(participant.wants.name)") }
    if omitted > 0 { lines.append("  and \(omitted) threads more wait") }
    for holder in holders { lines.append(holder.line(symbols)) }
    for who in mayStillEnd { lines.append("  it might still be ended by \(who)") }
    for participant in participants { lines += participant.activity(symbols) + participant.place(symbols) }
    for sleeper in sleepers { lines += sleeper.lines(symbols) }
    lines.append("  fix: \(hint)")
    return (lines + symbols.hintLines).joined(separator: "\n") + "\n"
  }

  private func lastText(_ symbols: ReportSymbols) -> String {
    guard let last else { return "no item of a queue has run" }
    return "what ran last, \(ReportTimes.decimals(lastSeconds)) s ago: \(symbols.text(of: last))"
  }

  func json(symbols: ReportSymbols) -> String { JSONText.object(.stall, fields(symbols)) }

  func fields(_ symbols: ReportSymbols) -> [String] {
    [
      "\"certainty\":\"\(certainty.rawValue)\"", "\"cause\":\"\(cause.rawValue)\"",
      "\"summary\":\(JSONText.quoted(summary))",
      "\"objects\":[\(objects.map { $0.json(symbols) }.joined(separator: ","))]",
      "\"participants\":[\(participants.map { $0.json(symbols) }.joined(separator: ","))]", "\"omitted\":\(omitted)",
      "\"holders\":[\(holders.map { $0.json(symbols) }.joined(separator: ","))]",
      "\"mayStillEnd\":\(JSONText.list(mayStillEnd))", "\"last\":\(DeadlockReport.item(last, symbols))",
      "\"operations\":\(JSONText.list(operations.map { String($0.drop { $0 == " " }) }))",
      "\"tasks\":[\(tasks.map { $0.json(symbols) }.joined(separator: ","))]",
      "\"taskCycles\":\(JSONText.list(taskCycles.map { String($0.drop { $0 == " " }) }))",
      "\"sleepers\":[\(sleepers.map { $0.json(symbols) }.joined(separator: ","))]",
      "\"hint\":\(JSONText.quoted(hint))",
    ]
  }
}

extension StallReport.Sleeper {
  fileprivate func lines(_ symbols: ReportSymbols) -> [String] {
    let what = "  thread \"\(threadName)\" (\(threadID)) \(deed)"
    let place = stack.isEmpty ? [what + "; its stack cannot be had"] : [what + ":"] + symbols.lines(stack).map { "      \($0)" }
    return task.map { place.prefix(1) + ["    in \($0.line(symbols, on: stack))"] + place.dropFirst() } ?? place
  }

  fileprivate func json(_ symbols: ReportSymbols) -> String {
    "{\"thread\":\(threadID),\"name\":\(JSONText.quoted(threadName)),\"does\":\(JSONText.quoted(deed)),"
      + "\"task\":\(task?.json(symbols, on: stack) ?? "null"),\"stack\":\(JSONText.list(symbols.lines(stack)))}"
  }
}

extension StallReport.Object {
  /// Everything in it that has a symbol.
  fileprivate var addresses: [UInt] { enters.flatMap(\.stack) + stopped + items.flatMap(\.places) }

  fileprivate func lines(_ symbols: ReportSymbols) -> [String] {
    var lines = ["  \(object.name): \(lacks)", "    \(object.description)"]
    for enter in enters {
      lines.append("    entered \(enter.count == 1 ? "once" : "\(enter.count) times") at:")
      lines += symbols.lines(enter.stack).map { "      \($0)" }
    }
    for item in items { lines.append("    holds: \(symbols.text(of: item))") }
    if !stopped.isEmpty { lines += ["    stopped at:"] + symbols.lines(stopped).map { "      \($0)" } }
    return lines
  }

  fileprivate func json(_ symbols: ReportSymbols) -> String {
    let entered = enters.map { "{\"count\":\($0.count),\"stack\":\(JSONText.list(symbols.lines($0.stack)))}" }
    return "{\"object\":\(DeadlockReport.object(object)),\"lacks\":\(JSONText.quoted(lacks)),"
      + "\"entered\":[\(entered.joined(separator: ","))],\"stopped\":\(JSONText.list(symbols.lines(stopped))),"
      + "\"items\":[\(items.map { DeadlockReport.item($0, symbols) }.joined(separator: ","))]}"
  }
}

extension DeadlockReport.Participant {
  fileprivate func json(_ symbols: ReportSymbols) -> String {
    let fields = [
      "\"thread\":\(threadID)", "\"name\":\(JSONText.quoted(threadName))",
      "\"wants\":\(DeadlockReport.object(wants))", "\"seconds\":\(ReportTimes.decimals(seconds))",
      "\"inside\":\(JSONText.list(frames))", "\"item\":\(DeadlockReport.item(item, symbols))",
      taskField(symbols), "\"stack\":\(JSONText.list(symbols.lines(stack)))",
    ]
    return "{\(fields.joined(separator: ","))}"
  }
}

extension DiagnosticReport {
  /// What the stall detector found; nil for other kinds.
  public var stall: StallReport? { details as? StallReport }
}
