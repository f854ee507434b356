// EnvironmentText.swift: the variable as a line for a shell, a service file, a container file or a program.

/// One line that sets LD_LIBRARY_PATH.
public struct EnvironmentText: Sendable {
  /// Who is to read it.
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

  /// The text for this folder.
  public init(folder: String) { self.folder = folder }

  /// The line, without the end of line. Shells and Docker keep what the variable held when they read it.
  public func line(_ form: Form) -> String {
    switch form {
    case .shell: "export \(name)=\(shellQuoted)\"${\(name):+:$\(name)}\""
    case .systemd: "Environment=\"\(name)=\(escaped("\\\"").replacingPercent)\""
    case .docker: "ENV \(name)=\"\(escaped("\\\"$"))${\(name):+:$\(name)}\""
    case .json: "{\"\(name)\":\"\(escaped("\\\""))\"}"
    }
  }

  private var name: String { EnvironmentList.libraryPath }

  /// Single quotes, with those inside put outside.
  private var shellQuoted: String {
    "'" + folder.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  private func escaped(_ special: String) -> String {
    folder.reduce(into: "") { text, character in text += special.contains(character) ? "\\\(character)" : String(character) }
  }
}

extension String {
  /// systemd takes a percent sign for the start of a specifier.
  fileprivate var replacingPercent: String { split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%") }
}
