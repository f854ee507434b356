// AliasFile.swift: the file that gives a whole module Signalbox's names, whatever its files import: for modules that bring XCTest, and
// with it Foundation.

/// The file of aliases.
public enum AliasFile {
  /// Its name in the target's folder.
  static let name = "SignalboxNames.swift"

  /// Whether the file at a path is one.
  static func isOne(_ path: String) -> Bool { path.split(separator: "/").last.map(String.init) == name }

  /// Its text, without names that the package has types of its own for.
  public static func text(without own: Set<String> = []) -> String {
    let names = (MovedNames.dispatchTypes + MovedNames.foundationTypes).filter { !own.contains($0) }
    let module = "SignalboxFoundation"
    return """
      // \(name): what these names mean in this module, also in files that import Foundation, Dispatch or XCTest alone.
      public import \(module)

      \(names.map { "public typealias \($0) = \(module).\($0)" }.joined(separator: "\n"))

      """
  }
}
