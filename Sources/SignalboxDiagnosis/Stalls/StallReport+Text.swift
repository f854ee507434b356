// StallReport+Text.swift: the report as people read it, and as machines do: the form of DeadlockReport's.
import SignalboxSystem

extension StallReport {
  /// The whole report as lines of text. Looking up symbols may start a helper process.
  public var text: String { text(symbols: symbols) }
  /// The whole report as one JSON object on one line. Addresses are hexadecimal strings, times are in seconds.
  public var json: String { json(symbols: symbols) }

  var symbols: ReportSymbols {
    ReportSymbols(
      participants.flatMap(\.addresses) + objects.flatMap(\.addresses) + (last?.places ?? [])
        + sleepers.flatMap(\.stack) + holders.flatMap(\.stack) + tasks.flatMap(\.places))
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
    return stack.isEmpty ? [what + "; its stack cannot be had"] : [what + ":"] + symbols.lines(stack).map { "      \($0)" }
  }

  fileprivate func json(_ symbols: ReportSymbols) -> String {
    "{\"thread\":\(threadID),\"name\":\(JSONText.quoted(threadName)),\"does\":\(JSONText.quoted(deed)),\"stack\":\(JSONText.list(symbols.lines(stack)))}"
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
      "\"stack\":\(JSONText.list(symbols.lines(stack)))",
    ]
    return "{\(fields.joined(separator: ","))}"
  }
}

extension DiagnosticReport {
  /// What the stall detector found; nil for other kinds.
  public var stall: StallReport? { details as? StallReport }
}
