// DeadlockReport+Make.swift: from a chain of records to the report: names, frames, stacks, and the hint.
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

extension DeadlockReport {
  /// The report of a cycle whose threads stand still.
  init(_ cycle: WaitCycle, now: UInt64 = Clock.uptime()) {
    var participants: [Participant] = []
    for index in 0..<cycle.count { participants.append(Participant(cycle.steps[index], now: now)) }
    for index in participants.indices {
      let before = cycle.steps[(index + participants.count - 1) % participants.count]
      participants[index].acquired = HeldLocks.acquisition(of: before.word.address, by: cycle.steps[index].owner)
    }
    self.init(.owners, participants: participants, hint: Self.hint(participants.map(\.wants.kind)))
  }

  /// The report of the calling thread, which asks for what it holds: as notes of acquisitions have it, at `held`.
  init(
    selfWait kind: WaitKind, _ basis: CertaintyBasis, object: UInt, held: UInt, detail: String?, holds: Object?, hint: String
  ) {
    let owner = ThreadSlot.owner()
    // Where the wait has begun already, it has its record, and lasts since then.
    let since = WaitRecord.isWaiting(owner) ? Record(of: owner)[.since] : Clock.uptime()
    WaitRecord.publish(kind, object: object, isTimed: false, .init(), since: since)
    var step = WaitStep()
    step.owner = owner
    var participant = Participant(step, now: Clock.uptime())
    participant.detail = detail
    participant.holds = holds
    participant.acquired = HeldLocks.acquisition(of: held, by: owner)
    self.init(basis, participants: [participant], hint: hint)
  }

  /// What mends a cycle through things of these kinds.
  static func hint(_ kinds: [WaitKind]) -> String {
    if kinds.contains(.operation) {
      return "make what follows an operation that depends on the other, or a completion block, instead of waiting"
    }
    let queues: Set<WaitKind> = [.sync, .barrierSync, .asyncAndWait, .workItem]
    if kinds.contains(.once) {
      return "what runs once must not wait for a thread that may ask for the same once; wait before or after it"
    }
    if kinds.contains(.apply) {
      return "while the loop runs, hold nothing that its iterations need; release it before, or take it only inside of them"
    }
    if kinds.allSatisfy(queues.contains) {
      return "make one of the calls async, or let no item wait for a queue whose items wait for it"
    }
    if kinds.contains(where: queues.contains) {
      return "hold no lock while waiting for a queue whose items take it; make the call async, or release the lock first"
    }
    return "take the locks in the same order everywhere, or take the second with tryLock and release the first if that fails"
  }
}

extension DeadlockReport.Participant {
  init(_ step: WaitStep, now: UInt64) {
    let record = Record(of: step.owner)
    let kind = record.kind
    let tid = record[.tid]
    self.init(
      threadID: tid, threadName: KernelThread.name(tid) ?? "?",
      wants: record.object(kind, at: UInt(record[.object]), .inPlace), detail: nil,
      seconds: Double(now &- min(now, record[.since])) / 1e9,
      frames: record.frameNames(.inPlace), item: .init(ofOwner: step.owner),
      task: .init(on: ThreadTable.entry(owner: step.owner)), queue: record.queueLabel(.inPlace),
      stack: record.stackAddresses,
      acquired: nil)
    let word = step.word
    if step.throughHolder {
      detail = kind == .apply ? "whose iterations must end first" : "whose readers must come out first"
      link = kind == .apply ? .runsIteration : .isInside
    } else if step.way.hops > 0, word.reading == .mainThread {
      detail = "whose items run on the main thread"
      link = .isMainThread
    } else if step.way.hops > 0 {
      detail = "whose turn depends on \(ObjectNaming.name(kind, word.address))"
    }
  }
}

extension DeadlockReport.Item {
  /// The item that the thread `owner` runs.
  init?(ofOwner owner: UInt64, _ look: Look = .inPlace) { self.init(of: ThreadTable.entry(owner: owner), look) }

  /// The item that the thread `entry` runs.
  init?(of entry: ThreadTable.Entry?, _ look: Look = .inPlace) {
    guard let item = entry.flatMap({ RunningItem.current($0, mayMove: look == .byCopy) }) else { return nil }
    self.init(item)
  }

  /// An item of the engine's, under way or not.
  init(_ item: RunningItem) { self.init(kind: item.kind, function: item.function, inner: item.inner) }

  /// What stands for its functions among return addresses: behind their first instructions' starts. Words that are no address are
  /// left out.
  var places: [UInt] { ([function] + inner).filter { CodeAddress.mayBe(UInt64($0)) }.map { $0 + 1 } }
}

extension ReportSymbols {
  /// Those of a report.
  init(_ report: DeadlockReport) { self.init(report.participants.flatMap(\.addresses)) }

  /// The function of an item, in words; nil if it is not known. `stack` is that of the thread that runs it; none for one that has not
  /// begun.
  func function(of item: DeadlockReport.Item, on stack: [UInt] = []) -> String? {
    function(item.function, places: item.places, on: stack)
  }

  /// An item in words: its kind, and its function if that is known.
  func text(of item: DeadlockReport.Item, on stack: [UInt] = []) -> String {
    let kind = item.kind == RunningItem.jobOfActor ? actor(of: item, on: stack).map { "a job of actor \($0)" } : nil
    return (kind ?? item.kind) + (function(of: item, on: stack).map { ": \($0)" } ?? "")
  }

  /// The actor whose job the thread runs; nil if that is not known.
  private func actor(of item: DeadlockReport.Item, on stack: [UInt]) -> String? {
    item.places.first.flatMap { actor(ofJobAt: $0, on: stack) }
  }
}
