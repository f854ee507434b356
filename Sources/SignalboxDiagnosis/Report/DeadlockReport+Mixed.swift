// DeadlockReport+Mixed.swift: the report of a cycle that the monitor found, some of whose threads may sleep in the C library.
import SignalboxSystem

extension DeadlockReport {
  /// The report of a cycle that was seen unchanged in two scans.
  init(_ cycle: MixedCycle) {
    let now = Clock.uptime()
    var participants = cycle.participants.map { Participant($0, now: now) }
    for index in participants.indices {
      let before = cycle.participants[(index + participants.count - 1) % participants.count]
      participants[index].acquired = before.acquisition(by: cycle.participants[index])
    }
    self.init(
      certainty: cycle.isMixed ? .suspected : .certain, participants: participants,
      hint: Self.hint(participants.map(\.wants.kind)))
  }
}

extension DeadlockReport.Participant {
  fileprivate init(_ part: MixedCycle.Participant, now: UInt64) {
    let record = Record(slot: part.owner & 0xFFFF)
    let isRecorded = part.sequence != nil
    self.init(
      threadID: UInt64(part.thread), threadName: KernelThread.name(UInt64(part.thread)) ?? "?",
      wants: isRecorded
        ? record.object(part.kind)
        : .init(kind: part.kind, address: part.object, name: ObjectNaming.name(part.kind, part.object)), detail: nil,
      seconds: part.since == 0 ? 0 : Double(now &- min(now, part.since)) / 1e9,
      frames: isRecorded ? record.frameNames : ThreadTable.entry(thread: part.thread)?.frameNames ?? [],
      item: .init(of: ThreadTable.entry(thread: part.thread)),
      queue: isRecorded ? record.queueLabel : ThreadTable.entry(thread: part.thread)?.queueLabel,
      stack: isRecorded ? record.stackAddresses : ThreadStack.capture(part.thread) ?? [], acquired: nil)
  }
}

extension MixedCycle.Participant {
  /// Where the thread that this one waits for took what this one wants; nil if nobody took notes.
  fileprivate func acquisition(by holder: MixedCycle.Participant) -> [UInt]? {
    guard sequence != nil, holder.owner != 0 else { return nil }
    return HeldLocks.acquisition(of: word, by: holder.owner)
  }
}

extension Record {
  /// What the thread waits for.
  func object(_ kind: WaitKind) -> DeadlockReport.Object {
    let address = UInt(self[.object]), word = wordCount > 0 ? OwnerWord(bits: self[.words, 0]) : nil
    return .init(
      kind: kind, address: address, name: ObjectNaming.name(kind, address),
      description: ObjectNaming.description(kind, address, word))
  }
  /// What the thread is inside of, in words.
  var frameNames: [String] { frames.map(ObjectNaming.name(of:)) }
  /// The label of the innermost queue whose items it takes.
  var queueLabel: String? { ObjectNaming.drainedLabel(frames) }
  /// Where it waits.
  var stackAddresses: [UInt] { (0..<stackCount).map { UInt(self[.stack, $0]) } }
}

extension ThreadTable.Entry {
  /// What a thread is inside of that sleeps, but not with us: its frames stand still.
  fileprivate var frameNames: [String] { frames.map(ObjectNaming.name(of:)) }
  fileprivate var queueLabel: String? { ObjectNaming.drainedLabel(frames) }
}
