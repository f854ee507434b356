// JSON.swift: a JSON value and its text, for programs that read what a command prints.
import SignalboxSystem

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
    case .object(let members): "{" + members.map { JSONText.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .string(let string): JSONText.quoted(string)
    case .number(let number): Self.numeral(number)
    case .null: "null"
    case .boolean(let boolean): boolean ? "true" : "false"
    }
  }

  private static func numeral(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    return number == number.rounded() && number.magnitude < 1e15 ? "\(Int(number))" : "\(number)"
  }
}
