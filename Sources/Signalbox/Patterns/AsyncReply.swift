// InBackground.swift: work on a global queue whose result is used on the main one. Alone: one pattern is one file.

/// Runs `work` on a global queue, then `use` with its result on the main queue; returns at once.
///
///     inBackground { expensiveWork() } then: { result in show(result) }
///
/// Thread safety: any thread. Memory: `work` happens before `use`.
/// - Parameters:
///   - qos: selects the global queue.
///   - queue: where `use` runs. The main queue needs a thread that runs it: `dispatchMain()`, a run loop or an asynchronous
///     `main`.
///   - work: runs once and is then released.
///   - use: runs once after `work` and is then released.
public func inBackground<Value: Sendable>(
  qos: DispatchQoS.QoSClass = .default, replyOn queue: DispatchQueue = .main, _ work: @escaping @Sendable () -> Value,
  then use: @escaping @Sendable (Value) -> Void
) {
  DispatchQueue.global(qos: qos).async {
    let value = work()
    queue.async { use(value) }
  }
}

/// Like `inBackground`, for work that can fail: `use` receives the value or the error.
public func tryInBackground<Value: Sendable, Failure: Error>(
  qos: DispatchQoS.QoSClass = .default, replyOn queue: DispatchQueue = .main,
  _ work: @escaping @Sendable () throws(Failure) -> Value, then use: @escaping @Sendable (Result<Value, Failure>) -> Void
) {
  inBackground(qos: qos, replyOn: queue) { () -> Result<Value, Failure> in
    do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
  } then: {
    use($0)
  }
}
