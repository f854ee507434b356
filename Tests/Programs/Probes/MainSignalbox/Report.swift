// Report.swift: what a scenario prints, line by line, and how it ends.
import Glibc

/// The thread that the program started on.
let mainThread = pthread_self()

/// Prints one line at once, whole.
func say(_ text: String) {
  let line = text + "\n"
  line.utf8CString.withUnsafeBytes { bytes in _ = write(STDOUT_FILENO, bytes.baseAddress, bytes.count - 1) }
}

/// Prints a line that may differ between libraries: the toolchain's gives up the main thread in dispatchMain().
func sayThread(_ what: String) {
  say("thread: \(what) on " + (pthread_equal(pthread_self(), mainThread) != 0 ? "main" : "another"))
}

/// Ends the program after the last line of a scenario.
func finish() -> Never {
  say("end")
  exit(0)
}

/// Carries state between the items of a scenario, one of which runs at a time.
// SAFETY: only items of the main queue, or code ordered with them by the scenario, touch the value.
final class Shared<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}
