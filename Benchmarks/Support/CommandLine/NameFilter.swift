// NameFilter.swift: which rows a pattern of the command line means.

/// A pattern over row names: alternatives between `|`, each a glob if it contains `*` or `?`, else a part of the name. Case does
/// not matter.
public struct NameFilter: Sendable, Equatable {
  private let alternatives: [Alternative]

  /// A filter for a pattern. An empty alternative means nothing; a pattern without any means every name.
  public init(_ pattern: String) {
    let parts = pattern.lowercased().split(separator: "|")
    alternatives = parts.isEmpty ? [Alternative("")] : parts.map { Alternative($0) }
  }

  /// True if the pattern means this name.
  public func matches(_ name: String) -> Bool {
    let name = Array(name.lowercased())
    return alternatives.contains { $0.matches(name) }
  }
}

/// One glob, or one part of a name.
private struct Alternative: Sendable, Equatable {
  private let pattern: [Character]
  private let isGlob: Bool

  init(_ pattern: Substring) {
    self.pattern = Array(pattern)
    isGlob = pattern.contains { $0 == "*" || $0 == "?" }
  }

  func matches(_ name: [Character]) -> Bool { isGlob ? globMatches(name) : contains(name) }

  private func contains(_ name: [Character]) -> Bool {
    guard pattern.count <= name.count else { return false }
    return (0...(name.count - pattern.count)).contains { name[$0...].starts(with: pattern) }
  }

  /// Walks both texts; on a mismatch the latest `*` takes one character more.
  private func globMatches(_ name: [Character]) -> Bool {
    var at = 0, next = 0, star: (pattern: Int, name: Int)?
    while at < name.count {
      if next < pattern.count, pattern[next] == "*" {
        star = (next, at)
        next += 1
      } else if next < pattern.count, pattern[next] == "?" || pattern[next] == name[at] {
        at += 1
        next += 1
      } else if let latest = star {
        star = (latest.pattern, latest.name + 1)
        at = latest.name + 1
        next = latest.pattern + 1
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == "*" }
  }
}

extension [NameFilter] {
  /// True if there are no filters or one of them means this name.
  public func select(_ name: String) -> Bool { isEmpty || contains { $0.matches(name) } }
}
