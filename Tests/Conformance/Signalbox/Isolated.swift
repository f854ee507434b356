// Isolated.swift: where the body of a test runs: on a thread of its own, in real time. Its twin in Tests/Bodies runs it in virtual time.
import Glibc
import Testing

/// Runs a test's body on a thread of its own and reports what it found; a body that never ends is reported, and left.
func isolated(at location: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void) async {
  _ = prepareSubject
  let watcher = await withCheckedContinuation { continuation in
    _ = onThread {
      let done = Monitor(false)
      let runner = onThread {
        body()
        done.access { $0 = true }
      }
      if done.wait(seconds: 3 * patience, until: { $0 }) {
        runner.join()
      } else {
        report("the test hangs; its thread is left behind", at: location)
      }
      continuation.resume(returning: Helper(handle: pthread_self()))
    }
  }
  watcher.join()
  recordFindings()
}
