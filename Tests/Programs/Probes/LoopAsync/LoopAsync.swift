// LoopAsync.swift: a program with an asynchronous main(), whose first thread is gone after the first suspension: what its main thread is
// then, and that what lies on the main loop is served. `LoopAsync CASE` prints what the case found and ends; never if nothing serves it.
import Glibc
import SignalboxFoundation

@main struct LoopAsync {
  static func main() async {
    guard CommandLine.arguments.count == 2, let test = Case(rawValue: CommandLine.arguments[1]) else { exit(64) }
    switch test {
    case .unmet:
      // The first thread has nothing of Signalbox's: its end is not noticed.
      await letGo()
      let line = await Served.block()
      say(line)
    case .early:
      let served = Served.timerAdded()
      await letGo()
      say(await served())
    case .identity: await Identity.tell()
    case .served:
      await letGo()
      for row in await Served.rows() { say(row) }
    case .nested:
      await letGo()
      await MainActor.run { say(Served.nested()) }
    case .dispatchMain:
      Served.underDispatchMain()
    case .deadlock:
      await letGo()
      await MainActor.run { Served.waitCrosswise(isFirst: false) }
    case .deadlockFirst:
      await letGo()
      await MainActor.run { Served.waitCrosswise(isFirst: true) }
    }
    exit(0)
  }

}

/// Suspends: main() goes on elsewhere, because Swift's runtime gives the first thread away meanwhile.
func letGo() async { await Task.detached {}.value }

enum Case: String {
  case unmet, early, identity, served, nested, deadlock
  case dispatchMain = "dispatch-main"
  case deadlockFirst = "deadlock-first"
}

func say(_ line: String) {
  print(line)
  fflush(nil)
}
