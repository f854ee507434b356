// MigrateReport.swift: a plan for people, and for programs.
import SignalboxCommandLine

struct MigrateReport {
  let plan: Plan
  let root: String
  let isWritten: Bool

  func text(isColoured: Bool) -> String {
    func colour(_ code: String, _ text: String) -> String { isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
    var text = ""
    for file in plan.files {
      text += colour("1", file.source.path) + "\n"
      for change in file.lineChanges {
        let number = "\(change.place + 1)"
        let column = String(repeating: " ", count: max(0, 6 - number.count)) + number
        text += show(change.old, column, "-") { colour("31", $0) }
        text += show(change.new, change.old.isEmpty ? column : "      ", "+") { colour("32", $0) }
      }
    }
    for file in plan.new {
      text += colour("1", file.path) + "\n" + colour("32", "     1 + the file of aliases (signalbox migrate --aliases)") + "\n"
    }
    if !plan.isEmpty { text += "\n" }
    text += summary + "\n"
    if !plan.decisions.isEmpty {
      text += "\n" + colour("1", "A person must decide:") + "\n"
      for decision in plan.decisions { text += "  \(place(decision)): \(decision.text)\n" }
    }
    return text + (plan.isEmpty ? "" : "\n" + next)
  }

  private func show(_ lines: [[UInt8]], _ column: String, _ sign: String, _ colour: (String) -> String) -> String {
    var text = "", column = column
    for line in lines {
      let words = String(decoding: line, as: UTF8.self).filter { !$0.isNewline }
      text += colour("\(column) \(sign) \(words)") + "\n"
      column = String(repeating: " ", count: column.count)
    }
    return text
  }

  private func place(_ decision: Decision) -> String {
    decision.line == 0 ? decision.path : "\(decision.path):\(decision.line)"
  }

  private var summary: String {
    guard !plan.isEmpty else { return "\(root): nothing to move" }
    func files(_ count: Int) -> String { "\(count) file\(count == 1 ? "" : "s")" }
    let added = plan.new.isEmpty ? "" : ", \(files(plan.new.count)) added"
    return "\(root): \(files(plan.files.count)) \(isWritten ? "changed" : "would change")\(added)"
  }

  private var next: String {
    isWritten
      ? """
      Next: swift build --build-tests && SIGNALBOX_DEADLOCK=report swift test
      To take it back: signalbox migrate --undo \(root)

      """
      : "To do it: signalbox migrate --write \(root)\n"
  }

  var json: JSON {
    func text(_ lines: [[UInt8]]) -> JSON { .string(String(decoding: lines.joined(), as: UTF8.self)) }
    let files = plan.files.map { file in
      JSON.object([
        ("file", .string(file.source.path)),
        (
          "changes",
          .array(
            file.lineChanges.map { change in
              .object([("line", .number(Double(change.place + 1))), ("old", text(change.old)), ("new", text(change.new))])
            })
        ),
      ])
    }
    return .object([
      ("package", .string(root)), ("written", .boolean(isWritten)), ("files", .array(files)),
      ("new", .array(plan.new.map { .object([("file", .string($0.path)), ("text", .string($0.text))]) })),
      (
        "decide",
        .array(
          plan.decisions.map {
            .object([
              ("kind", .string($0.kind.rawValue)), ("file", .string($0.path)), ("line", .number(Double($0.line))),
              ("text", .string($0.text)),
            ])
          })
      ),
    ])
  }
}
