// AsyncReply.swift: an item whose result another queue's item uses. Alone: one pattern is one file.

extension DispatchQueue {
  /// Runs `work` as an item of this queue, then `use` with its result as an item of another one; returns at once.
  ///
  /// Thread safety: any thread. Memory: `work` happens before `use`.
  ///
  /// ```swift
  /// DispatchQueue.global(qos: .utility).async(replyOn: .main) {
  ///   (1...1_000).reduce(0, +)
  /// } then: { sum in
  ///   print(sum)  // on the main thread
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - queue: where `use` runs. The main queue needs a thread that runs it: `dispatchMain()`, a run loop or an
  ///     asynchronous `main`.
  ///   - work: runs once and is then released.
  ///   - use: runs once after `work` and is then released.
  public final func async<Value: Sendable>(
    replyOn queue: DispatchQueue, _ work: @escaping @Sendable () -> Value, then use: @escaping @Sendable (Value) -> Void
  ) {
    async {
      let value = work()
      queue.async { use(value) }
    }
  }

  /// The same for work that can fail: `use` receives the value or the error.
  ///
  /// ```swift
  /// struct Full: Error {}
  /// DispatchQueue.global().asyncCatching(replyOn: .main) { () throws(Full) -> Int in
  ///   throw Full()
  /// } then: { result in
  ///   print(result)  // failure(Full())
  /// }
  /// ```
  public final func asyncCatching<Value: Sendable, Failure: Error>(
    replyOn queue: DispatchQueue, _ work: @escaping @Sendable () throws(Failure) -> Value,
    then use: @escaping @Sendable (Result<Value, Failure>) -> Void
  ) {
    async(replyOn: queue) { () -> Result<Value, Failure> in
      do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
    } then: {
      use($0)
    }
  }
}
