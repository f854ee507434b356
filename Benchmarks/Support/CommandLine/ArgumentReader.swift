// ArgumentReader.swift: takes a command line apart into options and values; knows no option by name.

/// Reads options (`--name`, `-n`) and their values (`--name value` or `--name=value`) one after the other.
public struct ArgumentReader: Sendable {
  private var rest: ArraySlice<String>
  private var attached: (option: String, value: String)?

  /// A reader for these arguments.
  public init(_ arguments: [String]) { rest = arguments[...] }

  /// The next option's name; nil at the end. Refuses anything else, and a value that the caller has not asked for.
  public mutating func nextOption() throws(UsageError) -> String? {
    if let attached { throw UsageError("option \(attached.option) takes no value, but \"\(attached.value)\" is given") }
    guard let argument = rest.popFirst() else { return nil }
    guard argument.hasPrefix("-"), argument.count > 1 else { throw UsageError("unexpected argument \"\(argument)\"") }
    guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return argument }
    let option = String(argument[..<equals])
    attached = (option, String(argument[argument.index(after: equals)...]))
    return option
  }

  /// The value of the option just read.
  public mutating func value(of option: String) throws(UsageError) -> String {
    if let attached {
      self.attached = nil
      return attached.value
    }
    guard let next = rest.first, !next.hasPrefix("--") else { throw UsageError("option \(option) needs a value") }
    rest.removeFirst()
    return next
  }

  /// The value of the option just read if it is given one: what follows and does not begin with two dashes.
  public mutating func optionalValue(of option: String) throws(UsageError) -> String? {
    guard attached != nil || rest.first.map({ !$0.hasPrefix("--") }) ?? false else { return nil }
    return try value(of: option)
  }

  /// The value of the option just read, as a whole number within limits.
  public mutating func wholeNumber(of option: String, in limits: ClosedRange<Int>) throws(UsageError) -> Int {
    let text = try value(of: option)
    guard let number = Int(text), limits.contains(number) else {
      throw UsageError(
        "option \(option) needs a whole number from \(limits.lowerBound) to \(limits.upperBound), not \"\(text)\"")
    }
    return number
  }
}
