// Stillness.swift: whether nothing is left in the program that could happen, although no thread is in a wait of
// Signalbox's: a loop that nothing comes to, a task whose continuation no code resumes. Waits that no thread is left to
// end are StallFinding.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWaits

extension WaitSnapshot {
  /// Whether no node that could do anything moves, nor will: nothing runs, lies queued, is armed or monitored. What
  /// sleeps in system calls is taken to sleep on; whether it can be woken from outside of the process is not asked
  /// here.
  package var isStill: Bool {
    guard nodes[.events] == nil else { return false }
    let stuck = Reduction.stuck(self, .staysAsleep)
    return nodes.values.allSatisfy { !$0.acts || stuck.contains($0.key) }
  }

  /// The threads that sleep in system calls.
  var sleepers: [WaitNode.Key] {
    nodes.values.filter { if case .asleep = $0.state { $0.key != .handlers } else { false } }.map(\.key)
  }
}

/// What is known of the program's stillness from one period of the stall detector to the next.
struct Stillness: Sendable {
  /// Which nodes stood still a period ago, and how.
  private var before: Set<Mark>?
  private var isTold = false

  private struct Mark: Hashable {
    var key: WaitNode.Key
    var stamp: UInt64
  }

  /// Checks whether the program is as still as a period ago. Returns the snapshot if it is, and that was not reported.
  ///
  /// It is reported once in the life of the process: should something come after all, it comes by a way that cannot be seen.
  mutating func scan(_ taker: inout SnapshotTaker) -> WaitSnapshot? {
    guard !isTold, let snapshot = Self.still(&taker) else {
      before = nil
      return nil
    }
    let marks = Set(snapshot.nodes.values.filter(\.acts).map { Mark(key: $0.key, stamp: $0.stamp) })
    defer { before = marks }
    return marks == before ? snapshot : nil
  }

  mutating func wasTold() { isTold = true }

  private static func still(_ taker: inout SnapshotTaker) -> WaitSnapshot? {
    // What costs least comes first: this is asked in every period of a program that is well.
    guard !Layers.contains({ !$0.armed().isEmpty }), !somebodyWaits, taker.allSleep() else { return nil }
    let earlier = taker.take()
    let snapshot = taker.take().standing(since: earlier)
    // A cycle is reported as such.
    guard snapshot.isStill, MixedWalk.cycles(from: taker.sleepersElsewhere).isEmpty,
      snapshot.sleepers.allSatisfy({ InnerSleep.holds($0.number) })
    else { return nil }
    return snapshot
  }

  /// Whether any thread is in a wait of Signalbox's: with a limit that wait ends, without one it is a matter of the
  /// stall detector.
  private static var somebodyWaits: Bool { (0...WaitRecord.highest).contains { Record(slot: $0)[.what] != 0 } }
}

extension SnapshotTaker {
  /// The threads of the program that wait without limit in futexes which are not Signalbox's.
  var sleepersElsewhere: [Int32] {
    let own = bystanders.union(OwnThreads.all).union([ThreadSlot.kernelID()])
    return KernelThread.all().filter { thread in
      guard !own.contains(thread), KernelThread.sample(UInt64(thread))?.isWaiting == true else { return false }
      if let entry = ThreadTable.entry(thread: thread), WaitRecord.isWaiting(entry.owner) { return false }
      return InnerSleep.isInFutex(thread)
    }
  }

  /// Whether every thread sleeps, but for those of the detector itself.
  func allSleep() -> Bool {
    let own = bystanders.union(OwnThreads.all).union([ThreadSlot.kernelID()])
    return KernelThread.all().allSatisfy { thread in
      own.contains(thread) || KernelThread.sample(UInt64(thread)).map { $0.isWaiting || $0.hasEnded } == true
    }
  }
}

extension StallReport.Sleeper {
  /// The thread as it is now.
  fileprivate init(_ thread: Int32) {
    let call = KernelCall(of: thread)
    self.init(
      threadID: UInt64(thread), threadName: KernelThread.name(UInt64(thread)) ?? "?", stack: ThreadStack.capture(thread) ?? [],
      task: .init(on: ThreadTable.entry(thread: thread)),
      deed: InnerSleep.isInFutex(thread)
        ? "waits for a lock or condition of the C library" : call.map { "sleeps in \($0.title)" } ?? "sleeps")
  }
}

extension StallReport {
  /// How to fix it, by what is known of Foundation's operations.
  private static func hint(of operations: (lines: [String], isCycle: Bool)?) -> String {
    guard let operations, !operations.lines.isEmpty else {
      return
        "make sure that whatever the program waits for happens (a continuation is resumed, a handler called), or end it with exit()"
    }
    return operations.isCycle
      ? "take one of the dependencies away" : "add the operation to a queue, or start it, before a thread waits for it"
  }

  /// The report of a program in which nothing can happen any more.
  init(still snapshot: WaitSnapshot, seconds: Double) {
    let titles = ReportTitles(snapshot: snapshot)
    (certainty, cause, participants, objects, omitted) = (.suspected, .still, [], [], 0)
    mayStillEnd = snapshot.nodes[.handlers] == nil ? [] : titles.sleepers(.handlers)
    summary =
      "suspected deadlock: for \(ReportTimes.decimals(seconds)) s now nothing can happen any more: no thread runs, nothing is "
      + "queued, no timer is armed, no descriptor is monitored"
    let threads = snapshot.sleepers.map(\.number).sorted()
    sleepers = threads.prefix(Self.limit).map(Sleeper.init)
    let operations = FoundationOperations.known?.lines(threads.filter(InnerSleep.isInFutex).compactMap { KernelCall(of: $0) })
    self.operations = operations?.lines.map { "  " + $0 } ?? []
    let found = StalledTasks()
    (tasks, taskCycles) = (found.rows, found.cycles)
    hint = operations?.lines.isEmpty == false ? Self.hint(of: operations) : found.hint ?? Self.hint(of: nil)
    guard let last = Layers.first({ $0.lastItem() }) else { return }
    self.last = DeadlockReport.Item(kind: last.item.kind, function: last.item.function)
    lastSeconds = Double(Clock.uptime() &- last.since) / 1e9
  }
}
