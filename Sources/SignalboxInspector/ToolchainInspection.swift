// ToolchainInspection.swift: one reading of a process that does not use Signalbox: what its threads wait for in the
// toolchain's libdispatch and in mutexes of the C library, and cycles that a second reading finds the same. What is
// read of the library is ToolchainObjects.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// A process as its memory shows it.
struct ToolchainInspection {
  private let process: any ReadProcess
  private let library: ToolchainLibrary?
  private let objects: ToolchainObjects?
  private let threads: [ToolchainThread]
  private var cycles: [Inspection.Cycle] = []
  private var unread: [String] = []

  /// Reads the process.
  init(_ process: any ReadProcess) {
    self.process = process
    var library: ToolchainLibrary?
    switch ToolchainLibrary.find(in: process) {
    case .found(let found): library = found
    case .unknown(let why): unread.append("queues, and the threads that wait for them: \(why)")
    case .none: break
    }
    let objects = library.map { ToolchainObjects($0, process.memory, process.written) }
    if let objects, objects.unsearched > 0 {
      unread.append("queues in \(objects.unsearched >> 20) MB of its memory, which are too many to search")
    }
    let seen = process.threads()
    let reader = ToolchainThreadReader(process: process, objects: objects, ids: Set(seen.map(\.id)))
    threads = seen.map { reader.read($0) }
    (self.library, self.objects) = (library, objects)
    cycles = standing(reader)
  }

  /// The cycles that a second reading finds the same: no thread of one has run in between.
  private func standing(_ reader: ToolchainThreadReader) -> [Inspection.Cycle] {
    let byID = Dictionary(threads.map { ($0.seen.id, $0) }, uniquingKeysWith: { first, _ in first })
    return CycleSearch.cycles(among: Array(byID.keys)) { byID[$0]?.next ?? [] }.compactMap { cycle in
      let parts = cycle.compactMap { byID[$0] }
      guard parts.allSatisfy({ reader.stillStands($0) }) else { return nil }
      return Inspection.Cycle(isCertain: parts.allSatisfy(\.waitsForTurn), threads: cycle.map { Int($0) })
    }
  }

  /// What is shown of it.
  ///
  /// - Parameter stacks: asked for the stacks of all threads.
  func inspection(stacks: Inspection.Stacks) -> Inspection {
    Inspection(
      process: process.id, copy: library?.image.path ?? "", threads: threads.map { thread($0, stacks) },
      queues: (objects?.queues.values.sorted { $0.address < $1.address } ?? []).map { queue($0) }, pools: [], timers: nil,
      armed: [],
      monitored: [], events: nil, cycles: cycles, unread: unread, source: process.source, lost: 0, usesSignalbox: false)
  }

  private func thread(_ thread: ToolchainThread, _ stacks: Inspection.Stacks) -> Inspection.Thread {
    let id = thread.seen.id, held = objects?.queues.values.filter { $0.owner == id }.sorted { $0.address < $1.address } ?? []
    var made = Inspection.Thread(
      id: Int(id), name: thread.seen.name, state: Inspection.word(ofState: thread.seen.state), isMain: id == process.id,
      isOwn: false,
      inside: held.map { (ReadNumber($0.address).hexadecimal, true) }, runs: nil, wait: wait(thread),
      call: thread.call.map { $0.name ?? "system call \($0.number)" }, stack: [], isUnread: false)
    if let found = stacks(id) {
      made.stack = found.addresses.map { Inspection.place($0 - 1, in: process.images) }
      made.stackEnd = found.gap
    }
    return made
  }

  private func wait(_ thread: ToolchainThread) -> Inspection.Wait? {
    guard let wait = thread.wait else { return nil }
    let (kind, object, name): (WaitKind, UInt64, String?) =
      switch wait {
      case .turn(let queue): (.sync, queue, nil)
      case .group(let group): (.group, group, nil)
      case .semaphore(let semaphore): (.semaphore, semaphore, nil)
      case .mutex(let mutex): (.foreignMutex, UInt64(mutex.address), nil)
      }
    return Inspection.Wait(
      kind: kind.noun, object: ReadNumber(object).hexadecimal, name: name, isLimited: thread.isTimed, because: thread.end.word,
      holders: thread.end.threads.map { Int($0) })
  }

  private func queue(_ queue: ToolchainQueue) -> Inspection.Queue {
    Inspection.Queue(
      address: ReadNumber(queue.address).hexadecimal, label: queue.label, kind: queue.kind.noun, qos: "unspecified",
      pending: queue.pending ?? 0, isCounted: queue.pending != nil, done: 0, knowsDone: false,
      owner: queue.owner.map { Int($0) },
      running: queue.running, limit: 0, suspended: queue.state.suspended, isInactive: queue.state.isInactive,
      target: queue.kind == .global ? nil : ReadNumber(queue.target).hexadecimal, urgent: nil, next: [])
  }
}

extension ToolchainThread {
  /// The threads for which it waits without limit.
  fileprivate var next: [Int32] { isTimed ? [] : end.threads }

  fileprivate var waitsForTurn: Bool { if case .turn? = wait { true } else { false } }
}

extension ToolchainQueue {
  /// The thread that runs an item of it alone. The main queue names its thread at all times.
  fileprivate var owner: Int32? { kind == .main && !state.isAlone || kind == .global ? nil : state.owner }

  fileprivate var running: Int { kind == .concurrent && owner == nil ? state.running(width: width) : 0 }
}
