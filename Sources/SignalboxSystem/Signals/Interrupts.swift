// Interrupts.swift: Ctrl-C, and a wish that the process ends, as something that a command asks for.

/// The signals that ask a command to end: SIGINT and SIGTERM.
///
/// Thread safety: any thread.
public enum Interrupts {
  // The kernel's numbers.
  private static let signals: [Int32] = [2, 15]

  /// From now on they end nothing by themselves. Where the kernel refuses, the command ends by them, as others do.
  public static func watch() {
    for signal in signals { try? SignalCounts.watch(signal) }
  }

  /// Whether one has come since.
  public static var haveCome: Bool { signals.contains { SignalCounts.count($0) > 0 } }
}
