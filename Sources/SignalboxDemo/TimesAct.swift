// TimesAct.swift: act 4: ten operations, timed on either library in turn, a process each time.
import SignalboxCommandLine
import SignalboxSystem

enum TimesAct {
  /// One operation.
  struct Row {
    let name: String
    /// Nanoseconds, on the toolchain's library and on Signalbox.
    let toolchain: Double
    let signalbox: Double
    var ratio: Double { toolchain / signalbox }
  }

  static func play(_ stage: borrowing Stage, _ page: Page) throws(DemoRefusal) -> (scene: Scene, rows: [Row]) {
    var scene = Scene(
      4, "Ten operations, timed beside each other",
      about: "The same program on either library, in turn, a process each time. The bars show the part of the toolchain's time "
        + "that is needed under signalbox run.",
      advice: "time signalbox run -- PROGRAM")
    let rounds = stage.isQuick ? 3 : 5
    var times: [Stage.Library: [String: [Double]]] = [:]
    var names: [String] = []
    for round in 0..<rounds {
      for library in Stage.Library.allCases {
        let run = try stage.run(.times, on: library, seconds: 120) { _ in "round \(round + 1) of \(rounds)" }
        let lines = run.text.split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 1) }
        guard run.end == .exit(0), lines.allSatisfy({ $0.count == 2 }) else {
          scene.claim("times.swift ends well on either library (\(library.name): \(run.endWords))", false)
          return (scene, [])
        }
        names = lines.map { String($0[1]) }
        for line in lines { times[library, default: [:]][String(line[1]), default: []].append(Double(line[0]) ?? .nan) }
      }
    }
    let rows = names.map {
      Row(name: $0, toolchain: median(times[.toolchain]?[$0] ?? []), signalbox: median(times[.signalbox]?[$0] ?? []))
    }
    scene.show([page.paint(.quiet, "   " + Page.padded("nanoseconds", 25) + "toolchain   signalbox run     ratio")])
    for row in rows {
      let isFaster = row.ratio >= 1, part = min(1, row.signalbox / row.toolchain)
      let bar = Page.bar(part, columns: 20)
      scene.show([
        "   " + Page.padded(row.name, 25) + number(row.toolchain, 9) + number(row.signalbox, 16)
          + Page.padded(Page.ratio(row.ratio), 10, isNumber: true) + "  " + page.paint(isFaster ? .good : .bad, bar)
          + page.paint(.quiet, String(repeating: "░", count: 20 - bar.count))
      ])
    }
    let mean = geometricMean(rows.map(\.ratio))
    scene.show(["   Geometric mean of the ratios: \(Page.ratio(mean)), medians of \(rounds) round\(rounds == 1 ? "" : "s")."])
    if isDebugBuild { scene.show(["   This is a debug build of Signalbox: its times say nothing."]) }
    let load = Files.machineLoad, processors = Processors.available()
    if let load, load > Double(processors) / 2 {
      scene.show(
        Page.wrapped(
          "This machine is busy (a load of \(Page.decimal(load, 1)) on \(processors) processors): take the figures as rough.",
          indent: 3))
    }
    scene.note("load", load.map { .number($0) } ?? .null)
    scene.note("processors", .number(Double(processors)))
    scene.note(
      "rows",
      .array(
        rows.map {
          .object([
            ("operation", .string($0.name)), ("toolchain", .number($0.toolchain)), ("signalbox", .number($0.signalbox)),
            ("ratio", .number($0.ratio)),
          ])
        }))
    scene.note("geometricMean", .number(mean))
    scene.claim(
      "the ten operations take less time on the whole under signalbox run", rows.count == 10 && (mean > 1 || isDebugBuild))
    return (scene, rows)
  }

  static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted(), middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The number whose power is the product; 0 without values.
  static func geometricMean(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    // By bisection: the product of what each is of the mean is 1.
    var (low, high) = (values.min()!, values.max()!)
    for _ in 0..<200 {
      let middle = (low + high) / 2
      if values.reduce(1, { $0 * ($1 / middle) }) > 1 { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  private static func number(_ nanoseconds: Double, _ width: Int) -> String {
    Page.padded(Page.decimal(nanoseconds, nanoseconds < 99.5 ? 1 : 0), width, isNumber: true)
  }

  /// Whether this build has no optimisation: its times say nothing.
  static var isDebugBuild: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }
}
