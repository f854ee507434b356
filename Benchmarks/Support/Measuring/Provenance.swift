// Provenance.swift: shows, before anything is timed, that each half of the bench runs on the library it claims to run on.

/// Which library one half of the bench runs on, by the stacks of closures it ran.
public struct Provenance: Sendable, Equatable {
  /// The file of the toolchain's library if its code was on the stack, and nothing else was found wanting.
  public enum Finding: Sendable, Equatable {
    /// The toolchain's own library ran the closures; its file.
    case toolchain(String)
    /// No library called libdispatch had a part in running the closures.
    case notLibdispatch
    /// A file called libdispatch ran them, but it does not lie beside the toolchain's runtime library.
    case stranger(String)
  }

  /// What the stacks showed.
  public let finding: Finding

  /// Judges the files found beneath closures, given the file of the Swift runtime library.
  public init(images: Set<String>, runtimeLibrary: String?) {
    guard let file = images.first(where: { Self.fileName(of: $0).hasPrefix("libdispatch.") }) else {
      finding = .notLibdispatch
      return
    }
    let isBesideRuntime = runtimeLibrary.map { Self.folder(of: $0) == Self.folder(of: file) } ?? false
    finding = isBesideRuntime ? .toolchain(file) : .stranger(file)
  }

  /// The last part of a path.
  public static func fileName(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  static func folder(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[..<$0] } ?? ""
  }
}
