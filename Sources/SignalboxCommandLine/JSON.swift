// JSON.swift: a JSON value and its text, for programs that read what a command prints.

/// A JSON value; objects keep the order of their members.
public indirect enum JSON: Sendable {
  /// Members in order.
  case object([(name: String, value: JSON)])
  /// Values in order.
  case array([JSON])
  /// A string.
  case string(String)
  /// A number; one that JSON cannot express becomes null.
  case number(Double)
  /// True or false.
  case boolean(Bool)
  /// Nothing.
  case null

  /// The value as JSON text.
  public var text: String {
    switch self {
    case .object(let members): "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .string(let string): Self.quoted(string)
    case .number(let number): Self.numeral(number)
    case .null: "null"
    case .boolean(let boolean): boolean ? "true" : "false"
    }
  }

  private static func numeral(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    return number == number.rounded() && number.magnitude < 1e15 ? "\(Int(number))" : "\(number)"
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{0}"..<" ": text += "\\u" + fourDigits(scalar)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  private static func fourDigits(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
