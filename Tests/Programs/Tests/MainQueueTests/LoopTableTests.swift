// LoopTableTests.swift: whoever waits in one of a thread's two loops serves both: a table of what there is to serve, by thread and by
// loop, each in a program of its own. What the rows do is Probes/LoopRows.
import LoopRows
import Testing

/// A thread, and the loop it waits in.
struct Waiter: Sendable, CustomTestStringConvertible {
  let thread: String
  let wait: Wait
  var testDescription: String { "\(thread) thread, in \(wait.rawValue)" }

  static let all = ["main", "other"].flatMap { thread in Wait.allCases.map { Waiter(thread: thread, wait: $0) } }
}

@Suite("One thread, two loops", .serialized) struct LoopTable {
  @Test("The thread that waits serves both loops, whichever it waits in", arguments: Row.allCases, Waiter.all)
  func table(_ row: Row, _ waiter: Waiter) throws {
    if row.isForMainOnly && waiter.thread != "main" { return }
    let run = try ProbeRun("LoopProbe", waiter.thread, waiter.wait.rawValue, row.rawValue)
    #expect(run.lines == ["served"])
    #expect(run.status == 0, "signal \(run.signal ?? 0)")
  }

  @Test("Without a descriptor left bridges are refused, or wait until there is one")
  func scarce() throws {
    let run = try ProbeRun("LoopProbe", "scarce")
    #expect(run.lines == ["refused for want of a descriptor", "both ran"])
    #expect(run.status == 0, "signal \(run.signal ?? 0)")
  }

  @Test("A call stack in words has function, file and line of each call, the innermost first")
  func symbols() throws {
    let lines = try ProbeRun("LoopProbe", "symbols").lines
    #expect(lines.first.map { $0.contains("namesItsCallers") && $0.hasSuffix("main.swift:9") } == true, "\(lines)")
    #expect(lines.contains { $0.contains("main.swift:20") }, "\(lines)")
    for (number, line) in lines.enumerated() { #expect(line.hasPrefix("\(number) "), "\(line)") }
  }
}
