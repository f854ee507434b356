// late-begin.swift: a task is counted as running by itself, at its start, and not by the one who starts it.
// Who waits until none is running can find none, because the task has not come to its first line yet.
// Fix: the starter counts it before it starts it, so the count covers it from then on.
import Glibc

actor Tracker {
  private var running = 0
  private(set) var done = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func begin() { running += 1 }

  func end() {
    running -= 1
    done += 1
    if running > 0 { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func waitForAll() async {
    if running > 0 { await withCheckedContinuation { waiting.append($0) } }
  }
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

@main struct Program {
  static func main() async {
    let tracker = Tracker()
    for _ in 0..<2 {
      #if MENDED
      await tracker.begin()
      #endif
      Task {
        #if !MENDED
        await tracker.begin()
        #endif
        await tracker.end()
      }
    }
    try? await Task.sleep(for: .milliseconds(40))
    await tracker.waitForAll()
    if await tracker.done != 2 { fail("a task was not waited for") }
  }
}
