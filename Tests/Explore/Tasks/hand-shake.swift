// hand-shake.swift: two tasks shake hands in seven steps, each counts if its turn has come, and others may run between them.
// Both end up connected only if they take turns at every step, which takes six switches, and nobody has thought of that.
// Fix: each does all its steps in one call, so the steps of two never mix and no second one of a task counts.
import Glibc

actor Session {
  private(set) var state = 0

  func take(_ step: Int) { if state == step { state += 1 } }
  func take(all steps: [Int]) { for step in steps { take(step) } }
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func shake(_ steps: [Int], with session: Session) async {
  #if MENDED
  await session.take(all: steps)
  #else
  for step in steps {
    await session.take(step)
    await Task.yield()
  }
  #endif
}

@main struct Program {
  static func main() async {
    let session = Session()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await shake([0, 2, 4, 6], with: session) }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(30))
        await shake([1, 3, 5], with: session)
      }
    }
    if await session.state == 7 { fail("both are connected") }
  }
}
