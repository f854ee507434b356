// Failures.swift: what a round found wrong, collected from any thread and told at its end.
import Synchronization

/// Kept apart by a spin word that is taken only when something is wrong: a sound round orders nothing through it.
final class Failures: @unchecked Sendable {
  // SAFETY of @unchecked: `lines` is guarded by `word`.
  private let word = Atomic<Int>(0)
  private let number = Atomic<Int>(0)
  private var lines: [String] = []

  var isEmpty: Bool { number.load(ordering: .relaxed) == 0 }

  func add(_ line: @autoclosure () -> String) {
    let text = line()
    guard number.add(1, ordering: .relaxed).oldValue < 50 else { return }
    withLines { $0.append(text) }
  }
  func check(_ fact: Bool, _ line: @autoclosure () -> String) { if !fact { add(line()) } }

  /// All that was found so far.
  var all: [String] { withLines { $0 } }

  private func withLines<R>(_ body: (inout [String]) -> R) -> R {
    while !word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged {}
    defer { word.store(0, ordering: .releasing) }
    return body(&lines)
  }
}
