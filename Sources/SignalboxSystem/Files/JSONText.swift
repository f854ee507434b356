// JSONText.swift: strings as JSON has them: in reports, in answers, and in what commands print.

/// JSON, written.
package enum JSONText {
  /// An array of strings.
  package static func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ","))]" }

  /// A string.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
