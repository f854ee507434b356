// LongItemReport.swift: an item of the main queue that has run for longer than the limit, as a value and in words. The
// code that finds it is MainItemMonitor in SignalboxObservers.
import SignalboxSystem
import SignalboxView

/// An item of the main queue that runs longer than the limit.
///
/// Each such item is reported once, while it runs: `MainQueue.reportItems(longerThan:)`.
///
/// ```swift
/// Signalbox.onReport { report in
///   guard let item = report.longItem else { return }
///   print("an item of thread", item.threadID, "runs for", item.seconds, "s; the limit is", item.limit)
/// }
/// ```
public struct LongItemReport: Sendable {
  /// The item; nil if nothing is known of it.
  public let item: DeadlockReport.Item?
  /// The number of seconds for which it had run when the report was made.
  public let seconds: Double
  /// The limit, in seconds.
  public let limit: Double
  /// The kernel's identifier of the thread that runs it.
  public let threadID: UInt64
  /// The stack of that thread, as return addresses, innermost first; empty if the item had ended before the stack was read, or the thread
  /// did not answer.
  public let stack: [UInt]
  /// Why the stack is missing, or ends early; nil: it is whole, or the item had ended.
  let stackGap: StackReading.Gap?
  /// The thread that has what the item waits for, the one that has what that thread waits for, and so on; none if the item does not wait.
  let holders: [Holder]

  /// Finding the names of functions may start a helper process.
  private var symbols: ReportSymbols { ReportSymbols(stack + (item?.places ?? []) + holders.flatMap(\.stack)) }
  /// The report as lines of text.
  public var text: String { text(symbols) }
  /// The report as one JSON object on one line. Times are in seconds.
  public var json: String { JSONText.object(.longItem, fields(symbols)) }

  func text(_ symbols: ReportSymbols) -> String {
    var lines = [
      "main queue: an item has run for \(Self.milliseconds(seconds)) ms, and the limit is \(Self.milliseconds(limit)) ms"
    ]
    if let item { lines.append("  runs: \(symbols.text(of: item, on: stack))") }
    lines += holders.map { $0.line(symbols) }
    if stack.isEmpty {
      lines.append("  stack: not known: \(stackGap?.text ?? "the item has ended")")
    } else {
      lines += ["  stack of thread \(threadID):"] + symbols.lines(stack).map { "    \($0)" }
      if let stackGap { lines.append("    it ends here: \(stackGap.text)") }
    }
    lines.append("  fix: do what takes long on another queue, and give the main queue the result")
    return (lines + symbols.hintLines).joined(separator: "\n") + "\n"
  }

  func fields(_ symbols: ReportSymbols) -> [String] {
    [
      "\"item\":\(DeadlockReport.item(item, symbols))", "\"seconds\":\(Self.thousandths(seconds))",
      "\"limit\":\(Self.thousandths(limit))", "\"thread\":\(threadID)",
      "\"holders\":[\(holders.map { $0.json(symbols) }.joined(separator: ","))]",
      "\"stack\":\(JSONText.list(symbols.lines(stack)))",
    ]
  }

  private static func milliseconds(_ seconds: Double) -> String { "\(Int64((seconds * 1e3).rounded()))" }
  private static func thousandths(_ seconds: Double) -> String { "\((seconds * 1e3).rounded() / 1e3)" }

  /// Writes the report of an item, and calls the handlers.
  package static func tell(
    _ item: RunningItem?, nanoseconds: UInt64, limit: UInt64, thread: Int32, stack: StackReading
  ) {
    let report = LongItemReport(
      item: item.map { .init($0) }, seconds: Double(nanoseconds) / 1e9, limit: Double(limit) / 1e9, threadID: UInt64(thread),
      stack: stack.addresses, stackGap: stack.gap, holders: stack.addresses.isEmpty ? [] : Holder.behind([thread]))
    let number = ReportNumber.next(.longItem)
    let told = Telling.whileTelling {
      let symbols = report.symbols
      return Deadlock.publish(.longItem, number, report.text(symbols), fields: report.fields(symbols), details: report)
    }
    ReportDelivery.handOver(told)
  }
}

extension DiagnosticReport {
  /// The item that runs for long; nil for other kinds.
  public var longItem: LongItemReport? { details as? LongItemReport }
}
