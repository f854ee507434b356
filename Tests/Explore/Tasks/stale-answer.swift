// stale-answer.swift: each search that a user starts shows its answer when that arrives, whatever was started since.
// The answer to the first search can arrive after that to the second one, and the user sees what was not asked for last.
// Fix: each search has a number, and an answer to one that is not the last is dropped.
import Glibc

actor Server {
  private var requests = 0

  func answer(to word: String) async -> String {
    requests += 1
    await Task.yield()
    return "answer to \(word)"
  }
}

@MainActor final class Model {
  private let server = Server()
  private var last = 0
  private(set) var shown = ""

  func search(_ word: String, as number: Int) async {
    if number > last { last = number }
    let answer = await server.answer(to: word)
    #if MENDED
    if number != last { return }
    #endif
    shown = answer
  }
}

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

@main struct Program {
  @MainActor static func main() async {
    let model = Model()
    let first = Task { await model.search("a", as: 1) }
    let second = Task {
      try? await Task.sleep(for: .milliseconds(40))
      await model.search("ab", as: 2)
    }
    await first.value
    await second.value
    if model.shown != "answer to ab" { fail("the user sees the \(model.shown)") }
  }
}
