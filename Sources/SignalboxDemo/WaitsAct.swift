// WaitsAct.swift: act 1: work that waits in items of a queue. The toolchain's library has a thread for each processor and adds one a second
// when all of them wait; Signalbox replaces a worker that waits as soon as work is queued.
import SignalboxCommandLine

enum WaitsAct {
  static func play(_ stage: borrowing Stage, _ page: Page) throws(DemoRefusal) -> Scene {
    var scene = Scene(
      1, "Waits that no longer stall",
      about:
        "Forty downloads of 10 ms, four at a time: each item waits for one of four connections, and the download that hands "
        + "it back is queued behind those that wait. Then 24 commands of 0.1 s, each waited for in an item.",
      advice: "signalbox run -- PROGRAM")
    for (program, count, word) in [(DemoProgram.waits, 40, "downloads"), (.commands, 24, "commands")] {
      scene.show([page.paint(.quiet, "   \(word) done")])
      var seconds: [Double] = []
      var stockWasStopped = false
      for library in Stage.Library.allCases {
        let limit = library == .toolchain ? (stage.isQuick ? 2.0 : 10.0) : 30.0
        let run = try stage.run(program, on: library, seconds: limit) { text in
          "\(text.split(separator: "\n").count { $0.hasSuffix(" done") }) of \(count) done"
        }
        let done = run.lines(ending: " done")
        seconds.append(run.seconds)
        let isWhole = done == count && run.end == .exit(0)
        let bar = Page.padded(Page.bar(Double(done) / Double(count), columns: 16), 16)
        var end = (run.end == .exit(0) ? "in " : "\(run.endWords) after ") + Page.seconds(run.seconds)
        if library == .signalbox, isWhole {
          end += stockWasStopped ? ", over " : ", "
          end += "\(Page.ratio(seconds[0] / run.seconds)) as fast"
        }
        if library == .toolchain { stockWasStopped = run.wasStopped }
        scene.show([
          "     " + Page.padded(library.name, 15) + Page.padded("\(done)", 2, isNumber: true) + " of \(count)  "
            + page.paint(isWhole ? .good : .bad, bar) + "  " + end
        ])
        scene.note(
          "\(program.rawValue), \(library.name)", run, [("done", .number(Double(done))), ("of", .number(Double(count)))])
        if library == .signalbox { scene.claim("all \(count) \(word) are done under signalbox run", isWhole) }
        if library == .toolchain, program == .waits {
          scene.claim("the toolchain's library does not get through the downloads within \(Page.seconds(limit))", !isWhole)
        }
      }
      if program == .commands { scene.claim("the commands end sooner under signalbox run", seconds[1] < seconds[0]) }
    }
    return scene
  }
}
