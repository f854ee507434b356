// StackTests.swift: reports of a Swift program that knows nothing of us, under `signalbox run` (Probes/Reports): its own functions
// by name, file and line; Signalbox's part in a line.
import SignalboxSystem
import Testing

@Suite("Stacks of unmodified programs") struct StackTests {
  /// The library is compared by name: the command names functions and lines within two seconds, however busy the machine is.
  private func run(_ deed: String, changes: [String: RawString] = [:]) throws -> Run {
    try Run("ReportProbe", deed, changes: changes)
  }

  private func expect(_ words: [String], inOrderIn text: String) {
    var rest = text[...]
    for word in words {
      guard let place = rest.firstRange(of: word) else {
        Issue.record("\(word) is missing in \(text)")
        return
      }
      rest = rest[place.upperBound...]
    }
  }

  @Test("A misuse ends in the stack that led to it")
  func misuse() throws {
    let run = try run("misuse")
    #expect(run.status == 134)
    expect(
      [
        "signalbox (libdispatch.so): misuse: group 0x", "left more often than entered", "the main thread (", "    stack:\n",
        "frames of Signalbox: ", "      0 leaveTooOften(_:)", "      1 misuse()", "main",
      ], inOrderIn: run.text)
    #expect(!run.text.contains("never"))
  }

  @Test("A deadlock's report has the function that called sync, on both threads, and the queues' whole labels")
  func deadlock() throws {
    let run = try run("deadlock")
    #expect(run.status == 134)
    #expect(
      run.text.contains(
        #/thread \d+ on queue "com\.example\.bank\.requests" holds serial queue "com\.example\.bank\.accounts"/#))
    for stack in [
      ["0 Bank.record()", "closure #1 in Bank.debit()", "Bank.debit()", "in deadlock()"],
      ["0 Bank.balance()", "closure #1 in Bank.audit()", "Bank.audit()", "deadlock()"],
    ] {
      expect(["    stack:\n      ("] + stack, inOrderIn: run.text)
    }
    #expect(run.text.contains("    runs: async: closure #1 in deadlock()"), "\(run.text)")
    let lines = run.text.split(separator: "\n").filter { $0.contains(" of Signalbox: ") }
    #expect(lines.contains { $0.contains(": DispatchQueue.sync") }, "\(run.text)")
  }

  @Test("The item of a task is called by the task's function, not the runtime's")
  func task() throws {
    let run = try run("task")
    #expect(run.status == 134)
    expect(["    runs: async: ", "Task"], inOrderIn: run.text)
    #expect(run.text.contains(#/runs: async: (askFromTask\(_:\)|closure #1 in deadlockOfATask\(\))/#), "\(run.text)")
  }

  @Test("A work item is called by its closure, not by the functions that lead there")
  func workItem() throws {
    let run = try Run("ReportProbe", "item", options: "--watch=0.2")
    #expect(run.status == 134 && run.text.contains("    holds: work item: closure #1 in waitForHeldItem()"), "\(run.text)")
  }

  @Test("Foundation's operations that wait for one another are named as a cycle", arguments: ["operations", "operation-queue"])
  func operationCycle(deed: String) throws {
    let run = try Run("ReportProbe", deed, options: "--watch=0.2", limit: 5)
    #expect(run.text.contains("  2 operations wait for one another:\n"), "\(run.text)")
    let links = run.text.matches(
      of: #/\n    operation (.*)\(BlockOperation (0x[0-9a-f]+)\) waits for operation (.*)\(BlockOperation (0x[0-9a-f]+)\)/#)
    try #require(links.count == 2, "\(run.text)")
    #expect(links[0].2 == links[1].4 && links[0].4 == links[1].2 && links[0].2 != links[1].2)
    if deed == "operation-queue" {
      #expect(Set(links.map(\.1)) == ["\"fetch\" ", "\"a name that is longer than fifteen bytes\" "], "\(run.text)")
    }
    #expect(run.text.contains("  fix: take one of the dependencies away"), "\(run.text)")
  }

  @Test("An operation of Foundation's that nothing starts is named", arguments: ["operation-alone", "operation-needed"])
  func operationAlone(deed: String) throws {
    let run = try Run("ReportProbe", deed, options: "--watch=0.2", limit: 5)
    #expect(
      run.text.contains(
        #/\n  operation "monthly" \(Report 0x[0-9a-f]+\) is in no queue and was not started\n/#),
      "\(run.text)")
    #expect(
      !run.text.contains("wait for one another") && run.text.contains("  fix: add the operation to a queue"), "\(run.text)")
  }

  @Test(
    "Waits of Foundation's own that no thread ends are suspected with the program's function, and the program waits on",
    arguments: [
      ("condition", "nothing can happen any more", "waitForCondition()"), ("lock", "waits for itself", "lockTwice()"),
      ("operations", "nothing can happen any more", "waitForOperations()"),
    ])
  func foundation(deed: String, finding: String, function: String) throws {
    let run = try Run("ReportProbe", deed, options: "--watch=0.2", limit: 5)
    #expect(run.status == 124)
    expect(["suspected deadlock: ", finding, function], inOrderIn: run.text)
    #expect(run.text.ranges(of: "deadlock: ").count == 1, "told once: \(run.text)")
  }

  @Test("Tasks that wait for continuations which no code resumes are counted, with the functions that await")
  func continuations() throws {
    let run = try Run("ReportProbe", "continuations", options: "--watch=0.2", limit: 5)
    #expect(run.status == 124)
    expect(
      [
        "nothing can happen any more", "  5 tasks (task ", "\"request ", ", …): each waits for a continuation:\n",
        "      0 lease() at main.swift:",
        "      1 handle(_:) at main.swift:", "  fix: make sure that each continuation is resumed, on every way out",
      ], inOrderIn: run.text.replacing(#/ at [^\n]*\//#, with: " at "))
  }

  @Test("Tasks that await each other's values are named")
  func values() throws {
    let run = try Run("ReportProbe", "values", options: "--watch=0.2", limit: 5)
    #expect(run.status == 124)
    #expect(
      run.text.contains(
        #/\n  tasks wait for one another:\n    task \d+ "one" waits for task \d+ "other" waits for task \d+ "one"\n/#),
      "\(run.text)")
    #expect(run.text.contains("  fix: let no task await the end of one that awaits its own"), "\(run.text)")
  }

  @Test("SIGNALBOX_STACKS=full shows every function")
  func full() throws {
    let run = try run("deadlock", changes: ["SIGNALBOX_STACKS": "full"])
    #expect(run.status == 134 && !run.text.contains(" of Signalbox: ") && run.text.contains(" Bank.record()"), "\(run.text)")
    #expect(run.text.contains("      12 "), "\(run.text)")
  }

  @Test("Contradicting orders of queues are reported with both places although the program ends at once")
  func order() throws {
    let run = try run("order", changes: ["SIGNALBOX_LOCK_ORDER": "report"])
    #expect(run.status == 0)
    expect(
      [
        "lock order: queue \"pool.0.writer\" is asked for while queue \"pool.0.reader\" is held",
        "    held since:\n", "takeForReading(_:_:)", "    asked for at:\n", "takeForReading(_:_:)", "    held since:\n",
        "takeForWriting(_:_:)", "    asked for at:\n", "takeForWriting(_:_:)",
      ], inOrderIn: run.text)
  }

  @Test("Twenty pairs of queues that contradict one another at the same places have one cause")
  func orders() throws {
    let run = try run("orders", changes: ["SIGNALBOX_LOCK_ORDER": "report"])
    #expect(run.status == 0 && run.text.matches(of: /is asked for while/).count == 1, "\(run.text)")
    #expect(run.text.contains("lock order: 19 more findings had the causes that were reported"), "\(run.text)")
  }

  @Test("Without the command, functions have names, and the report says how to get lines")
  func withoutCommand() throws {
    let run = try run("order", changes: ["SIGNALBOX_LOCK_ORDER": "report", "SIGNALBOX_SYMBOLICATOR": "/none"])
    expect(["held since:", "takeForReading(_:_:) + ", " in ReportProbe"], inOrderIn: run.text)
    #expect(!run.text.contains("main.swift:"), "nobody was asked: \(run.text)")
  }
}
