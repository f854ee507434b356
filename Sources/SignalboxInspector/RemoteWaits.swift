// RemoteWaits.swift: who could end a wait in a process that is read from outside, by the words that its record names. Who waits is
// RemoteRecords.swift. What each word means is the process's own walk (SignalboxDiagnosis/Walk), of which this is the reader's side.
import SignalboxSystem

/// Who could end a wait.
enum RemoteEnd: Equatable {
  /// This thread has it.
  case holder(Int32)
  /// These are inside and wait themselves; others may be inside as well.
  case inside([Int32])
  /// Its turn comes on the main thread; whether that has ever waited, so that it is known by its owner value.
  case mainThread(isKnown: Bool)
  case pool, stopped, anyone, nobody, over
}

/// A wait, and who could end it: the same in two readings, while the record stood.
struct RemoteWait {
  var record: RemoteRecord
  var end: RemoteEnd
}

extension DescribedCopy {
  enum WaitReading {
    case none, moves, broken
    case waits(RemoteWait)
  }

  /// The wait of a thread. Tried a few times: a record may be written meanwhile.
  func wait(of slot: RemoteSlot, among all: [RemoteSlot]) -> WaitReading {
    for _ in 0..<4 {
      switch record(of: slot.owner) {
      case .none: return .none
      case .broken: return .broken
      case .moves: continue
      case .waits(let record):
        let first = end(record, slot.owner, all)
        guard stands(record.sequence, of: slot.owner) else { continue }
        // An end that has changed was one thread's and is another's by now: both may be wrong.
        let second = end(record, slot.owner, all)
        guard stands(record.sequence, of: slot.owner) else { continue }
        return .waits(RemoteWait(record: record, end: first == second ? first : .nobody))
      }
    }
    return .moves
  }

  // MARK: the way to who could end it

  /// What a word says.
  private struct Answer {
    var owner: ReadNumber = 0
    var followsNext = false
    var next: ReadNumber?
    var isBlockedByHolders = false
    var isStopped = false
  }

  private static let most = 16
  private static let address: ReadNumber = 0x00FF_FFFF_FFFF_FFFF

  private func end(_ record: RemoteRecord, _ owner: ReadNumber, _ all: [RemoteSlot]) -> RemoteEnd {
    if record.park != 0, let value = memory.word32(record.park), value != record.parkValue { return .over }
    guard var word = record.words.first else { return .anyone }
    var place = 0
    for _ in 0...Self.most {
      switch word >> 56 {
      case 9: return .mainThread(isKnown: mainThread != nil)
      case 12: return .pool
      case 13, 14: return .anyone
      default: break
      }
      let answer = answer(word)
      if answer.owner == owner { return record.kind.hasOwner && word >> 56 == 1 ? .nobody : .over }
      if answer.owner != 0 { return slot(of: answer.owner).map { .holder($0.thread) } ?? .nobody }
      if answer.isBlockedByHolders { return .inside(waiters(inside: word & Self.address, except: owner, all)) }
      guard answer.followsNext else { return answer.isStopped ? .stopped : .nobody }
      if let next = answer.next {
        word = next
      } else {
        place += 1
        guard place < record.words.count else { return .nobody }
        word = record.words[place]
      }
    }
    return .nobody
  }

  /// The main thread; nil as long as it has not waited.
  var mainThread: RemoteSlot? { memory.word64(self[.mainThread]).flatMap { slot(of: $0) } }

  private func waiters(inside object: ReadNumber, except waiter: ReadNumber, _ all: [RemoteSlot]) -> [Int32] {
    all.compactMap { slot in
      guard slot.owner != waiter, case .waits(let record) = record(of: slot.owner), record.isInside(object) else { return nil }
      return slot.thread
    }
  }

  // MARK: words

  // The readings of version 1 (OwnerReading).
  private func answer(_ word: ReadNumber) -> Answer {
    let address = word & Self.address
    switch word >> 56 {
    case 1: return Answer(owner: (memory.word32(address) ?? 0) & 0xFF_FFFF)
    case 2: return Answer(owner: address)
    case 3:
      let value = memory.word64(address) ?? 0
      return value == .max || value & 1 == 0 ? Answer() : Answer(owner: value >> 2 & 0xFF_FFFF)
    case 4: return readerWriter(address)
    case 5, 7: return queue(address, isSerial: word >> 56 == 5)
    case 8: return workItem(address)
    case 10: return Answer(isBlockedByHolders: true)
    case 11: return operation(address)
    default: return Answer()
    }
  }

  /// The lowest bits of the address say that a reader waits, and since which generation.
  private func readerWriter(_ address: ReadNumber) -> Answer {
    guard let state = memory.word64(address & ~7) else { return Answer() }
    let isReader = address & 1 != 0, generation = state & 1 << 27 != 0
    // Let in already: it is about to wake.
    if isReader, (address & 2 != 0) != generation { return Answer() }
    let holder = state & 0xFF_FFFF
    if state & 1 << 24 != 0 { return Answer(owner: holder) }
    return isReader ? Answer(followsNext: true) : Answer(isBlockedByHolders: holder > 0)
  }

  private func queue(_ address: ReadNumber, isSerial: Bool) -> Answer {
    guard self[.queueState] != 0, let state = memory.word64(address + self[.queueState]) else { return Answer() }
    var answer = Answer(owner: state & self[.stateOwner])
    if answer.owner != 0 { return answer }
    if !isSerial, state & self[.stateBarrier] != 0 { return Answer(isBlockedByHolders: true) }
    answer.isStopped = state & (self[.stateInactive] | self[.stateSuspended]) != 0
    answer.followsNext = !answer.isStopped && state & self[.stateEnqueued] != 0
    if answer.followsNext { answer.next = next(after: address) }
    return answer
  }

  /// The word of what the queue, which nobody has, lies on the list of.
  private func next(after address: ReadNumber) -> ReadNumber {
    guard let target = memory.word64(address + self[.queueTarget]) else { return 0 }
    if target == 0 { return address == self[.mainQueue] ? 9 << 56 : 0 }
    switch queueKind(target) {
    case 0, 3, 4: return target | 5 << 56
    case 1: return target | 7 << 56
    case 2: return target | 12 << 56
    default: return 0
    }
  }

  /// 0 serial, 1 concurrent, 2 global, 3 main, 4 of a run loop; nil: not known.
  func queueKind(_ address: ReadNumber) -> UInt8? {
    guard self[.queueKind] != 0, let byte = memory.bytes(address + self[.queueKind], 1)?.first, byte <= 4 else { return nil }
    return byte
  }

  private func workItem(_ address: ReadNumber) -> Answer {
    guard self[.itemPlace] != 0, self[.queueState] != 0, let place = memory.word64(address + self[.itemPlace]) else {
      return Answer()
    }
    switch place & 7 {
    case 1: return Answer(owner: (memory.word64((place & ~7) + self[.queueState]) ?? 0) & self[.stateOwner])
    case 4: return Answer(owner: place >> 3)
    default: return Answer()
    }
  }

  private func operation(_ address: ReadNumber) -> Answer {
    guard self[.operationState] != 0, self[.operationRunner] != 0,
      let state = memory.word64(address + self[.operationState]),
      let runner = memory.word64(address + self[.operationRunner])
    else { return Answer() }
    // Executing, and in the base class's call of its main().
    return state >> 33 & 3 == 1 && state >> 51 & 1 == 1 ? Answer(owner: runner) : Answer()
  }
}
