// OperationPriority.swift: the priority that a thread has while it runs a `main()`, and its own again afterwards.
import SignalboxSystem

enum OperationPriority {
  /// Calls `body` with the thread's niceness at what `priority`, from 0 to 1, stands for; as far as the kernel permits.
  static func with(_ priority: Double, _ body: () -> Void) {
    let thread = ThreadSlot.kernelID()
    let wanted = Thread.niceness(of: priority)
    guard let before = Threads.niceness(ofThread: thread), before != wanted else { return body() }
    guard before > wanted || mayGoBack(thread, before) else { return body() }
    try? Threads.setNiceness(wanted, ofThread: thread)  // refused: as it was
    body()
    try? Threads.setNiceness(before, ofThread: thread)
  }

  /// Whether a niceness can be made less again, asked by doing it: a thread of the pool must not be left behind the others forever.
  private static func mayGoBack(_ thread: Int32, _ niceness: Int) -> Bool {
    do {
      try Threads.setNiceness(niceness - 1, ofThread: thread)
    } catch { return false }
    try? Threads.setNiceness(niceness, ofThread: thread)  // more is never refused
    return true
  }
}
