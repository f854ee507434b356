// Inspection+Making.swift: what is shown of a process, made of what was read of it (RemoteInspection.swift).
import SignalboxSystem
import SignalboxView
import SignalboxWords

extension Inspection {
  /// The stack of a thread, the innermost return address first, and why it is missing or ends early; nil: not known.
  typealias Stacks = (_ thread: Int32) -> (addresses: [ReadNumber], gap: String?)?

  /// - Parameter stacks: asked for the stacks of threads that are in no wait of Signalbox's.
  init(_ remote: RemoteInspection, stacks: Stacks? = nil) {
    let maker = InspectionMaker(remote, stacks)
    let threads = remote.threads.map { maker.thread($0) }
    self.init(
      process: remote.process.id, copy: remote.copy.image, threads: threads,
      queues: remote.queues.values.sorted { $0.address < $1.address }.map { maker.queue($0) },
      pools: remote.pools.pools.map { maker.pool($0) }, timers: remote.events.count.map { Int(clamping: $0) },
      armed: remote.events.timers.map { maker.timer($0) },
      monitored: remote.events.descriptors.map {
        Descriptor(number: Int($0.number), direction: $0.isWritable ? "writable" : "readable", label: $0.label)
      },
      events: remote.events.others.map { Int(clamping: $0) },
      cycles: remote.cycles.map { Cycle(isCertain: $0.isCertain, threads: $0.threads.map { Int($0) }) },
      unread: remote.unread,
      source: remote.process.source, lost: remote.lost)
  }
}

/// Makes the parts of an inspection.
private struct InspectionMaker {
  private let remote: RemoteInspection
  private let names: NameReader
  private let stacks: Inspection.Stacks?

  init(_ remote: RemoteInspection, _ stacks: Inspection.Stacks?) {
    (self.remote, self.stacks, names) = (remote, stacks, NameReader(remote.copy.reading))
  }

  func thread(_ thread: RemoteThread) -> Inspection.Thread {
    var made = Inspection.Thread(
      id: Int(thread.seen.id), name: thread.seen.name, state: Inspection.word(ofState: thread.seen.state),
      isMain: thread.seen.id == remote.process.id, isOwn: thread.isOwn,
      inside: thread.frames.map { (Self.address($0.object), $0.kind.isDrain) },
      runs: thread.item.map { ($0.kind, places($0), remote.age(since: thread.itemSince).flatMap { $0 >= 1 ? $0 : nil }) },
      wait: thread.wait.map { wait($0) } ?? thread.mutex.map { wait($0) },
      call: thread.call.map { $0.name ?? "system call \($0.number)" }, stack: [], isUnread: thread.isUnread)
    // A return address lies behind its call.
    made.stack = thread.wait?.stack.map { place(ReadNumber(UInt64($0)) - 1) } ?? []
    // What only a thread itself could say, a thread of the diagnosis is not asked.
    if made.stack.isEmpty, !made.isOwn || remote.process.source == "core", let found = stacks?(thread.seen.id) {
      made.stack = found.addresses.map { place($0 - 1) }
      made.stackEnd = found.gap
    }
    return made
  }

  private func wait(_ wait: WaitView) -> Inspection.Wait {
    Inspection.Wait(
      kind: wait.kind.noun, object: Self.address(wait.object), name: names.name(of: UInt64(wait.object)),
      seconds: remote.now.map { (ReadNumber($0) - ReadNumber(wait.since)).double / 1e9 }, isLimited: wait.isTimed,
      because: wait.end.word, holders: wait.end.threads.map { Int($0) })
  }

  private func wait(_ mutex: ForeignMutex) -> Inspection.Wait {
    Inspection.Wait(
      kind: WaitKind.foreignMutex.noun, object: Self.address(mutex.address), isLimited: false, because: "held",
      holders: [Int(mutex.owner)])
  }

  func queue(_ queue: QueueView) -> Inspection.Queue {
    Inspection.Queue(
      address: queue.address.hexadecimal, label: queue.label, kind: queue.kindWord, qos: queue.given.name,
      pending: queue.pending?.int(upTo: .max) ?? 0, isCounted: queue.pending != nil,
      done: queue.done?.int(upTo: .max) ?? 0, knowsDone: queue.done != nil, owner: queue.owner.map { Int($0) },
      running: queue.running.int(upTo: .max), limit: queue.limit.int(upTo: .max), suspended: queue.suspended.int(upTo: .max),
      isInactive: queue.isInactive, target: queue.target == 0 ? nil : queue.target.hexadecimal,
      urgent: queue.urgency.map { ($0.given.name, $0.behind) }, next: queue.next.map { ($0.kind, places($0)) },
      p50: waited(50, queue), p95: waited(95, queue), oldest: oldest(queue),
      waited: queue.waits.isEmpty ? nil : remote.secondsPerTick.map { (queue.waits, $0) })
  }

  /// How long sampled items have waited at most: `percent` of a hundred.
  private func waited(_ percent: UInt64, _ queue: QueueView) -> Double? {
    guard let tick = remote.secondsPerTick, let ticks = WaitBucket.time(of: percent, in: queue.waits) else { return nil }
    return Double(ticks) * tick
  }

  /// For how long the oldest that is pending still has waited.
  private func oldest(_ queue: QueueView) -> Double? {
    guard let pending = queue.pending, pending > 0, let done = queue.done,
      let oldest = remote.age(since: remote.histories[queue.figures]?.since(taken: done.bits)), oldest > 0
    else { return nil }
    return oldest
  }

  func pool(_ pool: PoolView) -> Inspection.Pool {
    func count(_ field: Field) -> Int { Int(clamping: pool.state[field]) }
    return Inspection.Pool(
      name: pool.name, threads: count(PoolState.total), running: count(PoolState.running), idle: count(PoolState.idle),
      limit: Int(clamping: pool.limit),
      workers: Dictionary(pool.workers.map { (Int($0.thread), $0.word) }, uniquingKeysWith: { $1 }),
      // A damaged dump may count any number.
      beginning: Int(min(pool.beginning ?? 0, 1_000)))
  }

  func timer(_ timer: RemoteEvents.Timer) -> Inspection.Timer {
    var kind = "timer", function: [Inspection.Place] = [], job: UInt64 = 0
    switch timer.timer.task {
    case .source: kind = "timer source"
    case .item(let item): (kind, function, job) = ("asyncAfter", item.map { places($0) } ?? [], item?.job ?? 0)
    case .unknown: break
    }
    let queue = timer.timer.queue
    return Inspection.Timer(
      kind: kind, due: timer.due, queue: queue == 0 ? "" : ReadNumber(queue).hexadecimal, function: function, job: job)
  }

  private func places(_ item: RunningItem) -> [Inspection.Place] { item.places.map { place(ReadNumber(UInt64($0))) } }

  private func place(_ address: ReadNumber) -> Inspection.Place { Inspection.place(address, in: remote.process.images) }

  private static func address(_ address: UInt) -> String { ReadNumber(UInt64(address)).hexadecimal }

}

extension Inspection {
  /// What lies at an address.
  static func place(_ address: ReadNumber, in images: ReadImages) -> Place {
    guard let image = images.image(at: address) else { return Place(image: nil, offset: address) }
    return Place(image: image.path, offset: address - image.base)
  }

  /// What the kernel's letter says.
  static func word(ofState state: Character?) -> String {
    switch state {
    case "R": "runs"
    case "S": "sleeps"
    case "D": "sleeps in the kernel"
    case "T", "t": "is stopped"
    case "Z", "X": "has ended"
    case let state?: "\(state)"
    case nil: ""
    }
  }
}

extension RemoteInspection {
  /// How many seconds have gone by: up to now, or to the last sample of a process that has ended.
  fileprivate func age(since: UInt64?) -> Double? {
    since.map { (ReadNumber(now ?? samples.last) - ReadNumber($0)).double / 1e9 }
  }

  /// How many pieces of a core dump make no sense. Of a running process they may have changed while they were read.
  fileprivate var lost: Int {
    guard process.source == "core" else { return 0 }
    return unreadQueues + brokenLists + pools.unread + threads.filter(\.isBroken).count + events.lost
  }

  fileprivate var unread: [String] {
    var found = process.unread
    let moving = threads.filter(\.isUnread).count
    if moving > 0 { found.append("the waits of \(moving) threads, which began and ended while they were read") }
    let queues = copy.hasRegister ? [] : ["queues in which no thread is", "the items in queues"]
    let lacking = queues + events.lacking
    if !lacking.isEmpty {
      found.append("\(lacking.joined(separator: ", ")): the version of Signalbox in \(copy.image) does not say where these are")
    }
    found += events.unread
    if !pools.isDescribed { found.append("the pool: none was made") }
    if pools.lacksWorkers { found.append("the pool's workers, which this process cannot describe") }
    if pools.unread > 0 { found.append("\(pools.unread) pools, whose memory is not there") }
    if !samples.isThere {
      found.append(
        "for how long items run, and the oldest wait in queues: a process that is started with SIGNALBOX_INSPECT=1 notes that")
    }
    if unreadQueues > 0 { found.append("\(unreadQueues) queues or more, whose memory is not there") }
    if process.source == "core" {
      let broken = threads.filter(\.isBroken).count
      if broken > 0 { found.append("the waits or frames of \(broken) thread\(broken == 1 ? "" : "s"), which are damaged") }
      if brokenLists > 0 {
        found.append("the items of \(brokenLists) queue\(brokenLists == 1 ? "" : "s"), whose lists are damaged")
      }
    }
    if !others.isEmpty { found.append("another version of Signalbox, in \(others.joined(separator: ", "))") }
    if copy[.queueState] == 0 { found.append("the queues: none was made") }
    return found
  }
}
