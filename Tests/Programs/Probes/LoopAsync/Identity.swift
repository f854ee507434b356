// Identity.swift: which thread and loop a piece of code finds to be its own.
import Glibc
import SignalboxFoundation
import SignalboxSystem

enum Identity {
  /// What the calling code finds: whether it runs on the process's first thread, and whether each question says that it is the main one.
  private static func places() -> String {
    let isFirst = Threads.isMain
    let answers = [
      Thread.isMainThread, Thread.current === Thread.main, Thread.current.isMainThread, RunLoop.current === RunLoop.main,
      NotificationQueue.default === main,
    ]
    return "\(isFirst ? "first thread" : "another thread"): \(answers)"
  }

  // SAFETY: set once, before anybody asks.
  nonisolated(unsafe) private static var main: NotificationQueue?

  static func tell() async {
    await MainActor.run { main = NotificationQueue.default }
    await letGo()
    say("actor, " + (await MainActor.run { places() }))
    say("item, " + (await placesOfItem(of: .main)))
    say("global, " + (await placesOfItem(of: .global())))
  }

  private static func placesOfItem(of queue: DispatchQueue) async -> String {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: places()) } }
  }
}
