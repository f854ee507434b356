// WaitNote.swift: waiting for a group, condition or the like while holding a lock: no order of locks, but a way to wait forever.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

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
