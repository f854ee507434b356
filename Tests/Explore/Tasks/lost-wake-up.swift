// lost-wake-up.swift: a task asks a gate whether it is open, and if not has itself put on the list of those who wait.
// If the gate is opened between the two calls, the list is resumed without it, and nobody ever resumes it.
// Fix: the gate asks once more in the step that puts the task on the list, so it cannot be opened in between.
actor Gate {
  private(set) var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func join() async {
    #if MENDED
    if isOpen { return }
    #endif
    await withCheckedContinuation { waiting.append($0) }
  }
}

func pass(_ gate: Gate) async {
  if await gate.isOpen { return }
  await Task.yield()
  await gate.join()
}

@main struct Program {
  static func main() async {
    let gate = Gate()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await gate.open() }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(30))
        await pass(gate)
      }
    }
  }
}
