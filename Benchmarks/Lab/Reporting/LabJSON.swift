// LabJSON.swift: the lab's results for programs; the members are explained in LabOptions.help. For people: LabText.swift.
import BenchSupport
import SignalboxCommandLine

extension Scenario {
  /// What is known of the scenario before it runs.
  fileprivate var members: [(name: String, value: JSON)] {
    [
      ("name", .string(name)), ("title", .string(title)), ("subject", .string(orNull: Registry.subject(of: name)?.title)),
      ("page", .string(orNull: Registry.subject(of: name)?.page)), ("source", .string(source.rawValue)), ("row", .string(row)),
      ("article", .string(article)), ("documents", .string(documents)), ("articleErrs", .string(orNull: errs)),
      ("scale", .string(orNull: scale)),
    ]
  }

  /// The scenario as a JSON object.
  public var json: JSON { .object(members) }
}

extension ScenarioResult {
  /// The result as a JSON object.
  public var json: JSON {
    .object(
      scenario.members + [
        ("verdict", .string(hasPassed ? "pass" : "fail")), ("measured", .string(measured)), ("message", .string(message)),
        ("failures", .array(failures.map(\.json))), ("events", .array(events.map(\.json))), ("seconds", .number(seconds)),
      ])
  }
}

extension Problem {
  fileprivate var json: JSON { .object([("expected", .string(expected)), ("happened", .string(happened))]) }
}

extension Event {
  fileprivate var json: JSON {
    .object([("thread", .string(thread)), ("queue", .string(orNull: queue)), ("text", .string(text))])
  }
}

extension JSON {
  fileprivate static func string(orNull text: String?) -> JSON { text.map { .string($0) } ?? .null }
}
