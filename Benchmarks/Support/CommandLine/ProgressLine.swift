// ProgressLine.swift: one line on a terminal that tells what is running now and vanishes afterwards.

/// Shows progress on standard error if that is a terminal, else nothing.
public struct ProgressLine: Sendable {
  private let isShown = OutputStream.error.isTerminal

  /// A line that is empty so far.
  public init() {}

  /// Replaces the line.
  public func show(_ text: String) {
    if isShown { OutputStream.error.write("\r\u{1B}[K" + text) }
  }

  /// Removes the line.
  public func clear() { show("") }
}
