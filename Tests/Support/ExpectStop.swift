// ExpectStop.swift: what a child process of an exit test said on standard error, and whether it said what it should.
import Testing

/// All that the child process wrote to standard error; its exit test observes `\.standardErrorContent`.
public func errorText(_ result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// The program was stopped, not merely left, and its message has every one of `parts`, in whole words.
/// A missing part is an issue that shows all of standard error.
public func expectStop(_ result: ExitTest.Result?, saying parts: String..., at location: SourceLocation = #_sourceLocation) {
  if case .exitCode(let code) = result?.exitStatus {
    Issue.record("the program is not stopped, but ends with \(code):\n\(errorText(result))", sourceLocation: location)
  }
  expectParts(parts, in: result, at: location)
}

/// The program was not stopped, and what it reported has every one of `parts`, in whole words.
/// A missing part is an issue that shows all of standard error.
public func expectReport(_ result: ExitTest.Result?, saying parts: String..., at location: SourceLocation = #_sourceLocation) {
  if case .signal(let number) = result?.exitStatus {
    Issue.record("the program is stopped by signal \(number):\n\(errorText(result))", sourceLocation: location)
  }
  expectParts(parts, in: result, at: location)
}

private func expectParts(_ parts: [String], in result: ExitTest.Result?, at location: SourceLocation) {
  precondition(!parts.isEmpty && !parts.contains(""), "a test that cannot fail: say what is expected")
  let text = errorText(result)
  for part in parts where !hasWords(part, in: text) {
    Issue.record("not said: \(part)\nall that was reported:\n\(text)", sourceLocation: location)
  }
}

/// Whether `part` stands in `text` and neither begins nor ends in the middle of a word; "0x" is followed by its digits.
func hasWords(_ part: String, in text: String) -> Bool {
  func isOfAWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
  var rest = text[...]
  var before: Character?
  while let range = rest.firstRange(of: part) {
    let first = range.lowerBound == rest.startIndex ? before : rest[rest.index(before: range.lowerBound)]
    let last = range.upperBound == rest.endIndex ? nil : rest[range.upperBound]
    let endsInside = isOfAWord(part.last) && isOfAWord(last) && !part.hasSuffix("0x")
    if !(isOfAWord(part.first) && isOfAWord(first)) && !endsInside { return true }
    before = rest[range.lowerBound]
    rest = rest[rest.index(after: range.lowerBound)...]
  }
  return false
}
