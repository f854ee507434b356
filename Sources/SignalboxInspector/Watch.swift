// Watch.swift: `signalbox watch`: reads a process again and again, until it hangs or ends. Movement knows whether a
// thread has run; Inspection, what threads wait for.
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
  public func run() throws(InspectRefusal) -> Ending {
    var isFirst = true, suspected: [[Int]] = [], movement = Movement()
    while true {
      let begun = Clock.uptime()
      movement.look(at: process.process.id, begun)
      let inspections: [Inspection]
      do { inspections = try process.inspect() } catch {
        guard !isFirst, error.kind == .noProcess else { throw error }
        return .ended(error.message)
      }
      isFirst = false
      let cycles = inspections.flatMap(\.cycles)
      // A cycle that is only suspected has to stand in two readings.
      if let cycle = cycles.first(where: { $0.isCertain || suspected.contains($0.threads) }) {
        let many =
          cycle.threads.count == 1 ? "a thread waits for itself" : "\(cycle.threads.count) threads wait for one another"
        return .hangs((cycle.isCertain ? "deadlock: " : "suspected deadlock: ") + many, inspections)
      }
      suspected = cycles.map(\.threads)
      let seconds = movement.seconds(at: begun)
      if seconds >= options.still, let reason = Stuck(inspections, process.process.id).reason {
        return .hangs("no thread has run for \(InspectionNames.time(seconds)), and \(reason)", inspections)
      }
      let end = Clock.uptime()
      rest(until: max(begun &+ Self.pause, end &+ (end - begun) * (Self.share - 1)))
    }
  }

  private func rest(until deadline: UInt64) {
    let pause = Atomic32(0)
    // Woken by nobody: the time ends it.
    while Clock.uptime() < deadline { pause.park(expected: 0, deadline: .uptime(deadline)) }
  }
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
  /// - Parameter now: uptime in nanoseconds.
  mutating func look(at process: Int32, _ now: UInt64) {
    let seen = OtherThread.all(of: process)
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

  /// - Parameter process: its number here.
  init(_ inspections: [Inspection], _ process: Int32) {
    let threads = inspections.flatMap(\.threads).filter { !$0.isOwn }
    let waits = threads.compactMap(\.wait).filter { !$0.isLimited && $0.because != "over" }
    let held = waits.filter { $0.because != "anyone" && $0.because != Inspection.Wait.goesOn }.count
    let queues = inspections.flatMap(\.queues).filter { $0.pending > 0 && $0.suspended == 0 && !$0.isInactive }
    if held > 0 {
      reason = held == 1 ? "a thread waits for a lock or a queue" : "\(held) threads wait for locks or queues"
    } else if let queue = queues.max(by: { ($0.pending, $1.label) < ($1.pending, $0.label) }) {
      reason = "\(queue.pending) \(queue.pending == 1 ? "item lies" : "items lie") in \(queue.title)"
    } else if !waits.isEmpty, Self.allSleepForGood(process) {
      reason = "no thread can run any more: each sleeps until another one wakes it"
    } else {
      reason = nil
    }
  }

  /// Whether no thread's sleep ends by a time, or by anything from outside but a signal.
  private static func allSleepForGood(_ process: Int32) -> Bool {
    let memory = OtherMemory(of: process)
    return OtherThread.all(of: process).allSatisfy { thread in
      guard let call = KernelCall(of: thread.id, process: process) else { return false }
      return InnerSleep.holds(call, inProcess: process) { address in
        var word: UInt32 = 0
        let isRead: Void? = try? withUnsafeMutableBytes(of: &word) { try memory.read(address, into: $0) }
        return isRead == nil ? nil : word
      }
    }
  }
}
