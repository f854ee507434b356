// InTime.swift: running a storm with a limit: it ends in time, or the process ends with its name.
import Synchronization

/// A number that many threads change, and that orders nothing for the engine under test.
final class Tally: Sendable {
  private let word = Atomic<Int>(0)
  var value: Int { word.load(ordering: .relaxed) }
  /// Returns the value after the change.
  @discardableResult func add(_ change: Int = 1) -> Int { word.add(change, ordering: .relaxed).newValue }
}

/// A plain number: whoever touches it must be in order with all others, and the thread sanitizer checks that.
final class Plain: @unchecked Sendable {
  // SAFETY of @unchecked: that the engine orders all accesses is what is tested.
  var value = 0
}

/// Runs `body` on a thread of its own and returns when it has ended.
func inTime(_ name: String, describe: @escaping () -> [String] = { [] }, _ body: @escaping @Sendable () -> Void) {
  let isOver = Tally()
  let thread = Thread {
    body()
    isOver.add()
  }
  Watch(name, describe).wait { isOver.value == 1 }
  thread.join()
}

/// Runs `body` on `count` threads at once, with their numbers, and returns when all have ended in time.
func inTime(_ name: String, threads count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ended = Tally()
  let threads = (0..<count).map { number in
    Thread {
      body(number)
      ended.add()
    }
  }
  Watch(name) { ["\(count - ended.value) of \(count) threads still at work"] }.wait { ended.value == count }
  for thread in threads { thread.join() }
}
