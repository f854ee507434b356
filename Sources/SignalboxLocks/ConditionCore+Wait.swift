// ConditionCore+Wait.swift: waiting for a condition: give the lock back, spin while it may help, sleep, take the lock again.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension ConditionCore {
  /// Gives `lock`, which the caller holds, back, waits to be called, and takes it again.
  ///
  /// - Parameters:
  ///   - deadline: when to stop waiting. One that has passed answers at once, and the lock is not given back.
  ///   - trust: whether the lock's holder is the thread that its word names, should taking it again mean waiting.
  /// - Returns: false if the deadline came first. The lock is held either way.
  package func wait(
    _ lock: borrowing LockCore, _ kind: WaitKind, object: UInt, until deadline: LockDeadline = .never,
    _ trust: HolderTrust = .certain
  ) -> Bool {
    if deadline != .never, deadline.hasPassed { return false }
    if _slowPath(!Instruments.areOff) { isTold ? tell(lock) : ExplorerLink.usesUnseen() }
    var place = ConditionPlace(tag: 0)
    return withUnsafeMutablePointer(to: &place) { place in
      let owed = takeOwed()
      enlist(place)
      LockEvent.released(lock.address)
      lock.release()
      wake(owed)
      if deadline == .never { LockEvent.waits(for: kind) }
      let isCalled = sleep(place, kind, object, until: deadline, .anyone)
      // With its events: what the thread has kept comes before this lock now, whatever came first when it took them.
      _ = lock.lock(kind, object: object, until: .never, trust)
      if isCalled, let next = place.pointee.next, let sleeper = open(next) { oweAsHolder(sleeper) }
      return isCalled
    }
  }

  /// Sleeps until the gate of `place`, which is listed, opens; false if the deadline came first, and the place is off the list.
  /// `caller` is what can open it, as the record says it: no word names a thread.
  func sleep(
    _ place: Place, _ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ caller: OwnerWord
  ) -> Bool {
    let gate = withUnsafePointer(to: place.pointee.gate) { $0 }
    if isOpenAfterSpinning(gate) { return true }
    // acquire C2: pairs with C1, here and below.
    guard gate.pointee.casAcquire(ConditionPlace.closed, ConditionPlace.asleep).exchanged else { return true }
    let park = (word: UInt(bitPattern: gate), value: ConditionPlace.asleep)
    Waiting.begin(kind, object: object, isTimed: deadline != .never, park: park, OwnerWords(caller))
    defer { WaitRecord.withdraw() }
    return BlockingHook.around(longWait: true) {
      var deadline = deadline
      while gate.pointee.loadAcquire() != ConditionPlace.open {  // acquire C2, as above
        _ = Parking.park(gate, expected: ConditionPlace.asleep, deadline: deadline.park())
        if deadline != .never, deadline.hasPassed {
          if leave(place) { return false }
          deadline = .never  // called: those called before it have their turn first
        }
      }
      return true
    }
  }

  private func isOpenAfterSpinning(_ gate: Sleeper) -> Bool {
    // acquire C2, as above.
    AdaptiveSpin.run(&ThreadSlot.current.pointee.wait_spin, limit: LockTuning.answerSpins) {
      gate.pointee.loadAcquire() == ConditionPlace.open
    }
  }
}
