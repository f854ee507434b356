// loaded-twice.swift: a cache finds no picture, waits until one is loaded, and stores it.
// While it waits a second caller finds none either, and the picture is loaded twice.
// Fix: it stores the task that loads, in the step that has found none, and later callers wait for the same task.
import Glibc

actor Disk {
  private var reads = 0

  func read() async -> String {
    reads += 1
    if reads > 1 { fail("the picture was loaded twice") }
    await Task.yield()
    return "picture"
  }
}

actor Cache {
  private let disk = Disk()
  private var picture: String?
  private var loading: Task<String, Never>?

  func load() async -> String {
    if let picture { return picture }
    #if MENDED
    if loading == nil {
      loading = Task { [disk] in await disk.read() }
    }
    let loaded = await loading!.value
    #else
    let loaded = await disk.read()
    #endif
    picture = loaded
    return loaded
  }
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

@main struct Program {
  static func main() async {
    let cache = Cache()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await cache.load() }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(30))
        _ = await cache.load()
      }
    }
  }
}
