// philosophers.swift: three tasks at a table take the lock on the left, then the one on the right.
// If each has its left one before any has two, every one of them is suspended until its neighbour is done, forever.
// Fix: each takes the one with the lower number first, so no cycle of waits can form.
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

@main struct Program {
  static func main() async {
    let forks = (0..<3).map { _ in TaskLock() }
    await withTaskGroup(of: Void.self) { group in
      for seat in 0..<3 {
        let right = (seat + 1) % 3
        #if MENDED
        let (first, second) = (min(seat, right), max(seat, right))
        #else
        let (first, second) = (seat, right)
        #endif
        group.addTask {
          try? await Task.sleep(for: .milliseconds(20 * seat))
          await forks[first].lock()
          await Task.yield()
          await forks[second].lock()
          await forks[second].unlock()
          await forks[first].unlock()
        }
      }
    }
  }
}
