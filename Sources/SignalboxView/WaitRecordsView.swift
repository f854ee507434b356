// WaitRecordsView.swift: the threads of a copy of Signalbox that have slots, and the records of their waits: each as it
// stood at one moment, or not at all. Which thread could end a wait is SlotsView.swift.
import SignalboxSystem
import SignalboxWords

extension DescribedCopy {
  // MARK: slots

  /// The threads that have slots, in the order of these: what two readings have found the same.
  package var slots: [ThreadPlace] {
    let highest = min(memory.word64(self[.highestSlot]) ?? 0, self[.slotCount] - 1), count = highest.int(upTo: 1 << 16) * 2 + 2
    guard let first = memory.words(self[.slots], count), let second = memory.words(self[.slots], count) else { return [] }
    return stride(from: 2, to: count, by: 2).compactMap { place in
      guard first[place] != 0, first[place] == second[place], first[place + 1] == second[place + 1] else { return nil }
      return ThreadPlace(SlotHolder(rawValue: first[place].bits), record: first[place + 1].bits)
    }
  }

  /// The thread that an owner value names; nil once it has ended.
  package func slot(of owner: UInt64) -> ThreadPlace? {
    let number = ReadNumber(OwnerValue.slot(of: owner)), place = self[.slots] + number * self[.slotSize]
    guard owner != 0, number < self[.slotCount], let words = memory.words(place, 2), let who = memory.word64(place),
      who == words[0]
    else { return nil }
    let slot = ThreadPlace(SlotHolder(rawValue: words[0].bits), record: words[1].bits)
    return slot.owner == owner ? slot : nil
  }

  // MARK: records

  private func place(ofRecord owner: UInt64) -> ReadNumber {
    self[.waits] + ReadNumber(OwnerValue.slot(of: owner)) * self[.waitSize]
  }

  /// Whether the record still has this sequence: what was read belongs to the wait that it was read for.
  package func stands(_ sequence: UInt64, of owner: UInt64) -> Bool { memory.word64(place(ofRecord: owner))?.bits == sequence }

  package enum Reading {
    /// `broken`: a record of something that no version writes.
    case none, moves, broken
    case waits(WaitView)
  }

  /// The record of a thread, read once.
  package func record(of owner: UInt64) -> Reading {
    let place = place(ofRecord: owner), count = (self[.waitSize] / 8).int(upTo: 8_192)
    guard let before = memory.word64(place) else { return .none }
    guard before & 1 == 0, let cells = memory.words(place, count), cells[WaitCell.sequence.rawValue] == before,
      memory.word64(place) == before
    else {
      return .moves
    }
    func cell(_ cell: WaitCell) -> UInt64 { cells[cell.rawValue].bits }
    let facts = WaitFacts(rawValue: cell(.what))
    guard cell(.owner) == owner, !facts.isNone, facts.kind != WaitKind.none else { return .none }
    guard let kind = facts.kind else { return .broken }
    func list(_ first: DescribedWord, _ most: DescribedWord, _ count: Int) -> [UInt64] {
      let behind = cells.dropFirst(self[first].int(upTo: cells.count))
      return behind.first(min(ReadNumber(count: count), self[most])).map(\.bits)
    }
    let counts = WaitCounts(rawValue: cell(.counts))
    var words = OwnerWords()
    for bits in list(.waitWords, .waitWordCount, counts.words) { words.append(OwnerWord(bits: bits)) }
    return .waits(
      WaitView(
        sequence: before.bits, owner: owner, kind: kind, object: UInt(cell(.object)), since: cell(.since),
        isTimed: facts.isTimed || facts.isExplored, park: (cell(.park), UInt32(truncatingIfNeeded: cell(.parkValue))),
        words: words,
        frames: list(.waitFrames, .waitFrameCount, counts.frames).map { FrameWord(bits: UInt($0)) },
        shared: list(.waitShared, .waitSharedCount, counts.shared).map { UInt($0) },
        stack: list(.waitStack, .waitStackCount, counts.stack).map { UInt($0) }))
  }

  // MARK: frames

  /// The frames on a thread's stack, and the item that its innermost drain runs.
  package struct Frames: Equatable {
    package fileprivate(set) var frames: [FrameWord] = []
    package fileprivate(set) var item: Slot?
    /// The way from frame to frame leads where no memory is, or back to a frame that it has passed.
    package fileprivate(set) var isBroken = false
  }

  /// As many frames are followed, and of a broken way as many are shown.
  private static let mostFrames = 1_024, shownFrames = 64

  /// What the thread is inside of; nil if it has ended. Of a thread that runs, two readings that are the same were so
  /// in between.
  package func frames(of slot: ThreadPlace) -> Frames? {
    var found = Frames(), next = memory.word64(ReadNumber(slot.record) + self[.frames]) ?? 0, passed: Set<ReadNumber> = []
    while next != 0, found.frames.count < Self.mostFrames {
      guard passed.insert(next).inserted, let words = memory.words(next, 2) else {
        found.isBroken = true
        found.frames = Array(found.frames.prefix(Self.shownFrames))
        break
      }
      let frame = FrameWord(bits: UInt(words[0].bits))
      if frame.kind.isDrain, found.item == nil, let item = memory.words(next + ReadNumber(UInt64(FrameLayout.item)), 2) {
        found.item = Slot(item[0].bits, item[1].bits)
      }
      found.frames.append(frame)
      next = words[1]
    }
    return self.slot(of: slot.owner) == slot ? found : nil
  }
}
