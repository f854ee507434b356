// Watch.swift: `signalbox watch`: reads a process again and again, until it hangs or ends. Movement knows whether a
// thread has run; Inspection, what threads wait for; TaskFindings, what tasks do for too long.
import SignalboxSystem
import SignalboxView

/// Reads one process.
public struct Watch {
  /// How it ended.
  public enum Ending: Sendable {
    /// The process hangs: why, in a sentence, and what it does.
    case hangs(String, [Inspection])
    /// The process has ended: the sentence that says so.
    case ended(String)
  }

  private let options: WatchOptions
  private let process: InspectedProcess

  /// How long a process may take to answer, and how far two readings are apart at least, in nanoseconds.
  private static let patience: UInt64 = 2_000_000_000, pause: UInt64 = 1_000_000_000
  /// A reading takes a tenth of the time at most.
  private static let share: UInt64 = 10

  /// Finds the process.
  public init(_ options: WatchOptions) throws(InspectRefusal) {
    self.options = options
    process = try InspectedProcess(options.process, patience: Self.patience)
  }

  /// The process.
  public var watched: OtherProcess { process.process }

  /// Reads it until it hangs or ends.
  ///
  /// - Parameter report: called with what its tasks do for too long, as soon as that is found.
  public func run(_ report: (WatchFinding) -> Void = { _ in }) throws(InspectRefusal) -> Ending {
    var isFirst = true, suspected: [[Int]] = [], movement = Movement(), helpers: Set<Int> = []
    var findings = TaskFindings(options.tasks)
    while true {
      let begun = Clock.uptime()
      movement.read(process.process.id, without: helpers, begun)
      let inspections: [Inspection]
      do { inspections = try process.inspect() } catch {
        guard !isFirst, error.kind == .noProcess else { throw error }
        return .ended(error.message)
      }
      isFirst = false
      helpers = Set(inspections.flatMap(\.threads).filter(\.isHelper).map(\.id))
      let cycles = inspections.flatMap(\.cycles)
      // A cycle that is only suspected has to stand in two readings.
      if let cycle = cycles.first(where: { $0.isCertain || suspected.contains($0.threads) }) {
        let many =
          cycle.threads.count == 1 ? "a thread waits for itself" : "\(cycle.threads.count) threads wait for one another"
        return .hangs((cycle.isCertain ? "deadlock: " : "suspected deadlock: ") + many, inspections)
      }
      if let cycle = inspections.flatMap(\.tasks.cycles).first {
        let many = cycle.count == 1 ? "a task waits for its own end" : "\(cycle.count) tasks wait for one another"
        return .hangs("deadlock: " + many, inspections)
      }
      suspected = cycles.map(\.threads)
      // The first has the tasks.
      if let first = inspections.first { WatchFinding.make(findings.read(first, at: begun), first).forEach(report) }
      let seconds = movement.seconds(at: begun)
      if seconds >= options.still, let reason = Stuck(inspections, asleep: Stuck.asleep(in: process.process.id)).reason {
        return .hangs("no thread has run for \(InspectionNames.time(seconds)), and \(reason)", inspections)
      }
      let end = Clock.uptime()
      rest(until: max(begun &+ Self.pause, end &+ (end - begun) * (Self.share - 1)))
    }
  }

  private func rest(until deadline: UInt64) {
    let pause = Atomic32(0)
    // No thread wakes it: the time ends it.
    while Clock.uptime() < deadline { pause.park(expected: 0, deadline: .uptime(deadline)) }
  }
}

extension Inspection.Thread {
  /// Signalbox's own threads that run none of the program's code, and the manager of the toolchain's library, which
  /// counts once a second how many of its threads run.
  private static let helpers = Set(
    ["event", "pool", "alarm", "main", "maker", "stall", "cycle", "asked", "names", "tasks"].map { "signalbox." + $0 } + [
      ToolchainParts.manager
    ])

  /// Whether it is such a thread, which may run though the program does nothing.
  fileprivate var isHelper: Bool { isOwn || Self.helpers.contains(name) }
}

/// For how long no thread of a process has run.
struct Movement {
  private struct Thread: Hashable {
    let id: Int32, switches: UInt64?
  }
  private var threads: Set<Thread> = []
  /// Since when they are the same.
  private var since: UInt64 = 0

  /// Reads how often the kernel has switched each thread.
  ///
  /// - Parameters:
  ///   - helpers: threads that do not count.
  ///   - now: uptime in nanoseconds.
  mutating func read(_ process: Int32, without helpers: Set<Int> = [], _ now: UInt64) {
    let seen = OtherThread.all(of: process).filter { !helpers.contains(Int($0.innerID)) }
    let counted = Set(seen.map { Thread(id: $0.id, switches: KernelThread.switches($0.id, ofProcess: process)) })
    // A thread that runs without a break is not switched; where the kernel does not count, nothing is known.
    let mayHaveRun = seen.contains { $0.state == "R" } || counted.contains { $0.switches == nil }
    if mayHaveRun || counted != threads { since = now }
    threads = counted
  }

  func seconds(at now: UInt64) -> Double { Double(now - min(since, now)) / 1e9 }
}

/// Why a process hangs in which no thread runs.
struct Stuck {
  /// In a part of a sentence; nil: it may just have nothing to do.
  let reason: String?

  /// - Parameter asleep: the threads whose sleep nothing from outside ends, nor a time.
  init(_ inspections: [Inspection], asleep: Set<Int>) {
    let threads = inspections.flatMap(\.threads).filter { !$0.isHelper }
    let waits = Dictionary(
      threads.compactMap { thread in thread.wait.map { (thread.id, $0) } }, uniquingKeysWith: { first, _ in first })
    // What a helper waits for the program's timers, descriptors and signals tell.
    let isOver =
      threads.allSatisfy { asleep.contains($0.id) }
      && inspections.allSatisfy { $0.armed.isEmpty && $0.monitored.isEmpty && ($0.timers ?? 0) == 0 && ($0.events ?? 0) == 0 }

    let idle = isOver ? Set(threads.map(\.id)) : Self.keptAsleep(threads.map(\.id), waits, asleep: asleep)
    let kept = waits.filter {
      $0.value.because != "anyone" && $0.value.because != Inspection.Wait.goesOn && idle.contains($0.key)
    }.count
    let queues = inspections.flatMap(\.queues).filter { queue in
      queue.pending > 0 && queue.suspended == 0 && !queue.isInactive && queue.owner.map { idle.contains($0) } ?? isOver
    }
    if kept > 0 {
      reason = kept == 1 ? "a thread waits for a lock or a queue" : "\(kept) threads wait for locks or queues"
    } else if let queue = queues.max(by: { ($0.pending, $1.label) < ($1.pending, $0.label) }) {
      reason = "\(queue.pending) \(queue.pending == 1 ? "item lies" : "items lie") in \(queue.title)"
    } else if isOver, let tasks = Self.suspended(inspections) {
      reason = tasks + ", and nothing is left that could resume \(tasks.hasPrefix("a ") ? "it" : "them")"
    } else if isOver, waits.contains(where: { !$0.value.isLimited }) {
      reason = "no thread can run any more: each sleeps until another one wakes it"
    } else {
      reason = nil
    }
  }

  /// How many tasks wait for others or for continuations; nil: none does.
  private static func suspended(_ inspections: [Inspection]) -> String? {
    let count = inspections.flatMap(\.tasks.all).filter { $0.stateWord == "suspended" }.count
    return count == 0 ? nil : count == 1 ? "a task waits" : "\(count) tasks wait"
  }

  /// The threads that do not go on: of those that sleep for good, or wait without limit, each whose holders do not
  /// either.
  private static func keptAsleep(_ threads: [Int], _ waits: [Int: Inspection.Wait], asleep: Set<Int>) -> Set<Int> {
    var found = Set(
      threads.filter { thread in
        guard let wait = waits[thread] else { return asleep.contains(thread) }
        return !wait.isLimited && wait.because != "over" && !wait.holders.isEmpty
      })
    var isStable = false
    while !isStable {
      let left = found.filter { waits[$0]?.holders.allSatisfy(found.contains) ?? true }
      isStable = left.count == found.count
      found = left
    }
    return found
  }

  /// The threads of a process whose sleep nothing ends but another of its threads, or a signal; by the numbers that the
  /// process knows.
  static func asleep(in process: Int32) -> Set<Int> {
    let memory = OtherMemory(of: process)
    let found = OtherThread.all(of: process).filter { thread in
      guard let call = KernelCall(of: thread.id, process: process) else { return false }
      return InnerSleep.holds(call, inProcess: process) { address in
        var word: UInt32 = 0
        let isRead: Void? = try? withUnsafeMutableBytes(of: &word) { try memory.read(address, into: $0) }
        return isRead == nil ? nil : word
      }
    }
    return Set(found.map { Int($0.innerID) })
  }
}
