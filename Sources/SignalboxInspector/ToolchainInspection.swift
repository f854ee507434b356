// ToolchainInspection.swift: one reading of a process that does not use Signalbox: what its threads wait for in the
// toolchain's libdispatch and in the C library, and cycles that a second reading finds the same. What is read of the
// library is ToolchainObjects.swift; what is shown of it, ToolchainInspection+Parts.swift.
import SignalboxSystem
import SignalboxView

/// A process as its memory shows it.
struct ToolchainInspection {
  let process: any ReadProcess
  let objects: ToolchainObjects?
  let threads: [ToolchainThread]
  private let library: ToolchainLibrary?
  private let reader: ToolchainThreadReader
  private let byID: [Int32: ToolchainThread]
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
    let seen = process.threads(), ids = Set(seen.map(\.id))
    let records = CLibraryThreads(process, ids: ids)
    let places = records.flatMap { records in library.flatMap { ToolchainPlaces($0, records, process.memory) } }
    if library != nil, places == nil {
      unread.append("which threads run the items of concurrent and global queues: the C library does not tell, or was stripped")
    }
    reader = ToolchainThreadReader(process: process, objects: objects, ids: ids, records: records, places: places)
    threads = reader.read(seen)
    byID = Dictionary(threads.map { ($0.seen.id, $0) }, uniquingKeysWith: { first, _ in first })
    (self.library, self.objects) = (library, objects)
    cycles = standing
  }

  // MARK: cycles

  /// The threads for which one waits without limit.
  func next(of id: Int32) -> [Int32] { byID[id].map { $0.isTimed ? [] : $0.end.threads } ?? [] }

  /// Whether a second reading finds a thread's wait the same, and that it has not run in between.
  func stands(_ id: Int32) -> Bool { byID[id].map { reader.stillStands($0, among: threads) } ?? false }

  /// Whether it waits for a turn, without limit: nothing ends that but the turn.
  func waitsForTurn(_ id: Int32) -> Bool { if case .turn? = byID[id]?.wait { true } else { false } }

  /// The cycles that a second reading finds the same.
  private var standing: [Inspection.Cycle] {
    CycleSearch.cycles(among: Array(byID.keys)) { next(of: $0) }.compactMap { cycle in
      guard cycle.allSatisfy({ stands($0) }) else { return nil }
      return Inspection.Cycle(isCertain: cycle.allSatisfy { waitsForTurn($0) }, threads: cycle.map { Int($0) })
    }
  }

  var cyclesByThreads: [[Int32]] { cycles.map { $0.threads.map { Int32($0) } } }

  /// Whether threads wait for one another.
  var hasDeadlock: Bool { !cycles.isEmpty }

  /// Whether there is more to say than that the library is there: a thread waits for something of its, or a queue that
  /// is not its own has something.
  var isTelling: Bool {
    let waits = threads.contains { thread in
      switch thread.wait {
      case .turn, .group, .semaphore: true
      case .mutex, .end, nil: false
      }
    }
    let queues = objects?.queues.values.map { $0 } ?? []
    return waits
      || queues.contains { queue in
        (queue.kind == .serial || queue.kind == .concurrent) && ((queue.pending ?? 1) > 0 || queue.isBusy)
      }
  }

  /// What is shown of it.
  ///
  /// - Parameter stacks: asked for the stacks of all threads.
  func inspection(stacks: @escaping Inspection.Stacks) -> Inspection {
    let parts = ToolchainParts(self, stacks), sources = objects?.sources.values.map { $0 } ?? []
    return Inspection(
      process: process.id, copy: library?.image.path ?? "", threads: threads.map { parts.thread($0) },
      queues: parts.queues, pools: parts.pools, timers: objects == nil ? nil : parts.armed(sources).count,
      armed: parts.timers(sources), monitored: parts.descriptors(sources),
      events: objects == nil ? nil : sources.filter { $0.kind == .signal }.count, cycles: cycles, unread: unread,
      source: process.source, lost: 0, usesSignalbox: false, notes: parts.notes)
  }
}
