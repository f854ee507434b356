// NotedLocks.swift: what is noted of locks that threads ask for, take and give back, while their orders are checked or
// they are counted. Their events come by LockEvents.swift.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

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
