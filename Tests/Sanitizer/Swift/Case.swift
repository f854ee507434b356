// Case.swift: what the cases of the Swift program have in common: state that only dispatch objects protect, two deeds without an
// order, and their end.
import Glibc
import Synchronization

/// One case; the program ends when it returns, if not before.
struct Case: Sendable {
  let name: String
  let run: @Sendable () -> Void
  init(_ name: String, _ run: @escaping @Sendable () -> Void) { (self.name, self.run) = (name, run) }
}

/// What items change without a lock.
final class State: @unchecked Sendable {
  // SAFETY of @unchecked: none in the racy cases; in the clean ones a dispatch object or an actor.
  var count = 0
}
let state = State()
let many = 100

/// Two deeds in an order that nothing vouches for: relaxed words give none. They meet first, so each has a thread of its own; and
/// they are never at the same instant, which the sanitizer could miss.
final class Race: Sendable {
  private let here = Atomic(0)
  private let isDone = Atomic(false)

  func earlier() {
    meet()
    state.count += 1
    isDone.store(true, ordering: .relaxed)
  }
  func later() {
    meet()
    while !isDone.load(ordering: .relaxed) { sched_yield() }
    state.count += 1
  }
  private func meet() {
    here.add(1, ordering: .relaxed)
    while here.load(ordering: .relaxed) < 2 { sched_yield() }
  }
}
let race = Race()

/// Ends the program.
func finish() -> Never {
  print("\(CommandLine.arguments[1]): \(state.count)")
  exit(0)
}

/// Runs `body` as a task, and gives the main thread to the main queue until it has ended.
func runAsync(_ body: @escaping @Sendable () async -> Void) -> Never {
  Task {
    await body()
    finish()
  }
  dispatchMain()
}
