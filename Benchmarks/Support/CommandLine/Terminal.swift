// Terminal.swift: the command's way to the outside: standard output and error, files.
import Glibc

/// A file descriptor that text is written to.
public struct OutputStream: Sendable {
  private let descriptor: Int32

  /// Standard output.
  public static let output = OutputStream(descriptor: STDOUT_FILENO)
  /// Standard error.
  public static let error = OutputStream(descriptor: STDERR_FILENO)

  /// Creates a file, or opens one to be replaced; its text is dropped when the new text is written. Nil if that is impossible.
  public static func file(_ path: String) -> OutputStream? {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    return descriptor < 0 ? nil : OutputStream(descriptor: descriptor)
  }

  /// Why the last `file` or `replace` failed.
  public static var lastProblem: String { String(cString: strerror(errno)) }

  /// True if a person is likely to read along.
  public var isTerminal: Bool { isatty(descriptor) == 1 }

  /// How many characters a line of the terminal has; nil if this is none, or it does not tell.
  public var columns: Int? {
    var size = winsize()
    guard isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Whether text written here may carry colours: on a terminal that knows them, unless `NO_COLOR` is set.
  public var ink: Ink {
    isTerminal && (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb" ? .coloured : .plain
  }

  /// Writes text; false if it cannot all be written.
  @discardableResult
  public func write(_ text: String) -> Bool {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let written = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno != EINTR { return false }
      left = left.dropFirst(max(0, written))
    }
    return true
  }

  /// Replaces a file's text; false if it cannot all be written.
  public func replace(with text: String) -> Bool { ftruncate(descriptor, 0) == 0 && write(text) }
}

private func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
