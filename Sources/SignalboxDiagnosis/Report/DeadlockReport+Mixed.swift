// DeadlockReport+Mixed.swift: reports of cycles that no wait of Signalbox's closes: that the monitor found, some of
// whose threads may sleep in the C library. Also of things that wait for one another while no thread waits for them.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension DeadlockReport {
  /// The report of a cycle that was seen unchanged in two scans.
  init(_ cycle: MixedCycle) {
    let now = Clock.uptime()
    // A thread that sleeps in the C library may have gone on since, and let others go on.
    let look: Look = cycle.isMixed ? .byCopy : .inPlace
    var participants = cycle.participants.map { Participant($0, now: now, look) }
    for index in participants.indices {
      let before = cycle.participants[(index + participants.count - 1) % participants.count]
      participants[index].acquired = before.acquisition(by: cycle.participants[index])
    }
    let hint = Self.hint(participants.map(\.wants.kind))
    if cycle.isMixed {
      self.init(suspected: participants, hint: hint)
    } else {
      self.init(.ownersLater, participants: participants, hint: hint)
    }
  }
}

extension DeadlockReport.Participant {
  fileprivate init(_ part: MixedCycle.Participant, now: UInt64, _ look: Look) {
    let record = Record(of: part.owner)
    let isRecorded = part.sequence != nil
    self.init(
      threadID: UInt64(part.thread), threadName: KernelThread.name(UInt64(part.thread)) ?? "?",
      wants: isRecorded
        ? record.object(part.kind, at: part.object, look)
        : .init(
          kind: part.kind, address: part.object, name: ObjectNaming.name(part.kind, part.object, look),
          description: ObjectNaming.description(part.kind, part.object, nil, look)), detail: nil,
      seconds: part.since == 0 ? 0 : Double(now &- min(now, part.since)) / 1e9,
      frames: isRecorded ? record.frameNames(look) : ThreadTable.entry(thread: part.thread)?.frameNames(look) ?? [],
      item: .init(of: ThreadTable.entry(thread: part.thread), look), task: .init(on: ThreadTable.entry(thread: part.thread)),
      queue: isRecorded ? record.queueLabel(look) : ThreadTable.entry(thread: part.thread)?.queueLabel(look),
      stack: isRecorded ? record.stackAddresses : ThreadStack.capture(part.thread) ?? [], acquired: nil)
  }
}

extension MixedCycle.Participant {
  /// Where the thread that this one waits for took what this one wants; nil if no notes were taken.
  fileprivate func acquisition(by holder: MixedCycle.Participant) -> [UInt]? {
    guard sequence != nil, holder.owner != 0 else { return nil }
    return HeldLocks.acquisition(of: word, by: holder.owner)
  }
}

extension Record {
  /// What the thread waits for, which lies at `address`: the record may be another wait's by now.
  func object(_ kind: WaitKind, at address: UInt, _ look: Look) -> DeadlockReport.Object {
    let word = wordCount > 0 ? OwnerWord(bits: self[.words, 0]) : nil
    return .init(
      kind: kind, address: address, name: ObjectNaming.name(kind, address, look),
      description: ObjectNaming.description(kind, address, word, look))
  }
  /// What the thread is inside of, in words.
  func frameNames(_ look: Look) -> [String] { frames.map { ObjectNaming.name(of: $0, look) } }
  /// The label of the innermost queue whose items it takes.
  func queueLabel(_ look: Look) -> String? { ObjectNaming.drainedLabel(frames, look) }
  /// Where it waits.
  var stackAddresses: [UInt] { (0..<stackCount).map { UInt(self[.stack, $0]) } }
}

extension ThreadTable.Entry {
  /// What a thread is inside of that sleeps, but in no wait of Signalbox's: its frames stand still.
  fileprivate func frameNames(_ look: Look) -> [String] { frames.map { ObjectNaming.name(of: $0, look) } }
  fileprivate func queueLabel(_ look: Look) -> String? { ObjectNaming.drainedLabel(frames, look) }
}

// MARK: things that wait for one another: operations

extension Deadlock {
  /// Reports `ring`, whose things have each waited for the next to finish for `seconds`, unless it was reported. As suspected:
  /// code that can take a dependency away can open it.
  package static func tell(ring: [DeadlockReport.Object], seconds: Double, hint: String) {
    let signature = ring.reduce(UInt64(1)) { ($0 &* 0x9E37_79B9_7F4A_7C15) ^ UInt64($1.address) }
    guard policy != .ignore, hasRoom(isCertain: false), claim(signature | 1) else { return }
    var report = DeadlockReport(suspected: [], hint: hint)
    (report.ring, report.ringSeconds) = (ring, seconds)
    tell(report)
  }
}

extension DeadlockReport {
  var ringText: String {
    let noun = ring[0].kind.noun
    let time = ringSeconds == 0 ? "now" : "for \(ReportTimes.decimals(ringSeconds)) s now"
    let who = ring.count == 1 ? "an \(noun) waits for itself" : "\(ring.count) \(noun)s wait for one another"
    var lines = ["suspected deadlock: \(time) \(who)"]
    for index in ring.indices {
      lines.append("  \(ring[index].name) waits for \(ring[(index + 1) % ring.count].name)")
    }
    lines.append("  fix: \(hint)")
    return lines.joined(separator: "\n") + "\n"
  }
}
