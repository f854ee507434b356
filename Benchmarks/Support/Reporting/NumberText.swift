// NumberText.swift: numbers as people read them; the bench has no formatter from a library.

/// A number with a fixed count of digits after the point.
public func fixedText(_ value: Double, digits: Int) -> String {
  guard value.isFinite else { return value.isNaN ? "-" : value > 0 ? "inf" : "-inf" }
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = (value.magnitude * scale).rounded()
  guard scaled < 1e18 else { return "\(value)" }
  let whole = Int(scaled / scale), rest = Int(scaled - Double(whole) * scale)
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard digits > 0 else { return "\(sign)\(whole)" }
  return "\(sign)\(whole)." + padded("\(rest)", to: digits, with: "0")
}

/// Nanoseconds, with as many digits as mean something.
public func nanosecondsText(_ value: Double) -> String {
  fixedText(value, digits: value < 10 ? 2 : value < 100 ? 1 : 0)
}

/// A ratio that was chosen: `8x`, `1.2x`, `0.95x`.
public func ratioText(_ value: Double) -> String {
  var text = fixedText(value, digits: 2)
  while text.contains("."), text.hasSuffix("0") || text.hasSuffix(".") { text.removeLast() }
  return text + "x"
}

/// A ratio that was measured, without a sign: two digits after the point, none from 100 on.
public func measuredRatioText(_ value: Double) -> String { fixedText(value, digits: value < 99.995 ? 2 : 0) }

/// A count per operation: whole numbers plainly, others with two digits.
public func countText(_ value: Double?) -> String {
  guard let value else { return "-" }
  return (value - value.rounded()).magnitude < 0.005 ? fixedText(value, digits: 0) : fixedText(value, digits: 2)
}

/// Text filled up on the left.
public func padded(_ text: String, to width: Int, with filler: Character = " ") -> String {
  String(repeating: filler, count: max(0, width - text.count)) + text
}

/// Text filled up on the right.
public func extended(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}
