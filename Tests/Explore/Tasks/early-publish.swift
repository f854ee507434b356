// early-publish.swift: a store notes that it is loaded, and then waits for its two items.
// While it waits its actor answers others: a reader can be answered that all is loaded and find an item missing.
// Fix: it is noted after both are there, so whoever learns of it finds both.
import Glibc

actor Store {
  private(set) var items: [Int] = []
  private var isLoaded = false

  private func fetch(_ item: Int) async {
    await Task.yield()
    items.append(item)
  }

  func load() async {
    #if !MENDED
    isLoaded = true
    #endif
    await fetch(1)
    await fetch(2)
    #if MENDED
    isLoaded = true
    #endif
  }

  func check() {
    if isLoaded && items.count != 2 { fail("an item is missing") }
  }
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

@main struct Program {
  static func main() async {
    let store = Store()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await store.load() }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(30))
        await store.check()
      }
    }
  }
}
