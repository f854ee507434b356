// Scene.swift: what an act has shown: lines for a person, facts for a machine, and whether its claims came out.
import SignalboxCommandLine

/// What an act has shown.
struct Scene {
  let number: Int
  let title: String
  /// What it is about, in a few sentences.
  let about: String
  /// What to type to do this with a program of one's own.
  let advice: String
  private(set) var lines: [String] = []
  private(set) var facts: [(name: String, value: JSON)] = []
  private(set) var claims: [(text: String, holds: Bool)] = []

  init(_ number: Int, _ title: String, about: String, advice: String) {
    (self.number, self.title, self.about, self.advice) = (number, title, about, advice)
  }

  mutating func show(_ lines: [String]) { self.lines += lines }
  mutating func note(_ name: String, _ value: JSON) { facts.append((name, value)) }
  mutating func claim(_ text: String, _ holds: Bool) { claims.append((text, holds)) }

  /// Notes a run, under a name.
  mutating func note(_ name: String, _ run: Stage.Run, _ more: [(name: String, value: JSON)] = []) {
    note(name, .object([("seconds", .number(run.seconds)), ("end", .string(run.endWords))] + more))
  }

  var json: JSON {
    .object(
      [("act", .number(Double(number))), ("title", .string(title))] + facts
        + [("claims", .array(claims.map { .object([("claim", .string($0.text)), ("holds", .boolean($0.holds))]) }))])
  }

  /// All of it, for a screen.
  func text(_ page: Page) -> String {
    var all = ["", page.paint(.heading, "\(number)  \(title)"), ""]
    all += Page.wrapped(about, indent: 3) + [""] + lines
    for claim in claims where !claim.holds {
      all += Page.wrapped("This did not come out: \(claim.text).", indent: 3).map { page.paint(.bad, $0) }
    }
    return all.joined(separator: "\n") + "\n"
  }
}
