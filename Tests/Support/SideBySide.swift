// SideBySide.swift: work that mostly waits, such as running other programs, done several at a time, so that a test of many such
// programs does not take the sum of their waits.
import Glibc
import Synchronization

/// What a thread does.
private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Elements to be worked on, and what has come of those that have been.
private final class Tasks<Element: Sendable, Value: Sendable>: Sendable {
  private let elements: [Element]
  private let body: @Sendable (Element) throws -> Value
  private let state: Mutex<(next: Int, results: [Result<Value, any Error>?])>

  init(_ elements: [Element], _ body: @escaping @Sendable (Element) throws -> Value) {
    (self.elements, self.body) = (elements, body)
    state = Mutex((0, Array(repeating: nil, count: elements.count)))
  }

  /// Takes one element after another, until none is left.
  func work() {
    while let index = take() {
      let result = Result { try body(elements[index]) }
      state.withLock { $0.results[index] = result }
    }
  }

  private func take() -> Int? {
    state.withLock { state in
      guard state.next < elements.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  var results: [Result<Value, any Error>] { state.withLock { $0.results.compactMap { $0 } } }
}

/// Calls `body` with each element, on `width` threads, and returns the results in the elements' order when all have come.
public func sideBySide<Element: Sendable, Value: Sendable>(
  _ elements: [Element], width: Int = 6, _ body: @escaping @Sendable (Element) throws -> Value
) -> [Result<Value, any Error>] {
  let tasks = Tasks(elements, body)
  let threads = (0..<min(width, elements.count)).map { _ in
    var handle = pthread_t()
    let status = pthread_create(
      &handle, nil,
      { context in
        // SAFETY: the argument is what was retained for this thread; it is taken once.
        Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Work { tasks.work() }).toOpaque())
    precondition(status == 0, "no thread for a test: error \(status)")
    return handle
  }
  for thread in threads { pthread_join(thread, nil) }
  return tasks.results
}
