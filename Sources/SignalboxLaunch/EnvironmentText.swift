// EnvironmentText.swift: the variable as a line for a shell, a service file, a container file or a program.

/// One line that sets LD_LIBRARY_PATH, and the variable that names this command if that is known.
public struct EnvironmentText: Sendable {
  /// What is to read it.
  public enum Form: Sendable, Equatable, CaseIterable {
    /// A POSIX shell.
    case shell
    /// A unit of systemd.
    case systemd
    /// A Dockerfile.
    case docker
    /// A program.
    case json
  }

  /// The folder to stand in front.
  public let folder: String
  /// The command's own file, for reports that want names (`EnvironmentList.tool`).
  public let tool: String?

  /// The text for this folder.
  public init(folder: String, tool: String? = nil) {
    self.folder = folder
    self.tool = tool
  }

  /// The line, without the end of line. Shells and Docker keep what the library path held when they read it.
  public func line(_ form: Form) -> String {
    let name = EnvironmentList.libraryPath, more = EnvironmentList.tool
    switch form {
    case .shell:
      return "export \(name)=\(folder.shellQuoted)\"${\(name):+:$\(name)}\""
        + (tool.map { "; export \(more)=\($0.shellQuoted)" } ?? "")
    case .systemd:
      return "Environment=\"\(name)=\(folder.escaped("\\\"").replacingPercent)\""
        + (tool.map { " \"\(more)=\($0.escaped("\\\"").replacingPercent)\"" } ?? "")
    case .docker:
      return "ENV \(name)=\"\(folder.escaped("\\\"$"))${\(name):+:$\(name)}\""
        + (tool.map { " \(more)=\"\($0.escaped("\\\"$"))\"" } ?? "")
    case .json:
      return "{\"\(name)\":\"\(folder.escaped("\\\""))\"" + (tool.map { ",\"\(more)\":\"\($0.escaped("\\\""))\"" } ?? "")
        + "}"
    }
  }
}

extension String {
  /// Single quotes, with those inside put outside.
  fileprivate var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  fileprivate func escaped(_ special: String) -> String {
    reduce(into: "") { text, character in text += special.contains(character) ? "\\\(character)" : String(character) }
  }

  /// systemd takes a percent sign for the start of a specifier.
  fileprivate var replacingPercent: String { split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%") }
}
