// main.swift: a program that knows nothing of Signalbox and times one piece of work:
// `BenchProgramSwift ROW MILLISECONDS` prints nanoseconds per operation. `signalbox bench --unmodified` runs it in turn
// on both libraries. Rows that begin with "start" time nothing: the process that starts the program does.
import Dispatch
import Glibc

guard CommandLine.arguments.count == 3, let milliseconds = Double(CommandLine.arguments[2]) else {
  fail("usage: BenchProgramSwift ROW MILLISECONDS (0: one small call)")
}
let budget = Duration.milliseconds(milliseconds)

switch CommandLine.arguments[1] {
case "start-dispatch": DispatchQueue(label: "bench.start").sync { opaque() }
case "start-task":
  Task {
    await Task { opaque() }.value
    exit(0)
  }
  dispatchMain()
case let name:
  if let row = dispatchRows.first(where: { $0.name == name }) {
    report(row.measure(budget))
  } else if let row = taskRows.first(where: { $0.name == name }) {
    // On the main thread only what a row sends there runs: the rows begin on the pool.
    Task.detached {
      report(await row.measure(budget))
      exit(0)
    }
    dispatchMain()
  } else {
    fail("there is no row \(name)")
  }
}
