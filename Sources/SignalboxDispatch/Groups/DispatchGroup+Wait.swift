// DispatchGroup+Wait.swift: blocking until the members of a group have left, and groups as C makes them. What the
// members do is DispatchGroup.swift (Queues/).
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchGroup {
  /// Blocks until all current members have left.
  ///
  /// If every remaining member is an item that only this thread could run, of the main queue on the main thread, say, the wait is
  /// reported as a suspected deadlock; and the program is stopped once nothing else in the process could call `leave()`.
  public final func wait() { _ = wait(.forever) }

  /// Blocks until all current members have left, or until `timeout`; returns `.success` if they have left.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult { wait(Deadline(timeout.rawValue)) }

  /// Blocks until all current members have left, or until the wall clock reaches `timeout`; returns `.success` if they have
  /// left.
  public final func wait(wallTimeout timeout: DispatchWallTime) -> DispatchTimeoutResult {
    wait(Deadline(timeout.rawValue))
  }

  package final func wait(_ deadline: Deadline) -> DispatchTimeoutResult {
    // Out of line to its end, so that a wait which finds the group empty keeps nothing across a call.
    if Events.areWanted(.groupWaitAsked) { return waitTold(deadline) }
    return state.load().isEmpty ? .success : waitSlow(deadline)
  }

  @inline(never) private final func waitTold(_ deadline: Deadline) -> DispatchTimeoutResult {
    Events.tell(.groupWaitAsked, address, deadline.patience, 0)
    return state.load().isEmpty ? .success : waitSlow(deadline)
  }

  @inline(never) private final func waitSlow(_ deadline: Deadline) -> DispatchTimeoutResult {
    if deadline.hasPassed() { return .timedOut }
    if AdaptiveSpin.wait({ state.load().isEmpty }) { return .success }
    Waiting.begin(.group, object: address, isTimed: deadline != .forever, .init())
    defer { WaitRecord.withdraw() }
    return KnownMembers.whileRaised(self) { sleepRecorded(deadline) }
  }

  private final func sleepRecorded(_ deadline: Deadline) -> DispatchTimeoutResult {
    if deadline == .forever, MainThreadHost.isMainThread || OwnItems.place(ofAllIn: self) != nil { return sleepChecked() }
    return Blocking.whileBlocked { sleep(until: deadline) }
  }

  /// Blocks until the members have left; told to the diagnosis as a wait for what runs once under `token`.
  final func wait(once token: UInt) {
    Waiting.begin(.once, object: token, isTimed: false, .init(OwnerWord(token, .once)))
    defer { WaitRecord.withdraw() }
    Raising.around({ if let owner = OnceToken.runner(of: token) { $0.add(threadOf: owner) } }) {
      _ = Blocking.whileBlocked { sleep(until: .forever) }
    }
  }

  /// An unlimited wait that is checked again and again: on the main thread, because the last member that others run may leave
  /// meanwhile; elsewhere, where all members lie in queues whose turn the thread has.
  private final func sleepChecked() -> DispatchTimeoutResult {
    var polls = MainThreadWait.Polls(), watch = OwnMembersWatch()
    while true {
      // An exploration sees by itself that no thread can go on; a limit would hide that.
      let isExplored = OwnMembersWatch.isExplored && OwnItems.place(ofAllIn: self) != nil
      let next = isExplored ? .forever : polls.next()
      if Blocking.whileBlocked({ sleep(until: next) }) == .success { return .success }
      watch.check(self)
    }
  }

  private final func sleep(until deadline: Deadline) -> DispatchTimeoutResult {
    // relaxed: before the swap that asks for the flag; a leave that takes the flag off has acquired that, and changes the ticket then
    var ticket = gate.loadRelaxed()
    guard let generation = ask(GroupState.waiters) else { return .success }
    while true {
      let outcome = gate.park(expected: ticket, deadline: deadline.parkDeadline())
      if state.load()[GroupState.generation] != generation { return .success }
      if outcome == .timedOut, deadline.hasPassed() { return .timedOut }
      ticket = gate.loadAcquire()  // acquire: with a new ticket the generation that is read next is new; pairs with tell()
      if state.load()[GroupState.generation] != generation { return .success }
    }
  }

  /// How far behind a group's address its word lies: for those who inspect groups that may be gone.
  static let wordOffset: UInt = {
    let sample = DispatchGroup()
    return withUnsafePointer(to: sample.state.word) { UInt(bitPattern: $0) } - sample.address
  }()
}

// MARK: a group as C makes it

// With a context and a finalizer (CContext.swift), which few have.

/// A group of the C face.
package final class CGroup: DispatchGroup, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the context guards itself.
  private let place = CContextPlace()
  package var context: CContext { place.made }
  /// The header: the only use of the target is that the finalizer runs there.
  package override func setTarget(queue: DispatchQueue?) { context.setTarget(queue) }
  /// Creates an empty group. C lets a group go whose `wait` has returned, while the `leave` that ended the wait still runs.
  package override init() { super.init(holdingItself: ()) }
  deinit { place.objectIsGone(of: self) }
}
