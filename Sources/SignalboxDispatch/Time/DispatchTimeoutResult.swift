// DispatchTimeoutResult.swift: how a wait with a deadline ended.

/// The result of a wait with a timeout.
public enum DispatchTimeoutResult: Sendable {
  /// The event happened in time.
  case success
  /// The timeout passed first; the event may still happen.
  case timedOut
}
