// LockModel.swift: threads at a lock, step by step: CrowdState's steps in the order in which LockCore+Wait makes them, and the
// processor's store buffers between them.
@testable import SignalboxLocks
import SignalboxWords

/// A few threads that lock, sleep, give up and unlock again. Sleeping without end: the kernel's timer, which would check
/// again for a stranded thread, wakes each at most once in a wait, to make it starve.
///
/// The store that frees the lock stays unseen by other threads until it drains: at any moment, at the thread's next
/// swap, or at any thread's barrier. The thread goes on meanwhile. So at most one such store is under way: no other
/// thread takes the lock before.
struct LockModel: Model {
  /// The crowd that a thread has announced: what a park compares. Tickets only grow, so all that matters of them is whether there
  /// has been another since.
  struct Announced: Hashable {
    var bits: UInt32
    var isOld = false
  }

  enum Thread: Hashable {
    case away
    /// Has seen no hand-off; about to swap itself in.
    case entering
    case holding
    /// Has stored that the lock is free; about to check the crowd.
    case leaving
    /// Has seen that a thread may sleep: about to say in the crowd that it wakes one.
    case rousing
    /// About to tell the kernel.
    case waking(LockWake)
    case announcing(LockPatience)
    /// Has announced: about to take the lock if it is free, and then to make the barrier; or the same once more, and then to park.
    case tryingEarly(LockPatience, Announced)
    case ordering(LockPatience, Announced)
    case tryingAgain(LockPatience, Announced)
    case parking(LockPatience, Announced)
    case asleep(LockPatience)
    /// Was woken, or has slept enough: about to take the lock if it is free, and else to doze.
    case watching
    /// Sleeps unannounced. Its own timer always comes.
    case dozing
    /// Holds the lock; about to say so in the crowd.
    case settling(LockPatience)
    /// Its time has come: checks the crowd, tries once more, says that it goes, makes the barrier, checks the lock.
    case late(LockPatience)
    case tryingLast(LockPatience)
    case givingUp(LockPatience)
    case orderingLast
    case lookingBack
  }

  /// What is in memory: the holder, by number from 1, and the crowd with its ticket taken off.
  var word = 0
  var crowd: UInt32 = 0
  /// Whether a store of 0 to `word`, by the thread that it names, has not drained yet.
  var isBuffered = false
  var threads: [Thread]
  /// Whether waits may end by time.
  var isTimed: Bool
  /// Whether the kernel makes barriers.
  var hasBarrier = true

  private var state: CrowdState { CrowdState(rawValue: crowd) }

  // MARK: changes

  private func with(_ index: Int, _ thread: Thread) -> Self {
    var next = self
    next.threads[index] = thread
    return next
  }

  /// The buffered store is in memory.
  private var drained: Self {
    guard isBuffered else { return self }
    var next = self
    (next.word, next.isBuffered) = (0, false)
    return next
  }
  /// As a locked instruction of this thread finds memory.
  private func locked(_ index: Int) -> Self { word == index + 1 ? drained : self }

  private func afterBarrier(_ index: Int) -> Self { hasBarrier ? drained : locked(index) }

  /// The crowd is now this one. A new ticket makes what others have announced old.
  private func with(crowd next: CrowdState) -> Self {
    var model = self
    model.crowd = next.rawValue % CrowdState.ticket
    guard next.rawValue >= CrowdState.ticket else { return model }
    for index in threads.indices {
      switch threads[index] {
      case .tryingEarly(let patience, let seen):
        model.threads[index] = .tryingEarly(patience, Announced(bits: seen.bits, isOld: true))
      case .ordering(let patience, let seen):
        model.threads[index] = .ordering(patience, Announced(bits: seen.bits, isOld: true))
      case .tryingAgain(let patience, let seen):
        model.threads[index] = .tryingAgain(patience, Announced(bits: seen.bits, isOld: true))
      case .parking(let patience, let seen):
        model.threads[index] = .parking(patience, Announced(bits: seen.bits, isOld: true))
      default: break
      }
    }
    return model
  }

  // MARK: steps

  var successors: [Self] { threads.indices.flatMap { steps(of: $0) } + (isBuffered ? [drained] : []) }

  private func steps(of index: Int) -> [Self] {
    switch threads[index] {
    case .away: [with(index, state.mayTake(.fresh) ? .entering : .announcing(.fresh))]
    case .entering: [swapIn(index, .holding, else: .announcing(.fresh))]
    case .holding: [storeOut(index)]
    case .leaving: [with(index, state.isParked ? .rousing : .away)]
    case .rousing: [rouse(index)]
    case .waking(let wake): wakes(index, wake)
    case .announcing(let patience): [announce(index, patience)]
    case .tryingEarly(let patience, let seen): [attempt(index, patience, seen, else: .ordering(patience, seen))]
    case .ordering(let patience, let seen): [afterBarrier(index).with(index, .tryingAgain(patience, seen))]
    case .tryingAgain(let patience, let seen): [attempt(index, patience, seen, else: .parking(patience, seen))]
    case .settling(let patience): [change(index, state.afterTake(patience)).with(index, .holding)]
    case .parking(let patience, let seen): park(index, patience, seen)
    case .asleep(let patience): timers(index, patience)
    case .watching: watch(index)
    case .dozing: goOn(index, .hasSlept)
    case .late(let patience): [with(index, state.mayTake(patience) ? .tryingLast(patience) : .givingUp(patience))]
    case .tryingLast(let patience): [swapIn(index, .settling(patience), else: .givingUp(patience))]
    case .givingUp(let patience):
      [change(index, state.afterGiveUp(patience)).with(index, .orderingLast)]
    case .orderingLast: [afterBarrier(index).with(index, .lookingBack)]
    case .lookingBack: [with(index, word == 0 ? .rousing : .away)]
    }
  }

  private func swapIn(_ index: Int, _ taken: Thread, else other: Thread) -> Self {
    var next = locked(index)
    guard next.word == 0 else { return next.with(index, other) }
    next.word = index + 1
    return next.with(index, taken)
  }

  private func attempt(_ index: Int, _ patience: LockPatience, _ seen: Announced, else other: Thread) -> Self {
    guard CrowdState(rawValue: seen.bits).mayTake(patience) else { return with(index, other) }
    return swapIn(index, .settling(patience), else: other)
  }

  private func storeOut(_ index: Int) -> Self {
    var next = with(index, .leaving)
    next.isBuffered = true
    return next
  }

  /// A step of the crowd: a locked instruction only if it changes anything.
  private func change(_ index: Int, _ next: CrowdState) -> Self {
    next == state ? self : locked(index).with(crowd: next)
  }

  private func rouse(_ index: Int) -> Self {
    let (crowd, wake) = state.afterUnlock()
    return change(index, crowd).with(index, wake == .nobody ? .away : .waking(wake))
  }

  private func announce(_ index: Int, _ patience: LockPatience) -> Self {
    let announced = state.afterAnnounce(patience)
    return change(index, announced).with(index, .tryingEarly(patience, Announced(bits: announced.rawValue)))
  }

  /// Falls asleep if the crowd is still the one announced. A wait whose time has come ends in either case.
  private func park(_ index: Int, _ patience: LockPatience, _ seen: Announced) -> [Self] {
    let isSame = !seen.isOld && seen.bits == crowd
    return isSame ? [with(index, .asleep(patience))] : goOn(index, patience)
  }

  private func goOn(_ index: Int, _ patience: LockPatience) -> [Self] {
    let now = patience == .fresh ? .hasSlept : patience
    return [with(index, .announcing(now))] + (isTimed ? [with(index, .late(now))] : [])
      + (now == .hasSlept ? [with(index, .watching)] : [])
  }

  /// A check that finds the lock free takes it; one that does not is followed by a doze, unless the lock is kept for a
  /// thread.
  private func watch(_ index: Int) -> [Self] {
    let other: Thread = state.isHandOff ? .announcing(.hasSlept) : .dozing
    guard state.mayTake(.hasSlept) else { return [with(index, other)] }
    return [swapIn(index, .settling(.hasSlept), else: other)]
  }

  /// What the kernel's timer does: ends a timed wait, or makes a sleeper starve.
  private func timers(_ index: Int, _ patience: LockPatience) -> [Self] {
    (isTimed ? [with(index, .late(patience == .fresh ? .hasSlept : patience))] : [])
      + (patience == .starving ? [] : [with(index, .announcing(.starving))])
  }

  private func wakes(_ index: Int, _ wake: LockWake) -> [Self] {
    let woken = threads.indices.flatMap { sleeper -> [Self] in
      if threads[sleeper] == .dozing, wake == .one { return with(index, .away).goOn(sleeper, .hasSlept) }
      guard case .asleep(let patience) = threads[sleeper], wake == .one || patience == .starving else { return [] }
      return with(index, .away).goOn(sleeper, patience)
    }
    return woken.isEmpty ? [with(index, .away)] : woken
  }

  // MARK: what must hold

  private func isInside(_ index: Int) -> Bool {
    if case .settling = threads[index] { return true }
    return threads[index] == .holding
  }

  var complaint: String? {
    if let broken = state.brokenInvariant { return broken }
    let holders = threads.indices.filter { isInside($0) }
    if holders.count > 1 { return "two inside" }
    if !isBuffered, word != (holders.first.map { $0 + 1 } ?? 0) { return "the word names the wrong holder" }
    if isBuffered { return nil }
    if threads.allSatisfy({ $0 == .away }) { return crowd == 0 ? nil : "nobody is there, and the crowd says that somebody is" }
    let isAtRest = threads.allSatisfy {
      if case .asleep = $0 { return true }
      return $0 == .away
    }
    return isAtRest ? "asleep forever" : nil
  }
}
