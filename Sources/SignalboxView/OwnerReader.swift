// OwnerReader.swift: reads the word of a lock, a queue, an operation and their like: which thread could end a wait for
// it. What the bits of each word say is an OwnerAnswer (SignalboxWords); the way from word to word is OwnerTrail.swift.
import SignalboxWords

/// Reads owner words.
///
/// In this process: asked by threads that are about to sleep, perhaps inside of the allocator. It allocates nothing,
/// takes no lock, and never faults; each object may be gone, or be another by now.
package struct OwnerReader: Sendable {
  private let memory: ReadMemory

  package init(_ memory: ReadMemory = .own) { self.memory = memory }

  /// What the word says. `isKept`: the caller itself waits for the object, which is there as long as it does; nothing
  /// that its words lead to need be.
  package func read(_ word: OwnerWord, isKept: Bool = false) -> OwnerAnswer {
    let address = UInt64(word.address)
    switch word.reading {
    case .nobody, .foreign, .pool, .anyone, .number: return OwnerAnswer()
    case .thread: return OwnerAnswer(owner: address)
    case .lock: return memory.word32(address, isKept: isKept).map { SmallLockState(rawValue: $0).answer } ?? OwnerAnswer()
    case .once: return memory.word64(address, isKept: isKept).map { OnceState(rawValue: $0).answer } ?? OwnerAnswer()
    case .readerWriter:
      let state = memory.word64(UInt64(ReaderWriterState.ReaderMark.address(word.address)), isKept: isKept)
      return state.map { ReaderWriterState(rawValue: $0).answer(to: word.address) } ?? OwnerAnswer()
    case .mainThread: return OwnerAnswer(owner: mainThread)
    case .parallelLoop: return .holders
    case .serialQueue: return queue(address, isConcurrent: false, isKept)
    case .concurrentQueue: return queue(address, isConcurrent: true, isKept)
    case .workItem: return workItem(address, isKept)
    case .operation: return operation(address, isKept)
    }
  }

  /// The main thread, by its owner value; 0 as long as it has not waited.
  package var mainThread: UInt64 {
    let place = memory.described(.mainThread)
    return place == 0 ? 0 : memory.word64(place, isKept: true) ?? 0
  }

  // MARK: queues

  /// The state of the queue at an address.
  package func state(ofQueue address: UInt64, isKept: Bool = false) -> QueueState? {
    let offset = memory.described(.queueState)
    guard offset != 0 else { return nil }
    return memory.word64(address &+ offset, isKept: isKept).map { QueueState(rawValue: $0) }
  }

  /// The target of the queue at an address; 0 for none. It may be any address where the queue is gone.
  package func target(ofQueue address: UInt64, isKept: Bool = false) -> UInt64? {
    let offset = memory.described(.queueTarget)
    return offset == 0 ? nil : memory.word64(address &+ offset, isKept: isKept)
  }

  /// The kind of the queue at an address; nil if it is known to be none.
  package func kind(ofQueue address: UInt64) -> QueueKind? {
    let offset = memory.described(.queueKind)
    guard offset != 0 else { return nil }
    return memory.byte(address &+ offset).flatMap { QueueKind(rawValue: $0) }
  }

  private func queue(_ address: UInt64, isConcurrent: Bool, _ isKept: Bool) -> OwnerAnswer {
    guard let state = state(ofQueue: address, isKept: isKept) else { return OwnerAnswer() }
    var answer = state.answer(isConcurrent: isConcurrent)
    if answer.followsNext { answer.next = next(afterQueue: address, isKept) }
    return answer
  }

  /// The word of what the queue, which no thread holds, lies on the list of.
  private func next(afterQueue address: UInt64, _ isKept: Bool) -> OwnerWord {
    let nothing = OwnerWord(0, .nobody)
    guard let target = target(ofQueue: address, isKept: isKept) else { return nothing }
    // Without a target: the main queue's items are the main thread's; which thread performs those of a run loop next is
    // not known.
    if target == 0 { return address == memory.described(.mainQueue) ? OwnerWord(0, .mainThread) : nothing }
    return kind(ofQueue: target).map { OwnerWord(UInt(target & OwnerWord.addressMask), $0.reading) } ?? nothing
  }

  // MARK: items

  /// The thread that runs the item, or drains the serial queue in which it lies.
  private func workItem(_ address: UInt64, _ isKept: Bool) -> OwnerAnswer {
    let offset = memory.described(.itemPlace)
    guard offset != 0, let word = memory.word64(address &+ offset, isKept: isKept) else { return OwnerAnswer() }
    switch Whereabouts(rawValue: word).place {
    case .queue(let queue, isSerial: true): return OwnerAnswer(owner: state(ofQueue: queue)?[QueueState.owner] ?? 0)
    case .thread(let owner): return OwnerAnswer(owner: owner)
    case .queue, .notSubmitted, .unclear: return OwnerAnswer()
    }
  }

  private func operation(_ address: UInt64, _ isKept: Bool) -> OwnerAnswer {
    let (state, runner) = (memory.described(.operationState), memory.described(.operationRunner))
    guard state != 0, runner != 0, let word = memory.word64(address &+ state, isKept: isKept),
      let owner = memory.word64(address &+ runner, isKept: isKept)
    else { return OwnerAnswer() }
    return OperationState(rawValue: word).answer(runner: owner)
  }
}
