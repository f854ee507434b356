// PackageFacts.swift: what `swift package describe` says of a package: its targets and their files.
import SignalboxCommandLine

/// A package, as the toolchain's package manager sees it.
struct PackageFacts: Sendable {
  struct Target: Sendable {
    enum Language: Sendable { case swift, c, other }
    /// What a target is for.
    enum Purpose: Sendable { case code, test, tool }
    var name: String
    var language: Language
    var purpose: Purpose
    /// From the package's folder.
    var folder: String
    /// From the target's folder.
    var sources: [String]
    /// Products of other packages that it uses.
    var products: [String]
    /// Whether a library of the package has it.
    var isShown: Bool
  }

  var name: String
  var targets: [Target]
  /// Identities of the packages that it uses, as the package manager makes them of their addresses.
  var dependencies: [String]
  /// Folders of those that are used from a folder, by their identities.
  var folders: [String: String] = [:]
  /// Platforms that it has minimal versions for.
  var platforms: [String]
  /// Major and minor.
  var toolsVersion: [Int]

  init(name: String, targets: [Target], dependencies: [String] = [], platforms: [String] = [], toolsVersion: [Int] = [6, 0]) {
    (self.name, self.targets, self.dependencies) = (name, targets, dependencies)
    (self.platforms, self.toolsVersion) = (platforms, toolsVersion)
  }

  /// Of what the package manager printed; nil if that is no description.
  init?(_ json: JSON) {
    guard let name = json["name"].string else { return nil }
    self.init(
      name: name, targets: json["targets"].values.compactMap(Target.init),
      dependencies: json["dependencies"].values.compactMap { $0["identity"].string },
      platforms: json["platforms"].values.compactMap { $0["name"].string },
      toolsVersion: (json["tools_version"].string ?? "").split(separator: ".").compactMap { Int($0) })
    for dependency in json["dependencies"].values {
      if let name = dependency["identity"].string, let folder = dependency["path"].string { folders[name] = folder }
    }
  }
}

extension PackageFacts.Target {
  fileprivate init?(_ json: JSON) {
    guard let name = json["name"].string, let folder = json["path"].string else { return nil }
    let language: Language =
      switch json["module_type"].string {
      case "SwiftTarget": .swift
      case "ClangTarget": .c
      default: .other
      }
    let purpose: Purpose =
      switch json["type"].string {
      case "test": .test
      case "plugin", "macro", "snippet": .tool
      default: .code
      }
    self.init(
      name: name, language: language, purpose: purpose, folder: folder,
      sources: json["sources"].values.compactMap(\.string),
      products: json["product_dependencies"].values.compactMap(\.string), isShown: !json["product_memberships"].values.isEmpty)
  }
}
