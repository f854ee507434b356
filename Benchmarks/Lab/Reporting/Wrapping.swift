// Wrapping.swift: text broken into lines of a width.

/// Breaking text at spaces.
public enum Wrapping {
  /// The lines of `text`, none wider than `width`, but for words that are wider by themselves: these are cut.
  public static func lines(_ text: String, width: Int) -> [String] {
    let width = max(width, 8)
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      var word = word[...]
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      while word.count > width {
        lines.append(String(word.prefix(width)))
        word = word.dropFirst(width)
      }
      if !word.isEmpty { line += (line.isEmpty ? "" : " ") + word }
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// `text` behind `label`, its further lines below its first; `label` is filled up to `column`.
  public static func paragraph(_ label: String, _ text: String, column: Int, width: Int) -> String {
    let lines = lines(text, width: width - column)
    let head = label + String(repeating: " ", count: max(0, column - label.count))
    let rest = lines.dropFirst().map { String(repeating: " ", count: column) + $0 }
    return ([head + lines[0]] + rest).joined(separator: "\n") + "\n"
  }
}
