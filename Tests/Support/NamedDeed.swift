// NamedDeed.swift: a call of one public function, under its name, for tests that must have each of them.
import Testing

/// A call of a public function, and what it is to be noted as.
public struct NamedDeed<Primitive: Sendable>: Sendable, CustomTestStringConvertible {
  /// The file and the function, or the property that is set: as `publicFunctions(in:file:)` names them.
  public let name: String
  /// What it is to be noted as.
  public let primitive: Primitive
  /// The call.
  public let body: @Sendable () -> Void

  /// A call of the function that is named by its file, without the ending, and its own name: `DispatchGroup enter`.
  public init(_ name: String, _ primitive: Primitive, _ body: @escaping @Sendable () -> Void) {
    let parts = name.split(separator: " ")
    self.name = "\(parts[0]).swift \(parts[1])"
    (self.primitive, self.body) = (primitive, body)
  }

  /// What the test's log says.
  public var testDescription: String { name }
}
