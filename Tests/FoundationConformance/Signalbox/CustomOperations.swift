// CustomOperations.swift: operations as the articles write them: main overridden, or start with a state of the subclass's own.
import Testing

/// A value that threads share in the tests' subclasses.
typealias Cell<Value> = Monitor<Value>

/// Overrides `main()`; says when it ran, and on which thread.
final class MainOperation: Operation, @unchecked Sendable {
  let runs = Cell(0)
  let body: @Sendable (MainOperation) -> Void
  init(_ body: @escaping @Sendable (MainOperation) -> Void = { _ in }) {
    self.body = body
    super.init()
  }
  override func main() {
    runs.access { $0 += 1 }
    body(self)
  }
}

/// The asynchronous operation of article S2: state under a lock, announced by string keys; finished by whoever calls `finish()`.
class AsyncOperation: Operation, @unchecked Sendable {
  private let executing = Cell(false)
  private let finished = Cell(false)
  let starts = Cell(0)
  let began: @Sendable (AsyncOperation) -> Void
  init(_ began: @escaping @Sendable (AsyncOperation) -> Void = { _ in }) {
    self.began = began
    super.init()
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { executing.access { $0 } }
  override var isFinished: Bool { finished.access { $0 } }
  func setExecuting(_ value: Bool) {
    willChangeValue(forKey: "isExecuting")
    executing.access { $0 = value }
    didChangeValue(forKey: "isExecuting")
  }
  func setFinished(_ value: Bool) {
    willChangeValue(forKey: "isFinished")
    finished.access { $0 = value }
    didChangeValue(forKey: "isFinished")
  }

  override func start() {
    starts.access { $0 += 1 }
    guard !isCancelled else { return finish() }
    setFinished(false)
    setExecuting(true)
    began(self)
  }

  func finish() {
    if isExecuting { setExecuting(false) }
    setFinished(true)
  }
}

/// The concurrent operation of article S4: `start` detaches a thread that calls `main`, the first key is misspelt, and both
/// changes of the end are announced together.
final class DetachingOperation: Operation, @unchecked Sendable {
  private let state = Cell((executing: false, finished: false))
  private let threads = Cell<[Helper]>([])
  let left: Cell<Int>
  init(_ count: Int) {
    left = Cell(count)
    super.init()
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.access { $0.executing } }
  override var isFinished: Bool { state.access { $0.finished } }

  override func start() {
    if isCancelled {
      willChangeValue(forKey: "isFinished")
      state.access { $0.finished = true }
      didChangeValue(forKey: "isFinished")
      return
    }
    willChangeValue(forKey: "isExcuting")
    state.access { $0.executing = true }
    let thread = onThread { [self] in main() }
    threads.access { $0.append(thread) }
    didChangeValue(forKey: "isExcuting")
  }

  override func main() {
    while !isCancelled && !isFinished {
      let isLast = left.access { left in
        left -= 1
        return left == 0
      }
      if isLast { completeOperation() }
    }
  }

  private func completeOperation() {
    willChangeValue(forKey: "isFinished")
    willChangeValue(forKey: "isExecuting")
    state.access { $0 = (false, true) }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }

  func join() { for thread in threads.access({ $0 }) { thread.join() } }
}

/// Announces its changes by key paths.
final class KeyPathOperation: Operation, @unchecked Sendable {
  private let state = Cell((executing: false, finished: false))
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.access { $0.executing } }
  override var isFinished: Bool { state.access { $0.finished } }
  override func start() {
    willChangeValue(for: \.isExecuting)
    state.access { $0.executing = true }
    didChangeValue(for: \.isExecuting)
  }
  func finish() {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    state.access { $0 = (false, true) }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
  }
}

/// Waits for the end of operations, off the tests' tasks; reports when it does not come.
func expectFinished(_ operations: [Operation], at location: SourceLocation = #_sourceLocation) {
  expectEventually("all are finished", at: location) { operations.allSatisfy { $0.isFinished } }
}
