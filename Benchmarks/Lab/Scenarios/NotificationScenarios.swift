// NotificationScenarios.swift: notifications that one thread posts and another is meant to hear.
import SignalboxFoundation

extension Notification.Name { fileprivate static let download = Notification.Name("downloadImage") }

enum NotificationScenarios {
  static let all: [Scenario] = [
    Scenario(
      "notification-posters-thread", "Observed on main, posted from a serial queue", .survey, "E4",
      article: "the observer's method runs on the thread that posts, wherever it was registered",
      documents: "observers are called synchronously on the posting thread"
    ) { lab in
      let controller = Controller { lab.note("show") }
      NotificationCenter.default.addObserver(controller, action: Controller.show, name: .download)
      let queue = DispatchQueue(label: "com.bool.post.notification")
      post(on: queue, lab)
      NotificationCenter.default.removeObserver(controller)
      lab.expectOrder("posts", "show", "has posted")
      lab.expectThreads("worker") { _ in true }
      return lab.order() + ", all on the worker"
    },
    Scenario(
      "notification-hop-to-main", "The observer hands on to the main queue", .survey, "E4, B9",
      article: "what has to run on the main thread is dispatched there by the observer's method",
      documents: "observers are called on the posting thread; the main queue runs on the main thread"
    ) { lab in
      let controller = Controller {
        lab.note("show")
        DispatchQueue.main.async {
          lab.note("update")
          lab.expectThreads("worker") { $0 == "show" }
          lab.expectThreads("main") { $0 == "update" }
          lab.expectOrder("show", "update")
          lab.finish("shown on the worker, updated on main")
        }
      }
      NotificationCenter.default.addObserver(controller, action: Controller.show, name: .download)
      DispatchQueue(label: "com.bool.post.notification").async {
        NotificationCenter.default.post(name: .download, object: nil)
      }
      waitForEver()
    },
    Scenario(
      "notification-on-a-queue", "A block with an operation queue, for which the poster waits", .survey, "E4",
      article: "or the observer names the queue that its block runs on",
      documents: "the block runs on the given queue; with nil synchronously on the posting thread"
    ) { lab in
      let center = NotificationCenter.default
      let token = center.addObserver(forName: .download, object: nil, queue: .main) { _ in lab.note("show") }
      let ended = Box(false)
      DispatchQueue(label: "com.bool.post.notification").async {
        NotificationCenter.default.post(name: .download, object: nil)
        lab.note("has posted")
        ended.value = true
        RunLoop.main.perform {}
      }
      let end = Date(timeIntervalSinceNow: 10)
      while !ended.value, Date() < end { _ = RunLoop.main.run(mode: .default, before: end) }
      NotificationCenter.default.removeObserver(token)
      lab.expectOrder("show", "has posted")
      lab.expectThreads("main") { $0 == "show" }
      return "shown on main; the worker waited for it"
    },
    Scenario(
      "notification-queue-coalesces", "Three equal notifications in a notification queue", .survey, "E4",
      article: "a notification is handled by the thread that posts it",
      documents: "a queue posts on the thread it belongs to, as soon as its loop can; equal ones count as one"
    ) { lab in
      let controller = Controller { lab.note("show") }
      NotificationCenter.default.addObserver(controller, action: Controller.show, name: .download)
      let thread = Thread {
        for _ in 1...3 { NotificationQueue.default.enqueue(Notification(name: .download), postingStyle: .asap) }
        lab.note("queued")
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
      }
      thread.start()
      ThreadClassScenarios.awaitEnd(of: thread)
      NotificationCenter.default.removeObserver(controller)
      lab.expect(lab.texts == ["queued", "show"], "once, after they were queued", lab.order())
      lab.expectThreads("thread") { _ in true }
      return lab.order()
    },
  ]

  private static func post(on queue: DispatchQueue, _ lab: Recorder) {
    let group = DispatchGroup()
    queue.async(group: group) {
      lab.note("posts")
      NotificationCenter.default.post(name: .download, object: nil)
      lab.note("has posted")
    }
    group.wait()
  }

  private final class Controller: Sendable {
    private let shown: @Sendable () -> Void
    init(_ shown: @escaping @Sendable () -> Void) { self.shown = shown }
    func show(_ notification: Notification) { shown() }
  }
}
