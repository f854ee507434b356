// RemoteInspection.swift: one reading of a process: its threads, and cycles that a second reading finds the same. How a
// thread is read is RemoteThreads.swift; what is shown of it, Inspection+Making.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// One copy of Signalbox in a process, read.
struct RemoteInspection {
  let process: any ReadProcess
  let copy: DescribedCopy
  /// Programs and libraries with a copy of another version.
  let others: [String]
  let threads: [RemoteThread]
  /// By their addresses.
  let queues: [ReadNumber: QueueView]
  /// How many of the register could not be read; and of how many the list of items leads nowhere.
  let unreadQueues: Int, brokenLists: Int
  /// The threads of the pools.
  let pools: PoolsView
  let events: RemoteEvents
  private(set) var cycles: [(isCertain: Bool, threads: [Int32])] = []
  private let reader: RemoteThreadReader
  private let byID: [Int32: RemoteThread]
  let now: UInt64?
  /// What the process notes of itself once a second.
  let samples: SampleReader
  /// What it has noted of queues, by the addresses of their figures.
  let histories: [UInt64: PendingHistory]
  /// How long a tick of the processor's counter lasts; nil: not known.
  let secondsPerTick: Double?

  /// Reads all copies in a process.
  ///
  /// - Throws: that there is none, or none that is read here.
  static func all(in process: any ReadProcess, _ subject: String) throws(InspectRefusal) -> [RemoteInspection] {
    let findings = DescribedCopy.find(in: process)
    if findings.copies.contains(where: \.isForkedChild) {
      throw InspectRefusal(
        .notPrepared, "\(subject) is the child of a fork, of which nothing is known until it becomes another program")
    }
    if !findings.copies.isEmpty {
      return findings.copies.map { RemoteInspection(process, $0, others: findings.others) }
    }
    if !process.unread.isEmpty {
      throw InspectRefusal(
        .badFile, "\(subject) cannot be read: what is needed is not there. Not read: \(process.unread.joined(separator: "; "))")
    }
    if let other = findings.others.first {
      throw InspectRefusal(
        .noAnswer, "\(subject) has another version of Signalbox, in \(other): use the command of that version")
    }
    if let unused = findings.unused.first {
      throw InspectRefusal(.notPrepared, "\(subject) has not used Signalbox yet, which is in \(unused)")
    }
    throw InspectRefusal(
      .foreign,
      "\(subject) does not use Signalbox, or a version from before processes could be read: link it, or start the program "
        + "with \"signalbox run -- PROGRAM\"")
  }

  private init(_ process: any ReadProcess, _ copy: DescribedCopy, others: [String]) {
    (self.process, self.copy, self.others) = (process, copy, others)
    // Waits are younger than what is read after it.
    let slots = copy.slots, seen = process.threads()
    let own = Set((copy.memory.bytes(copy[.ownThreads], 32) ?? []).numbers)
    let places = Dictionary(slots.map { ($0.thread, $0) }, uniquingKeysWith: { $1 })
    now = process.now
    samples = SampleReader(copy.reading)
    reader = RemoteThreadReader(
      process: process, copy: copy, slots: SlotsView(copy: copy, process: process.id, all: slots), ids: Set(seen.map(\.id)),
      samples: samples)
    threads = seen.map { [reader] seen in
      let thread = RemoteThread(seen: seen, slot: places[seen.id], isOwn: own.contains(seen.id))
      return thread.isOwn ? thread : reader.read(thread)
    }
    byID = Dictionary(threads.map { ($0.seen.id, $0) }, uniquingKeysWith: { first, _ in first })
    let register = RegisterView(copy)
    pools = PoolsView(copy)
    queues = pools.filled(QueueItemsView(copy).described(Self.merged(threads.flatMap(\.queues), register.queues)))
    (unreadQueues, brokenLists) = (register.unread, register.brokenLists + pools.brokenLists)
    // Behind the queues: what is noted later says nothing false of them.
    histories = samples.queues
    secondsPerTick = FiguresReader(copy.reading).secondsPerTick(
      now: process.ticks.flatMap { ticks in process.now.map { (ticks: ticks, uptime: $0) } })
    events = RemoteEvents(copy, process)
    cycles = standing
  }

  /// Queues by their addresses. Of one that a thread names what was read with the thread counts, but for the items, which were not.
  private static func merged(_ named: [QueueView], _ registered: [QueueView]) -> [ReadNumber: QueueView] {
    var all = Dictionary(registered.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<ReadNumber> = []
    for var queue in named where seen.insert(queue.address).inserted {
      if let registered = all[queue.address] {
        (queue.pending, queue.done, queue.place) = (registered.pending, registered.done, registered.place)
        (queue.figures, queue.waits) = (registered.figures, registered.waits)
      }
      all[queue.address] = queue
    }
    return all
  }

  // MARK: cycles

  /// The threads for which one waits without limit.
  func next(of id: Int32) -> [Int32] {
    guard let thread = byID[id] else { return [] }
    if let wait = thread.wait { return wait.isTimed ? [] : wait.end.threads }
    return thread.mutex.map { [$0.owner] } ?? []
  }

  /// Whether a second reading finds a thread's wait the same. A record whose sequence stands belongs to one wait, and a
  /// thread that was not put aside has slept.
  func stands(_ id: Int32) -> Bool { byID[id].map { reader.stillStands($0) } ?? false }

  /// Whether it waits for something of Signalbox's.
  func waitsForOwn(_ id: Int32) -> Bool { byID[id]?.wait != nil }

  /// The cycles that a second reading finds the same: so there is a moment between the readings at which each waited
  /// for the next.
  private var standing: [(isCertain: Bool, threads: [Int32])] {
    CycleSearch.cycles(among: Array(byID.keys)) { next(of: $0) }.compactMap { cycle in
      cycle.allSatisfy { stands($0) } ? (cycle.allSatisfy { waitsForOwn($0) }, cycle) : nil
    }
  }
}

extension Array<UInt8> {
  /// Numbers of 32 bits, without zeros.
  fileprivate var numbers: [Int32] {
    stride(from: 0, to: count - 3, by: 4).map { word32(at: $0).lowest(Int32.self) }.filter { $0 != 0 }
  }
}
