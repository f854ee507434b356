// Wait.swift: the two loops that a thread may wait in.
import Foundation
import SignalboxFoundation

/// Whose loop the thread waits in.
public enum Wait: String, CaseIterable, Sendable {
  case ours, theirs

  /// Waits forever. A timer that never comes keeps the loop from ending; nothing else wakes it.
  public func run() -> Never {
    switch self {
    case .ours:
      let keeper = SignalboxFoundation.Timer(timeInterval: 1e6, repeats: false) { _ in }
      SignalboxFoundation.RunLoop.current.add(keeper, forMode: .default)
      while true { _ = SignalboxFoundation.RunLoop.current.run(mode: .default, before: .distantFuture) }
    case .theirs:
      Foundation.RunLoop.current.add(Foundation.Timer(timeInterval: 1e6, repeats: false) { _ in }, forMode: .default)
      while true { _ = Foundation.RunLoop.current.run(mode: .default, before: .distantFuture) }
    }
  }
}
