// LabCommand.swift: `signalbox lab`: runs what is asked for and prints it. What it runs, and how, is SignalboxLab.
import BenchSupport
import SignalboxCommandLine
import SignalboxLab

enum LabCommand: Subcommand {
  static let name = "lab"
  static let summary = "run what articles claim about GCD, beside what the documentation says"

  static func run(_ arguments: [String]) -> ExitStatus {
    let options: LabOptions
    do { options = try LabOptions(arguments) } catch {
      return complain("lab: \(error.message); \"signalbox lab --help\" explains", .usage)
    }
    switch options.action {
    case .help: OutputStream.output.write(LabOptions.help)
    case .list(let filters): return list(filters, options)
    case .run(let names): return run(names.compactMap(Registry.scenario), options)
    case .inside(let name):
      guard let scenario = Registry.scenario(name) else {
        return complain("lab: no scenario is called \(name)", .nothingMatches)
      }
      ScenarioProcess.run(scenario)
    }
    return .success
  }

  private static var text: LabText {
    LabText(ink: OutputStream.output.ink, width: OutputStream.output.columns ?? 100)
  }

  private static func list(_ filters: [NameFilter], _ options: LabOptions) -> ExitStatus {
    let chosen = Registry.all.filter { filters.select($0.name) }
    guard !chosen.isEmpty else {
      return complain("lab: no scenario matches; \"signalbox lab list\" prints the names", .nothingMatches)
    }
    if options.isJSON {
      print(.array(chosen.map(\.json)))
    } else {
      let nameWidth = chosen.map(\.name.count).max() ?? 0
      var subject: String?
      for scenario in chosen {
        head(scenario, &subject, space: true)
        OutputStream.output.write(text.listing(scenario, nameWidth: nameWidth))
      }
    }
    return .success
  }

  private static func run(_ scenarios: [Scenario], _ options: LabOptions) -> ExitStatus {
    let runner = LabRunner(arguments: [name, LabOptions.insideWord])
    let progress = ProgressLine(), text = text
    var results: [ScenarioResult] = [], subject: String?
    for (number, scenario) in scenarios.enumerated() {
      progress.show("[\(number + 1)/\(scenarios.count)] \(scenario.name)")
      let result = runner.run(scenario)
      progress.clear()
      results.append(result)
      if !options.isJSON {
        head(scenario, &subject)
        OutputStream.output.write(text.block(result) + "\n")
      }
    }
    if options.isJSON {
      print(.array(results.map(\.json)))
    } else {
      OutputStream.output.write(text.foot(results, seconds: results.reduce(0) { $0 + $1.seconds }))
    }
    return results.allSatisfy(\.hasPassed) ? .success : .scenarioFailed
  }

  /// Writes the heading of the scenario's subject, unless the scenario before had the same.
  private static func head(_ scenario: Scenario, _ subject: inout String?, space: Bool = false) {
    guard let its = Registry.subject(of: scenario.name), its.title != subject else { return }
    OutputStream.output.write((space && subject != nil ? "\n" : "") + text.heading(its) + (space ? "" : "\n"))
    subject = its.title
  }

  private static func print(_ json: JSON) { OutputStream.output.write(json.text + "\n") }
}
