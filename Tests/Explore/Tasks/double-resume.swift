// double-resume.swift: an answer and a time limit both resume one continuation, and each asks first whether it was resumed.
// Both can get the answer no before either has resumed it, and the second one resumes what is not suspended any more: a crash.
// Fix: the reply itself asks and resumes in one step, so exactly one of the two does.
actor Reply {
  private var continuation: CheckedContinuation<Void, Never>?
  private(set) var isResumed = false

  func wait() async {
    if isResumed { return }
    await withCheckedContinuation { continuation = $0 }
  }

  func resume() {
    #if MENDED
    if isResumed { return }
    #endif
    isResumed = true
    continuation?.resume()
  }
}

func finish(_ reply: Reply) async {
  if await reply.isResumed { return }
  await Task.yield()
  await reply.resume()
}

@main struct Program {
  static func main() async {
    let reply = Reply()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await reply.wait() }
      group.addTask { await finish(reply) }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(30))
        await finish(reply)
      }
    }
  }
}
