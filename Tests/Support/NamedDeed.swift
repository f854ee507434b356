// NamedDeed.swift: a call of one public function, under its name, for tests that name many.
import Testing

/// A call of a public function, and the kind of event it is.
public struct NamedDeed<Kind: Sendable>: Sendable, CustomTestStringConvertible {
  /// The file and the function, or the property that is set.
  public let name: String
  /// The event.
  public let kind: Kind
  /// The call.
  public let body: @Sendable () -> Void

  /// A call of the function that is named by its file, without the ending, and its own name: `DispatchGroup enter`.
  public init(_ name: String, _ kind: Kind, _ body: @escaping @Sendable () -> Void) {
    let parts = name.split(separator: " ")
    self.name = "\(parts[0]).swift \(parts[1])"
    (self.kind, self.body) = (kind, body)
  }

  /// What the test's log says.
  public var testDescription: String { name }
}
