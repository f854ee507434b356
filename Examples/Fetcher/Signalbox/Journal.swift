// Journal.swift: writes down what was done, on a thread of its own whose run loop has a timer: many lines become one write.

/// Thread safety: any thread.
// SAFETY of @unchecked: `pending`, `isClosing` and `isClosed` are guarded by `condition`; the file belongs to the thread.
final class Journal: @unchecked Sendable {
  private static let interval: TimeInterval = 0.02
  private let file: URL
  private let condition = NSCondition()
  private var pending: [String] = []
  private var isClosing = false
  private var isClosed = false

  init(at file: URL) throws {
    self.file = file
    try Data().write(to: file)
    let thread = Thread { [self] in keep() }
    thread.name = "journal"
    thread.qualityOfService = .background
    thread.start()
  }

  func write(_ line: String) { condition.withLock { pending.append(line) } }

  /// Waits until all lines are in the file and the thread has ended its work.
  func close() {
    condition.lock()
    defer { condition.unlock() }
    isClosing = true
    while !isClosed { condition.wait() }
  }

  private func keep() {
    let timer = Timer(timeInterval: Self.interval, repeats: true) { [self] timer in
      if flush() { timer.invalidate() }
    }
    RunLoop.current.add(timer, forMode: .default)
    while timer.isValid, RunLoop.current.run(mode: .default, before: .distantFuture) {}
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// Appends what is pending to the file. True if nothing more will come.
  private func flush() -> Bool {
    let (lines, isLast) = condition.withLock {
      defer { pending = [] }
      return (pending, isClosing)
    }
    if !lines.isEmpty, let handle = try? FileHandle(forWritingTo: file) {
      handle.seekToEndOfFile()
      handle.write(Data(lines.map { $0 + "\n" }.joined().utf8))
      handle.closeFile()
    }
    return isLast
  }
}
