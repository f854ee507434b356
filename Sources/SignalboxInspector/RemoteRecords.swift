// RemoteRecords.swift: the threads of a copy of Signalbox that is read from outside, and the records of their waits: each as it stood at one
// moment, or not at all. Who could end a wait is RemoteWaits.swift.
import SignalboxSystem

/// A thread that has a slot.
struct RemoteSlot: Equatable {
  /// What words of locks and queues name it by.
  var owner: ReadNumber
  /// The kernel's number.
  var thread: Int32
  /// Where its record is.
  var record: ReadNumber
}

/// A record of a wait, copied between two readings of the same sequence.
struct RemoteRecord {
  var sequence: ReadNumber
  var kind: WaitNoun
  var object: ReadNumber
  var since: ReadNumber
  var isTimed: Bool
  /// The word slept on, and the value it had; 0: not to be judged by it.
  var park: ReadNumber, parkValue: ReadNumber
  var words: [ReadNumber], frames: [ReadNumber], shared: [ReadNumber], stack: [ReadNumber]

  /// Whether the thread is inside the object, by a frame or as one of those who share it.
  func isInside(_ object: ReadNumber) -> Bool { frames.contains { $0 & ~7 == object } || shared.contains(object) }
}

extension DescribedCopy {
  // MARK: slots

  /// The threads that have slots, in the order of these: what two readings have found the same.
  var slots: [RemoteSlot] {
    let highest = min(memory.word64(self[.highestSlot]) ?? 0, self[.slotCount] - 1), count = highest.int(upTo: 1 << 16) * 2 + 2
    guard let first = memory.words(self[.slots], count), let second = memory.words(self[.slots], count) else { return [] }
    return stride(from: 2, to: count, by: 2).compactMap { place in
      guard first[place] != 0, first[place] == second[place], first[place + 1] == second[place + 1] else { return nil }
      return Self.slot(first[place], first[place + 1])
    }
  }

  /// The thread that an owner value names; nil once it has ended.
  func slot(of owner: ReadNumber) -> RemoteSlot? {
    let number = owner & 0xFFFF, place = self[.slots] + number * 16
    guard owner != 0, number < self[.slotCount], let words = memory.words(place, 2), let who = memory.word64(place),
      who == words[0]
    else { return nil }
    let slot = Self.slot(words[0], words[1])
    return slot.owner == owner ? slot : nil
  }

  private static func slot(_ who: ReadNumber, _ record: ReadNumber) -> RemoteSlot {
    RemoteSlot(owner: who & 0xFFFF_FFFF, thread: (who >> 32).lowest(Int32.self), record: record)
  }

  // MARK: records

  private func place(ofRecord owner: ReadNumber) -> ReadNumber { self[.waits] + (owner & 0xFFFF) * self[.waitSize] }

  /// Whether the record still has this sequence: what was read belongs to the wait that it was read for.
  func stands(_ sequence: ReadNumber, of owner: ReadNumber) -> Bool { memory.word64(place(ofRecord: owner)) == sequence }

  enum Reading {
    /// `broken`: a record of something that no version writes.
    case none, moves, broken
    case waits(RemoteRecord)
  }

  /// The record of a thread, read once.
  func record(of owner: ReadNumber) -> Reading {
    let place = place(ofRecord: owner), count = (self[.waitSize] / 8).int(upTo: 8_192)
    guard let before = memory.word64(place) else { return .none }
    guard before & 1 == 0, let cells = memory.words(place, count), cells[0] == before, memory.word64(place) == before else {
      return .moves
    }
    // The kind stands in the lowest byte, then that it ends by a time, and that an explorer chooses when it goes on.
    let number = cells[3].lowest(UInt8.self)
    guard cells[1] == owner, number != 0 else { return .none }
    guard let kind = WaitNoun(number: number) else { return .broken }
    func list(_ first: DescribedWord, _ most: DescribedWord, _ shift: Int) -> [ReadNumber] {
      let behind = cells.dropFirst(self[first].int(upTo: cells.count))
      return Array(behind.first(min(cells[8] >> shift & 0xFF, self[most])))
    }
    return .waits(
      RemoteRecord(
        sequence: before, kind: kind, object: cells[4], since: cells[5], isTimed: cells[3] & (1 << 8 | 1 << 10) != 0,
        park: cells[6], parkValue: cells[7] & 0xFFFF_FFFF, words: list(.waitWords, .waitWordCount, 0),
        frames: list(.waitFrames, .waitFrameCount, 8), shared: list(.waitShared, .waitSharedCount, 16),
        stack: list(.waitStack, .waitStackCount, 24)))
  }

  // MARK: frames

  /// The frames on a thread's stack, and the words of the item that its innermost drain runs.
  struct Frames: Equatable {
    var frames: [ReadNumber] = []
    var item: [ReadNumber]?
    /// The way from frame to frame leads where no memory is, or back to a frame that it has passed.
    var isBroken = false
  }

  /// As many frames are followed, and of a broken way as many are shown.
  private static let mostFrames = 1_024, shownFrames = 64

  /// What the thread is inside of; nil if it has ended. Of a thread that runs, two readings that are the same were so in between.
  func frames(of slot: RemoteSlot) -> Frames? {
    var found = Frames(), next = memory.word64(slot.record + self[.frames]) ?? 0, passed: Set<ReadNumber> = []
    while next != 0, found.frames.count < Self.mostFrames {
      guard passed.insert(next).inserted, let words = memory.words(next, 2) else {
        found.isBroken = true
        found.frames = Array(found.frames.prefix(Self.shownFrames))
        break
      }
      // A drain's frame has the words of its item behind it.
      if words[0] & 2 != 0, found.item == nil { found.item = memory.words(next + 16, 2) }
      found.frames.append(words[0])
      next = words[1]
    }
    return self.slot(of: slot.owner) == slot ? found : nil
  }
}

/// What threads wait for: the numbers of version 1, and what people call them.
struct WaitNoun: Equatable, Sendable {
  let number: Int

  /// nil: nothing, or a kind that this version has not.
  init?(number: UInt8) {
    guard number > 0, Int(number) < Self.nouns.count else { return nil }
    self.number = Int(number)
  }

  var noun: String { Self.nouns[number] }
  /// Whether some one thread has the thing, or nobody.
  var hasOwner: Bool { !Self.ownerless.contains(number) }
  /// Whether the thing is a queue.
  var isQueue: Bool { (15...17).contains(number) }

  static let foreignMutex = "pthread mutex"
  // The kinds are SignalboxDiagnosis's, which no command may hold; a test compares.
  static let nouns = [
    "nothing", "unfair lock", "spin lock", "mutex", "error-checking mutex", "recursive mutex", "condition",
    "reader-writer lock, for reading", "reader-writer lock, for writing", "object lock", "NSLock", "NSRecursiveLock",
    "NSCondition",
    "NSConditionLock", "once", "queue", "queue, as a barrier", "queue, for an item's end", "work item", "group", "semaphore",
    "parallel loop", foreignMutex, "operation", "operation queue",
  ]
  static let ownerless: Set<Int> = [0, 6, 12, 19, 20, 21, 24]
}
