// Page.swift: how an act is laid out: at most 80 columns, colours where a person sees them.
import SignalboxSystem

/// Lines of a screen.
struct Page {
  static let width = 80

  /// Whether colours are wanted: on a terminal, unless NO_COLOR is set to something.
  let isColoured: Bool

  enum Colour: String {
    case heading = "1", good = "32", bad = "33", quiet = "2"
  }

  func paint(_ colour: Colour, _ text: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// `text` with spaces after it, or in front of it, to `width` columns.
  static func padded(_ text: String, _ width: Int, isNumber: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return isNumber ? space + text : text + space
  }

  /// A line that fits, with a sign where it was cut.
  static func cut(_ line: String) -> String { line.count <= width ? line : line.prefix(width - 1) + "…" }

  /// "0.13 s", "10.0 s".
  static func seconds(_ value: Double) -> String { "\(decimal(value, value < 9.95 ? 2 : 1)) s" }

  /// A number with `digits` digits after the point.
  static func decimal(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, value >= 0, value < 1e12 else { return "?" }
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let rounded = Int((value * Double(scale)).rounded())
    guard digits > 0 else { return "\(rounded)" }
    let rest = "\(rounded % scale)"
    return "\(rounded / scale)." + String(repeating: "0", count: digits - rest.count) + rest
  }

  /// "5.3 ×", "71 ×".
  static func ratio(_ value: Double) -> String { "\(decimal(value, value < 9.95 ? 1 : 0)) ×" }

  /// A bar of blocks, `part` of `columns` long, with at least a sliver.
  static func bar(_ part: Double, columns: Int) -> String {
    let eighths = max(1, Int((min(1, part) * Double(columns) * 8).rounded()))
    let slivers = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + slivers[eighths % 8]
  }

  /// Words in lines of the page's width, `indent` columns in; `hanging` more from the second line on.
  static func wrapped(_ text: String, indent: Int, hanging: Int = 0) -> [String] {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    var isFresh = true
    for word in text.split(separator: " ") {
      if !isFresh, line.count + 1 + word.count > width {
        lines.append(line)
        (line, isFresh) = (String(repeating: " ", count: indent + hanging), true)
      }
      line += (isFresh ? "" : " ") + word
      isFresh = false
    }
    return isFresh ? lines : lines + [line]
  }
}
