// Turns.swift: an item of the main queue that adds the next one, beside blocks of both loops that do the same: how many items run
// between two blocks of one loop.
import Foundation
import SignalboxFoundation

// SAFETY of @unchecked: used by the main thread alone.
final class Turns: @unchecked Sendable {
  private static let items = 200
  /// Items that ran, and how many had when a loop's block came last; the most between two of one loop.
  private var ran = 0
  private var seen = [0, 0]
  private var most = 0
  private let done: @Sendable () -> Void

  init(_ done: @escaping @Sendable () -> Void) { self.done = done }

  func begin() {
    item()
    block(0) { SignalboxFoundation.RunLoop.current.perform($0) }
    block(1) { Foundation.RunLoop.current.perform($0) }
  }

  private func item() {
    SignalboxFoundation.DispatchQueue.main.async {
      self.ran += 1
      if self.ran < Turns.items { return self.item() }
      if self.most <= 1 { self.done() } else { say("\(self.most) items ran between two blocks") }
    }
  }

  private func block(_ loop: Int, _ perform: @escaping (@escaping @Sendable () -> Void) -> Void) {
    nonisolated(unsafe) let perform = perform
    perform {
      self.most = max(self.most, self.ran - self.seen[loop])
      self.seen[loop] = self.ran
      self.block(loop, perform)
    }
  }
}
