// RunLoopThread.swift: the thread that the toolchain's library takes for the one of our bridges' run loops.
import SignalboxDispatch
import SignalboxSystem

/// Makes the toolchain's run loop queues. Their library stops the program when the thread that made such a queue calls `sync` to
/// what runs on it: "the loop would wait for itself". Bridges have no loop of that kind, so their queues are made by a thread that
/// lives as long as the process and calls nothing else. It sleeps but for that.
///
/// Thread safety: any thread.
enum RunLoopThread {
  /// One request: the thread fills in the queue.
  private final class Request: Sendable {
    let done = SignalboxDispatch.DispatchSemaphore(value: 0)
    // SAFETY: written by the thread before it signals `done`, read by one that has waited for that.
    nonisolated(unsafe) var queue: OtherRunLoopQueue?
  }
  private static let requests = Requests()

  /// A new queue to be performed; nil without the library's functions, or when a thread or descriptor is refused.
  static func makeQueue() -> OtherRunLoopQueue? {
    let request = Request()
    guard requests.add(request) else { return nil }
    request.done.wait()
    return request.queue
  }

  /// The requests, and whether their thread runs.
  private final class Requests: Sendable {
    private let lock = NSLock()
    private let arrived = SignalboxDispatch.DispatchSemaphore(value: 0)
    // SAFETY: both guarded by `lock`.
    private nonisolated(unsafe) var waiting: [Request] = []
    private nonisolated(unsafe) var isRunning = false

    func add(_ request: Request) -> Bool {
      let isServed = lock.withLock { () -> Bool in
        if !isRunning { isRunning = start() }
        if isRunning { waiting.append(request) }
        return isRunning
      }
      if isServed { arrived.signal() }
      return isServed
    }

    private func start() -> Bool {
      ForkGuard.arm()
      do {
        try Threads.spawn(name: "signalbox.loop") { [self] in
          while true { serveNext() }
        }
        return true
      } catch { return false }
    }

    private func serveNext() {
      arrived.wait()
      let request = lock.withLock { waiting.removeFirst() }
      request.queue = OtherRunLoopQueue()
      request.done.signal()
    }
  }
}
