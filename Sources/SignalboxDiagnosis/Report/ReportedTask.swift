// ReportedTask.swift: the Swift task that a thread of a report runs: which one, and the chain of functions from the one
// under way to those that await it. How that is read is RunningTask.swift (SignalboxView).
import SignalboxSystem
import SignalboxView
import SignalboxWaits

extension DeadlockReport {
  /// The Swift task that a thread runs.
  public struct Task: Sendable {
    /// The number of the task, counted from 1 in the process.
    public var number: Int
    /// The name that the program gave it, or nothing.
    public var name: String
    /// The functions that await the one under way, by the addresses with which they go on, innermost first; empty if
    /// there are none, or if they are not known. The function under way stands in the thread's stack.
    public var awaits: [UInt]
    /// Whether they are known.
    var isKnown = true
  }
}

extension DeadlockReport.Task {
  /// The task that the thread `entry`, which stands still, runs; nil if it runs none, or if that is not known.
  init?(on entry: ThreadTable.Entry?) {
    guard let entry, let task = RunningTask(on: entry) else { return nil }
    self.init(
      number: Int(task.number), name: task.name, awaits: (task.awaits ?? []).map { UInt($0) }, isKnown: task.awaits != nil)
  }

  /// As addresses of a stack, which lie behind a call.
  var places: [UInt] { awaits.map { $0 &+ 1 } }

  private var title: String { name.isEmpty ? "task \(number)" : "task \(number) \"\(name)\"" }

  /// The program's functions, the innermost first: those under way on the thread with this stack, then those that await
  /// them. None where it is not known that these follow one another.
  private func functions(_ symbols: ReportSymbols, on stack: [UInt]) -> [SymbolFrame] {
    guard isKnown, let inner = symbols.underWay(onTaskOf: stack), let outer = symbols.awaitingAll(places) else { return [] }
    return inner + outer
  }

  /// A line of a report: `task 7 "sync": save(_:) at Store.swift:41 ← handle(_:) at Server.swift:80`.
  func line(_ symbols: ReportSymbols, on stack: [UInt]) -> String {
    let chain = functions(symbols, on: stack)
    let words = chain.prefix(Self.mostShown).map { symbols.words($0) }.joined(separator: " ← ")
    if chain.isEmpty { return title }
    return "\(title): \(words)\(chain.count > Self.mostShown ? " ← \(chain.count - Self.mostShown) more" : "")"
  }
  /// A line has no more functions: of a recursion the JSON has all.
  private static let mostShown = 32

  /// The same as an object of a report.
  func json(_ symbols: ReportSymbols, on stack: [UInt]) -> String {
    let awaits = functions(symbols, on: stack).map { frame in
      let place = frame.file.map { ",\"file\":\(JSONText.quoted($0))" } ?? ""
      return "{\"function\":\(JSONText.quoted(frame.function))\(place)\(frame.line.map { ",\"line\":\($0)" } ?? "")}"
    }
    return "{\"number\":\(number),\"name\":\(JSONText.quoted(name)),\"awaits\":[\(awaits.joined(separator: ","))]}"
  }
}

extension DeadlockReport.Participant {
  /// Its task as a field of a report's JSON.
  func taskField(_ symbols: ReportSymbols) -> String { "\"task\":\(task?.json(symbols, on: stack) ?? "null")" }
}
