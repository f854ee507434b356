// DispatchTimeoutResult.swift: how a wait with a deadline ended.

/// How a wait with a deadline ended.
public enum DispatchTimeoutResult: Sendable {
  /// What was waited for happened in time.
  case success
  /// The deadline passed first; what was waited for may still happen.
  case timedOut
}
