// abba-locks.swift: two tasks take two locks for tasks in opposite orders.
// Each can hold its first lock while it waits for the other's: both are suspended forever, and no thread is blocked.
// Fix: both take the first lock first, so no cycle of waits can form.
/// A lock that tasks wait for without blocking a thread.
actor TaskLock {
  private var isHeld = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func lock() async {
    if isHeld {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isHeld = true
    }
  }

  /// Hands the lock to the task that has waited longest, if one waits.
  func unlock() {
    if waiting.isEmpty {
      isHeld = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}

func work(first: TaskLock, second: TaskLock) async {
  await first.lock()
  await Task.yield()
  await second.lock()
  await second.unlock()
  await first.unlock()
}

@main struct Program {
  static func main() async {
    let rent = TaskLock()
    let food = TaskLock()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await work(first: rent, second: food) }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(30))
        #if MENDED
        await work(first: rent, second: food)
        #else
        await work(first: food, second: rent)
        #endif
      }
    }
  }
}
