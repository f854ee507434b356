// SignalSource.swift: sources for signals sent to the process. How they are counted is SignalCounts' (Signals.swift).
//
// A handler of ours counts, and makes an event readable; the event thread tells all sources whose signal's count has grown; each
// source remembers the count that it has told its handler of. So any number of sources hears of each signal.
import SignalboxLocks
import SignalboxSystem

final class SignalCore: SourceCore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; `told` is written by start(), and then belongs to the source's queue; `noticed` is
  // guarded by the table's lock.

  let number: Int32
  private var told: UInt64 = 0
  /// The count at which the table has signalled us.
  fileprivate var noticed: UInt64 = 0

  init(_ number: Int32, target: DispatchQueue) {
    self.number = number
    super.init(kind: "signal", target: target, handle: UInt(number))
  }

  override func start() {
    told = SignalCounts.count(number)
    noticed = told
    watch()
  }

  private func watch() {
    do {
      try SignalTable.shared.add(self)
    } catch {
      retrySoon("monitor signal \(number)", error) { self.watch() }
    }
  }

  override func stop() { if !SignalTable.shared.remove(self) { stopped() } }

  override func takeData() -> UInt? {
    let count = SignalCounts.count(number)
    defer { told = count }
    return count == told ? nil : UInt(count - told)
  }
}

/// All signal sources that are monitored.
private final class SignalTable: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `lock`; `taken` belongs to the event thread.
  static let shared = SignalTable()

  private let lock = UnfairLock()
  private var cores: [SignalCore] = []
  /// Those that have ended and are still counted for.
  private var leaving: [SignalCore] = []
  private var event: EventDescriptor?
  /// Signals that the event thread takes, for programs that have them blocked.
  private var taken: Set<Int32> = []

  func add(_ core: SignalCore) throws(SystemError) {
    try prepare()
    // Also where the source has ended while we tried again: then it is not to be added.
    try lock.withLock { () throws(SystemError) in
      if core.isOver { return }
      try SignalCounts.watch(core.number)
      cores.append(core)
    }
    lock.withLock { self.event }?.signal()
  }

  /// Whether the source was there; the event thread says later that it has stopped.
  func remove(_ core: SignalCore) -> Bool {
    let told = lock.withLock { () -> EventDescriptor? in
      guard let place = cores.firstIndex(where: { $0 === core }) else { return nil }
      leaving.append(cores.remove(at: place))
      return event
    }
    told?.signal()
    return told != nil
  }

  /// The event, which lives as long as the process.
  private func prepare() throws(SystemError) {
    if lock.withLock({ event != nil }) { return }
    let made = try EventDescriptor()
    let watch = try EventThread.shared.watch(made.descriptor, for: .readable) { [made] _ in
      made.clear()
      SignalTable.shared.check()
    }
    let isFirst = lock.withLock { () -> Bool in
      guard event == nil else { return false }
      SignalCounts.tell(made)
      event = made
      return true
    }
    if !isFirst { watch.cancel() }
  }

  /// Signals have come, or sources have come or gone.
  private func check() {
    let (due, gone, wanted) = lock.withLock { () -> ([SignalCore], [SignalCore], Set<Int32>) in
      let due = cores.filter { core in
        let count = SignalCounts.count(core.number)
        defer { core.noticed = count }
        return count != core.noticed
      }
      defer { leaving = [] }
      return (due, leaving, Set(cores.map(\.number)))
    }
    take(wanted)
    for core in due { core.signalEvent() }
    // Only now that this thread does not take the signal any more: what the program has set may be to end.
    for core in gone {
      SignalCounts.unwatch(core.number)
      core.stopped()
    }
  }

  private func take(_ wanted: Set<Int32>) {
    for number in taken.subtracting(wanted) { SignalCounts.takeHere(number, false) }
    for number in wanted.subtracting(taken) { SignalCounts.takeHere(number, true) }
    taken = wanted
  }
}

extension DispatchSource {
  /// Makes a source for a signal sent to the process; a nil `queue` means the default global queue. The source is inactive.
  ///
  /// The source reports the signal whether the program ignores it or handles it, and whenever it sets that up. While the source
  /// exists, the signal's default action is not taken. `data` is the number of signals since the last event; the kernel may
  /// merge several into one. SIGKILL, SIGSTOP and numbers that are no signal stop the program.
  public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceSignal {
    switch SignalNumber.judge(signal) {
    case .watchable: return DispatchSource(SignalCore(signal, target: target(queue)))
    case .unknown:
      Misuse.stop("makeSignalSource(signal:queue:) is given \(signal), which is no signal: take one of SIGHUP, SIGINT, …")
    case .notForPrograms:
      Misuse.stop("makeSignalSource(signal:queue:) is given \(signal): \(SignalNumber.refusal)")
    }
  }
}
