// FetchOperation.swift: brings one file from an HTTP server, trying again when the server is busy. Local files are copied by
// CopyOperation.swift.
import FoundationNetworking

/// Cancelling it ends the transfer, and the operation at once.
// SAFETY of @unchecked: `task` and `patience` are guarded by `lock`.
final class FetchOperation: Delivery, @unchecked Sendable {
  private static let mostAttempts = 4
  private static let queue = DispatchQueue(label: "fetcher.retries", qos: .utility, attributes: .concurrent)

  private let source: URL
  private let session: URLSession
  private let limit: DispatchTimeInterval
  private let silence: @Sendable () -> Void
  private let lock = NSLock()
  private var task: URLSessionDataTask?
  private var patience: (any DispatchSourceTimer)?

  /// - Parameter silence: called if there is no answer within `patience` milliseconds. The operation goes on waiting.
  init(
    _ source: URL, to destination: URL, session: URLSession, patience: Int = 60_000,
    silence: @escaping @Sendable () -> Void = {}
  ) {
    self.source = source
    self.session = session
    limit = .milliseconds(patience)
    self.silence = silence
    super.init(to: destination)
  }

  override func begin() {
    let timer = DispatchSource.makeTimerSource(queue: Self.queue)
    timer.schedule(deadline: .now() + limit, leeway: .milliseconds(5))
    timer.setEventHandler { [silence] in silence() }
    lock.withLock { patience = timer }
    timer.activate()
    attempt(1)
  }

  override func cancel() {
    super.cancel()
    end(.failed("cancelled"))
  }

  private func attempt(_ number: Int) {
    guard !isCancelled else { return end(.failed("cancelled")) }
    let task = session.dataTask(with: source) { [self] data, response, error in
      received(data, (response as? HTTPURLResponse)?.statusCode, error, attempt: number)
    }
    lock.withLock { self.task = task }
    task.resume()
    if isCancelled { end(.failed("cancelled")) }  // it may have been cancelled before there was a task
  }

  private func received(_ data: Data?, _ status: Int?, _ error: (any Error)?, attempt: Int) {
    switch (data, status) {
    case (let data?, 200): write(data, attempt)
    case (_, 503) where attempt < Self.mostAttempts: tryAgain(after: attempt)
    case (_, let status?): end(.failed("the server answered \(status)"))
    default: end(.failed("no answer: \(error?.localizedDescription ?? "unknown")"))
    }
  }

  private func write(_ data: Data, _ attempt: Int) {
    do {
      try data.write(to: destination, options: .atomic)
      end(.delivered(attempt: attempt))
    } catch {
      end(.failed("cannot write \(destination.path): \(error.localizedDescription)"))
    }
  }

  /// Waits longer each time.
  private func tryAgain(after attempt: Int) {
    Self.queue.asyncAfter(deadline: .now() + .milliseconds(5 << attempt)) { [self] in self.attempt(attempt + 1) }
  }

  private func end(_ outcome: Outcome) {
    let (task, patience) = lock.withLock {
      defer { (self.task, self.patience) = (nil, nil) }
      return (self.task, self.patience)
    }
    if outcome == .failed("cancelled") { task?.cancel() }
    patience?.cancel()
    finish(outcome)
  }
}
