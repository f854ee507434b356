// EngineInspection.swift: what the engine shows to whoever inspects the process: queues, the pool's threads, armed timers. Who asks, and
// what may be waited for meanwhile, is SignalboxDiagnosis/Inspection.
//
// Queues are found by the list of those that are counted (QueueFigures), into which each comes when it is made. No reference to a queue is
// taken: its words are read under the lock that its end takes, so a queue is neither kept alive nor freed by being read.
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxView
import SignalboxWords

enum EngineInspection {
  static func add(to parts: inout InspectedParts) {
    if Instruments.isForkedChild { return }
    addQueues(to: &parts)
    addPools(to: &parts)
    addEvents(to: &parts)
  }

  /// How many armed timers are shown of each clock.
  private static let mostTimers = 1_000

  private static func addEvents(to parts: inout InspectedParts) {
    parts.armedTimers = ClockTimers.armedCountSoon
    if parts.armedTimers != nil, let timers = ClockTimers.armedSoon(most: mostTimers) {
      parts.timers = timers.map {
        InspectedTimer(
          kind: $0.source == 0 ? "asyncAfter" : "timer source", due: Double($0.due) / 1e9, queue: $0.queue,
          item: $0.source == 0 ? ItemReader.own.item($0.slot) : nil)
      }
    } else {
      parts.unread.append("the timers, which another thread keeps")
    }
    if let descriptors = DescriptorTable.shared.watchedSoon {
      parts.descriptors = descriptors.map {
        InspectedDescriptor(
          number: $0.descriptor, direction: $0.direction == .readable ? "readable" : "writable", label: $0.label ?? "")
      }
    } else {
      parts.unread.append("the descriptors that are monitored, whose list another thread keeps")
    }
    parts.events = EventThread.shared.watchedCount
  }

  /// Each thread that runs an item, and a number that changes from one item of the thread to its next: of the worker's count, which jobs and
  /// items of concurrent queues change, and of the counts of items taken off the queues that the thread has.
  static func forEachItem(_ body: (_ thread: Int32, _ item: UInt64) -> Void) {
    if Instruments.isForkedChild { return }
    var numbers: [Int32: UInt64] = [:]
    if Pools.isMade {
      for pool in Pools.all {
        for worker in pool.use({ $0.workersSoon }) ?? [] {
          // acquire, all: a moment's view. The number is read last: if it is still the same later, so was the item.
          let (thread, status) = (worker.threadID.loadAcquire(), worker.status.loadAcquire())
          guard thread != 0, status != Worker.Status.idle else { continue }
          // acquire: as above
          numbers[Int32(truncatingIfNeeded: thread)] = mixed(worker.progress.loadAcquire())
        }
      }
    }
    for queue in EngineFigures.countedSoon ?? [] {
      guard let turn = queue.turnSoon, let thread = ThreadTable.entry(owner: turn.owner)?.thread else { continue }
      numbers[thread, default: 0] ^= mixed(turn.done ^ UInt64(queue.address) << 16)
    }
    for (thread, number) in numbers { body(thread, number) }
  }

  /// Spreads a count over all bits, so that two that have changed are not taken for the same sum.
  private static func mixed(_ count: UInt64) -> UInt64 {
    var random = SmallRandom(seed: count)
    return random.next()
  }

  /// For how many queues the next item is shown.
  private static let mostDescribed = 50

  private static func addQueues(to parts: inout InspectedParts) {
    guard let all = EngineFigures.countedSoon else {
      return parts.unread.append("the queues, whose list another thread keeps")
    }
    let scale = EngineFigures.secondsPerTick
    var kept = 0, pending: [(place: Int, figures: QueueFigures)] = []
    for figures in all {
      guard let words = figures.wordsSoon else {
        kept += 1
        continue
      }
      if let words {
        if words.pending > 0 { pending.append((parts.queues.count, figures)) }
        parts.queues.append(InspectedQueue(figures, words, secondsPerTick: scale))
      }
      // Each of them costs 20 ms.
      if kept == 10 { break }
    }
    pending.sort { one, other in
      let (one, other) = (parts.queues[one.place], parts.queues[other.place])
      return (one.pending, one.done, other.label) > (other.pending, other.done, one.label)
    }
    for (place, figures) in pending.prefix(mostDescribed) { parts.queues[place].next = figures.firstItemsSoon(3) }
    if kept > 0 { parts.unread.append("\(kept) queues or more, which other threads keep") }
  }

  private static func addPools(to parts: inout InspectedParts) {
    guard Pools.isMade else { return }
    for (figure, pool) in zip(EngineFigures.pools(), Pools.all) {
      var shown = InspectedPool(
        name: figure.name, threads: figure.threads, running: figure.running, idle: figure.idle, limit: figure.limit)
      if let workers = pool.use({ $0.workersSoon }) {
        shown.workers = workers.map(state)
      } else {
        parts.unread.append("the threads of the pool \(figure.name), whose list another thread keeps")
      }
      parts.pools.append(shown)
    }
  }

  private static func state(of worker: Worker) -> (thread: Int32, state: String) {
    // acquire, both: pair with the worker's own stores; a moment's view
    let (thread, status) = (worker.threadID.loadAcquire(), worker.status.loadAcquire())
    let word = thread == 0 ? WorkerStatus.beginning : WorkerStatus.word(status) ?? ""
    return (Int32(truncatingIfNeeded: thread), word)
  }
}

extension InspectedQueue {
  init(_ figures: QueueFigures, _ words: QueueFigures.Words, secondsPerTick: Double) {
    self.init(address: figures.address, label: figures.label, kind: figures.kindWord, qos: "\(figures.qos)")
    let state = words.state
    (pending, done) = (words.pending, words.done)
    (running, limit, target) = (state[QueueState.width], words.limit, words.target)
    (suspended, isInactive) = (state[QueueState.suspendCount], state[QueueState.inactive] == 1)
    // The thread may have ended since, and its slot be another's: an owner value has a generation.
    owner = ThreadTable.entry(owner: state[QueueState.owner])?.thread ?? 0
    let counts = figures.waits.all
    if let half = WaitBucket.time(of: 50, in: counts), let most = WaitBucket.time(of: 95, in: counts) {
      waited = (Double(half) * secondsPerTick, Double(most) * secondsPerTick)
    }
    oldest = words.oldest.map { Double(Clock.uptime() &- $0) / 1e9 }
    urgent = words.urgency.map { (qos: $0.given.name, behind: $0.behind) }
  }
}

extension QueueFigures {
  fileprivate var kindWord: String {
    if isWorkloop { return "workloop" }
    return switch kind {
    case .serial: "serial"
    case .concurrent: "concurrent"
    case .global: "global"
    case .main: "main"
    case .runLoop: "run loop"
    }
  }
}
