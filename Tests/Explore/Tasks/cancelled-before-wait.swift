// cancelled-before-wait.swift: a cancellation resumes the continuation of the task that waits, and does nothing if there is none.
// A task that is cancelled just before it stores its continuation is resumed by nobody.
// Fix: the cancellation is noted, and asked in the step that stores the continuation.
actor Mailbox {
  private var continuation: CheckedContinuation<Void, Never>?
  private var isCancelled = false

  func wait() async {
    #if MENDED
    if isCancelled { return }
    #endif
    await withCheckedContinuation { continuation = $0 }
  }

  func cancel() {
    isCancelled = true
    continuation?.resume()
    continuation = nil
  }
}

@main struct Program {
  static func main() async {
    let mailbox = Mailbox()
    let reader = Task {
      await withTaskCancellationHandler {
        await Task.yield()
        await mailbox.wait()
      } onCancel: {
        Task { await mailbox.cancel() }
      }
    }
    try? await Task.sleep(for: .milliseconds(40))
    reader.cancel()
    await reader.value
  }
}
