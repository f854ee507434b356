// Shared.swift: what several threads of this program write to.
import Synchronization

/// A value behind a lock of the standard library.
final class Shared<Value: Sendable>: Sendable {
  private let cell: Mutex<Value>
  init(_ value: Value) { cell = Mutex(value) }

  var value: Value { cell.withLock { $0 } }
  func change(_ body: (inout Value) -> Void) {
    cell.withLock { value in
      var copy = value
      body(&copy)
      value = copy
    }
  }
}
