// SignalboxDependency.swift: Signalbox as a manifest names it: by a folder, or by an address and a version. Where in
// the manifest that stands is Planner+Manifest.swift.

/// What a moved package is to depend on.
struct SignalboxDependency: Sendable, Equatable {
  /// Which of the versions at an address.
  enum Requirement: Sendable, Equatable {
    case from(String), branch(String), revision(String)
  }
  enum Place: Sendable, Equatable {
    /// A folder as the manifest is to name it, and its real path.
    case folder(String, real: String)
    case address(String, Requirement)
  }
  let place: Place

  static func folder(_ name: String, real: String) -> Self { Self(place: .folder(name, real: real)) }
  static func address(_ address: String, _ requirement: Requirement) -> Self { Self(place: .address(address, requirement)) }

  /// Whether the word is an address: `https://…`, `ssh://…`, `file://…`, or `user@host:path`.
  static func isAddress(_ word: String) -> Bool {
    if let scheme = word.firstRange(of: "://") { return word[..<scheme.lowerBound].allSatisfy { $0.isLetter || $0 == "+" } }
    guard let at = word.firstIndex(of: "@"), let colon = word.firstIndex(of: ":") else { return false }
    return at < colon && !word[..<colon].contains("/")
  }

  /// What the package manager calls the package: of an address its last part, without `.git`.
  var identity: String {
    guard case .address(let address, _) = place else { return "signalbox" }
    var last = String(address.split { $0 == "/" || $0 == ":" }.last ?? "").lowercased()
    if last.hasSuffix(".git") { last.removeLast(4) }
    return last
  }

  /// The real path of the folder; nil: an address.
  var folder: String? { if case .folder(_, let real) = place { real } else { nil } }

  /// The manifest's element, for tools of that version.
  func text(for toolsVersion: [Int]) -> String {
    switch place {
    case .folder(let name, _):
      // The name is for a folder of another name; manifests for older tools do not know it, and need none.
      let label = toolsVersion.lexicographicallyPrecedes([5, 2]) ? "" : "name: \"signalbox\", "
      return ".package(\(label)path: \(Self.quoted(name)))"
    case .address(let address, let requirement):
      let version =
        switch requirement {
        case .from(let version): "from: \(Self.quoted(version))"
        case .branch(let name): Self.choice("branch", name, toolsVersion)
        case .revision(let name): Self.choice("revision", name, toolsVersion)
        }
      return ".package(url: \(Self.quoted(address)), \(version))"
    }
  }

  /// Manifests for older tools have a function in the label's place.
  private static func choice(_ label: String, _ name: String, _ toolsVersion: [Int]) -> String {
    toolsVersion.lexicographicallyPrecedes([5, 5]) ? ".\(label)(\(quoted(name)))" : "\(label): \(quoted(name))"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// The folder as seen from another one; as it is if they have no folder in common.
  static func path(to folder: String, from root: String) -> String {
    let goal = folder.split(separator: "/"), start = root.split(separator: "/")
    let shared = zip(goal, start).prefix { $0 == $1 }.count
    if shared == 0 { return folder }
    return (Array(repeating: "..", count: start.count - shared) + goal[shared...]).joined(separator: "/")
  }
}
