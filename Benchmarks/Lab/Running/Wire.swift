// Wire.swift: reports as lines of text, from the process a scenario runs in to the one that observes it.

/// One report per line, fields separated by tabs.
enum Wire {
  static func line(_ report: Report) -> String {
    let fields =
      switch report {
      case .event(let event): ["event", event.thread, "\(event.threadID)", event.queue.map { "+" + $0 } ?? "-", event.text]
      case .problem(let problem): ["problem", problem.expected, problem.happened]
      case .measured(let text): ["measured", text]
      }
    return fields.map(escaped).joined(separator: "\t") + "\n"
  }

  /// The report a line stands for; nil for what no scenario wrote.
  static func report(_ line: String) -> Report? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { unescaped($0) }
    switch fields.first {
    case "event" where fields.count == 5:
      guard let id = Int32(fields[2]) else { return nil }
      let queue = fields[3].hasPrefix("+") ? String(fields[3].dropFirst()) : nil
      return .event(Event(thread: fields[1], threadID: id, queue: queue, text: fields[4]))
    case "problem" where fields.count == 3: return .problem(Problem(expected: fields[1], happened: fields[2]))
    case "measured" where fields.count == 2: return .measured(fields[1])
    default: return nil
    }
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\\\"
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      default: result.append(character)
      }
    }
    return result
  }

  private static func unescaped(_ text: Substring) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      switch (isEscaped, character) {
      case (false, "\\"):
        isEscaped = true
        continue
      case (true, "t"): result.append("\t")
      case (true, "n"): result.append("\n")
      default: result.append(character)
      }
      isEscaped = false
    }
    return result
  }
}
