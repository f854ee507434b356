// SmallLockModel.swift: threads at a four-byte lock, step by step: SmallLockState's steps as SmallLockCore+Wait makes them.
@testable import SignalboxLocks
import SignalboxWords

/// Up to four threads that lock, sleep and unlock again. Sleeping without end: the kernel's timer, which would check
/// again for a stranded thread, wakes each at most once in a wait, to make it starve.
struct SmallLockModel: Model {
  enum Thread: Hashable {
    case away, holding
    /// About to take or announce, and whether its patience may still run out.
    case asking(LockPatience)
    /// Has announced; the kernel is about to compare the word with this value.
    case parking(LockPatience, UInt32)
    case asleep(LockPatience)
    /// Was woken, or has slept enough: about to take the lock if it is free, and else to doze.
    case watching
    /// Sleeps unannounced. Its own timer always comes.
    case dozing
    /// Has swapped; the wake is still to be made.
    case waking(LockWake)
  }

  var word: UInt32 = 0
  var threads: [Thread]

  private var state: SmallLockState { SmallLockState(rawValue: word) }
  private func owner(_ index: Int) -> UInt32 { UInt32(index + 1) }

  private func with(_ index: Int, _ thread: Thread, word: UInt32? = nil) -> Self {
    var next = self
    next.threads[index] = thread
    if let word { next.word = word }
    return next
  }

  var successors: [Self] { threads.indices.flatMap { steps(of: $0) } }

  private func steps(of index: Int) -> [Self] {
    switch threads[index] {
    case .away: [with(index, .asking(.fresh))]
    case .asking(let patience): [ask(index, patience)]
    case .parking(let patience, let expected):
      word == expected ? [with(index, .asleep(patience))] : goOn(index, patience)
    case .asleep(let patience): timers(index, patience)
    case .watching: [watch(index)]
    case .dozing: goOn(index, .hasSlept)
    case .holding:
      {
        let (next, wake) = state.afterUnlock()
        return [with(index, wake == .nobody ? .away : .waking(wake), word: next.rawValue)]
      }()
    case .waking(let wake): wakes(index, wake)
    }
  }

  private func ask(_ index: Int, _ patience: LockPatience) -> Self {
    if let taken = state.afterTake(owner(index), patience) { return with(index, .holding, word: taken.rawValue) }
    let announced = state.afterAnnounce(patience)
    return with(index, .parking(patience, announced.rawValue), word: announced.rawValue)
  }

  private func goOn(_ index: Int, _ patience: LockPatience) -> [Self] {
    let now = patience == .fresh ? .hasSlept : patience
    return [with(index, .asking(now))] + (now == .hasSlept ? [with(index, .watching)] : [])
  }

  private func watch(_ index: Int) -> Self {
    if let taken = state.afterTake(owner(index), .hasSlept) { return with(index, .holding, word: taken.rawValue) }
    return with(index, state.isHandOff || word == 0 ? .asking(.hasSlept) : .dozing)
  }

  /// What the kernel's timer does: makes a sleeper starve.
  private func timers(_ index: Int, _ patience: LockPatience) -> [Self] {
    patience == .starving ? [] : [with(index, .asking(.starving))]
  }

  private func wakes(_ index: Int, _ wake: LockWake) -> [Self] {
    let woken = threads.indices.flatMap { sleeper -> [Self] in
      if threads[sleeper] == .dozing, wake == .one { return with(index, .away).goOn(sleeper, .hasSlept) }
      guard case .asleep(let patience) = threads[sleeper], wake == .one || patience == .starving else { return [] }
      return with(index, .away).goOn(sleeper, patience)
    }
    return woken.isEmpty ? [with(index, .away)] : woken
  }

  var complaint: String? {
    if let broken = state.brokenInvariant { return broken }
    let holders = threads.indices.filter { threads[$0] == .holding }
    if holders.count > 1 { return "two inside" }
    if state.owner != (holders.first.map { owner($0) } ?? 0) { return "the word names the wrong holder" }
    let isAtRest = threads.allSatisfy {
      if case .asleep = $0 { return true }
      return $0 == .away
    }
    if threads.allSatisfy({ $0 == .away }), word != 0 { return "nobody is there, and the word is not free" }
    if isAtRest, !threads.allSatisfy({ $0 == .away }) { return "asleep forever" }
    return nil
  }
}
