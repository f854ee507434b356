// LockEvents.swift: the order of locks and their statistics as a subscriber of locks, queues' turns, groups, semaphores
// and work items. Noted is which locks threads ask for, take and give back, and how they wait while they hold one.
//
// While a thread has a turn its frames say so (ThreadFrame.swift), whether or not anything was switched on when it got
// it, and they lie in the stack where it took the turn. So only the asking for a turn is an event here.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum LockEvents {
  /// Whether the caller's locks are tracked. Not in the child of a fork: what other threads had begun is never ended
  /// there. Nor where an explorer chooses, which tries the orders themselves and may leave a thread where it is.
  static var areOn: Bool {
    Instruments.byte & Instruments.lockTracking != 0 && !Instruments.isForkedChild && !Exploration.isOfCaller
  }

  static func hears(_ event: Event) {
    guard areOn else { return }
    let object = event.object, second = event.second
    switch event.kind {
    case .lockAsked, .onceAsked:
      guard second == EventKind.withoutLimit else { return }  // else its wait ends by itself
      isAskedFor(kind(event.third), event, isShared: kind(event.third) == .readLock)
    case .lockTaken:
      NotedLocks.isTaken(kind(event.third), object, behind: second, since: event.third >> 8, at: event.site)
    case .lockReleased:
      if second == 0 || second == ThreadSlot.owner() { return NotedLocks.isGivenBack(object) }
      HeldStackPool.stack(of: second)?.mail(object)
    case .turnAsked, .targetTurnAsked:
      if kind(event.third).isQueue { isAskedFor(kind(event.third), event, isShared: second == 0) }
    case .groupWaitAsked: waits(for: .group, event)
    case .semaphoreWaitAsked: waits(for: .semaphore, event)
    case .workItemWaitAsked: waits(for: .workItem, event)
    case .unownedWaitBegan: NotedLocks.waits(for: kind(second), timeLeft: nil, at: event.site)
    case .lockMade: isMade(event)
    case .identityEnded: LockWorld.lock.withLock { LockRegistry.endedAssumingLocked(identity: second) }
    // Of what is no lock and no queue nothing is known by its address.
    case .gone where second == 0 || second == UInt64(WaitKind.sync.rawValue):
      LockWorld.lock.withLock { LockRegistry.destroyedAssumingLocked(object) }
    default: break
    }
  }

  private static func kind(_ word: UInt64) -> WaitKind { WaitKind(rawValue: UInt8(truncatingIfNeeded: word)) ?? .none }

  private static func isAskedFor(_ kind: WaitKind, _ event: Event, isShared: Bool) {
    _ = ThreadSlot.owner()
    NotedLocks.isAskedFor(kind, event.object, isShared: isShared, at: event.site)
  }

  private static func isMade(_ event: Event) {
    guard let identity = UnsafePointer<LockIdentity>(bitPattern: UInt(event.third)) else {
      return NotedLocks.isMade(kind(event.second), event.object, at: event.site)
    }
    // SAFETY: the emitting call keeps the identity until its subscribers have returned.
    NotedLocks.isMade(kind(event.second), event.object, for: identity.pointee)
  }

  private static func waits(for kind: WaitKind, _ event: Event) {
    if event.second == 0 { return }  // a try
    let timeLeft = event.second == EventKind.withoutLimit ? nil : event.second
    NotedLocks.waits(for: kind, timeLeft: timeLeft, at: event.site)
  }
}

// MARK: what is noted of locks

/// Called behind the instruments byte.
enum NotedLocks {
  static func isAskedFor(_ kind: WaitKind, _ object: UInt, isShared: Bool, at site: CallSite) {
    let snapshot = Instruments.snapshot
    guard UInt8(truncatingIfNeeded: snapshot) & Instruments.lockOrder != 0,
      let stack = HeldStack.current(epoch: snapshot >> 8)
    else { return }
    LockOrderCheck.before(stack, object, kind, isShared ? .shared : .exclusive, epoch: snapshot >> 8, site)
  }

  // The byte is read anew, after the acquisition: what is noted here is given back under the same count of switching
  // on, or under none (Instruments.snapshot).
  static func isTaken(_ kind: WaitKind, _ lock: UInt, behind holder: UInt64, since: UInt64, at site: CallSite) {
    let snapshot = Instruments.snapshot
    let byte = UInt8(truncatingIfNeeded: snapshot)
    guard byte & Instruments.lockTracking != 0, let stack = HeldStack.current(epoch: snapshot >> 8) else { return }
    stack.push(lock, kind, kind.lockMode, site)
    guard byte & Instruments.lockStatistics != 0 else { return }
    let cell = LockOrderCheck.entry(lock, kind, snapshot >> 8).lockClass.usage
    _ = cell.pointee.acquisitions.addRelaxed(1)  // relaxed: statistics, read alone
    if since != 0 { LockUsages.add(Clock.uptime() &- since, behind: holder, to: cell) }
  }

  static func isGivenBack(_ lock: UInt) {
    let snapshot = Instruments.snapshot
    guard UInt8(truncatingIfNeeded: snapshot) & Instruments.lockTracking != 0 else { return }
    HeldStack.current(epoch: snapshot >> 8)?.pop(lock)
  }

  static func isMade(_ kind: WaitKind, _ lock: UInt, for identity: LockIdentity) {
    let epoch = Instruments.snapshot >> 8
    LockWorld.lock.withLock { LockRegistry.createdAssumingLocked(lock, kind, identity, epoch: epoch) }
  }

  static func isMade(_ kind: WaitKind, _ lock: UInt, at site: CallSite) {
    let epoch = Instruments.snapshot >> 8, site = site.addresses
    LockWorld.lock.withLock { LockRegistry.createdAssumingLocked(lock, kind, site: site, epoch: epoch) }
  }

  static func waits(for kind: WaitKind, timeLeft: UInt64?, at site: CallSite) {
    let snapshot = Instruments.snapshot
    guard UInt8(truncatingIfNeeded: snapshot) & Instruments.lockOrder != 0 else { return }
    WaitNote.take(kind, timeLeft: timeLeft, epoch: snapshot >> 8, site)
  }
}

extension WaitKind {
  var lockMode: LockMode { self == .readLock ? .shared : .exclusive }
}

// MARK: waits for a group, condition or the like while holding a lock

// No order of locks, but a way to wait forever.

enum WaitNote {
  /// Notes once for each place in the program that a thread waits while it holds a lock.
  @inline(never)
  static func take(_ kind: WaitKind, timeLeft: UInt64?, epoch: UInt64, _ caller: CallSite) {
    guard let stack = HeldStack.current(epoch: epoch), stack[.isBusy] == 0, let index = innermostLock(stack) else { return }
    let held = stack.entry(index)
    let site = caller.addresses
    stack[.isBusy] = 1
    defer { stack[.isBusy] = 0 }
    let entry = LockOrderCheck.entry(held.address, held.kind, epoch)
    let finding = LockWorld.lock.withLock { () -> LockOrderFinding? in
      // Without frames to walk the class has to do.
      let key = site.isEmpty ? [UInt(entry.lockClass.id)] : site
      guard LockWorld.notedWaits.insert(key).inserted else { return nil }
      let place = LockOrderPlace(threadName: Threads.ownName(), tid: stack[.tid], heldAt: held.stack, wantedAt: site)
      let text = LockRegistry.textAssumingLocked(entry.lockClass.id) ?? LockClassText(kind: held.kind, address: held.address)
      let step = LockOrderFinding.Step(place: place, held: text, wanted: LockClassText(kind: kind))
      return LockOrderFinding(kind: .waitUnderLock, steps: [step], timeLeft: timeLeft)
    }
    if let finding { LockOrder.tell(finding) }
  }

  /// A once that runs is no lock to give back.
  private static func innermostLock(_ stack: HeldStack) -> Int? {
    var index = stack.count - 1
    while index >= 0 {
      if stack.entry(index).kind != .once { return index }
      index -= 1
    }
    return nil
  }
}
