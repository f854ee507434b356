// order-assumed.swift: a task is started that sets something up, and after it a second one that uses it.
// Tasks are started in an order but run in any, so the second can be first where it matters.
// Fix: the second task waits for the first one's value before it uses what that has set up.
import Glibc

actor Settings {
  private(set) var isSetUp = false
  func setUp() { isSetUp = true }
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func configure() async {
  let settings = Settings()
  let first = Task { await settings.setUp() }
  let second = Task {
    try? await Task.sleep(for: .milliseconds(40))
    #if MENDED
    await first.value
    #endif
    if await !settings.isSetUp { fail("used before it was set up") }
  }
  await first.value
  await second.value
}

@main struct Program {
  static func main() async { await configure() }
}
