// RecordTests.swift: what threads say of themselves to others: their slots, and the records of what they wait for, along which the
// search for deadlocks walks.
import SignalboxExplore
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxLocks
@testable import SignalboxSystem
@testable import SignalboxWords

@Suite(.serialized) struct RecordTests {
  init() { LockTuning.rounds = 0 }

  // MARK: slots

  @Test("Two threads take slots: each has its own, all schedules")
  func slots() throws {
    try expectAll {
      let saw = [Saw(), Saw()]
      race({ saw[0].values = [UInt64(ThreadSlot.takeID())] }, { saw[1].values = [UInt64(ThreadSlot.takeID())] })
      defer { unseen { for one in saw { ThreadSlot.returnID(UInt16(one.values[0])) } } }
      try require(saw[0].values != saw[1].values, "both have slot \(saw[0].values)")
    }
  }

  @Test("A slot is given back and taken anew: whoever reads it meanwhile finds one owner whole, or nobody, all schedules")
  func slotReuse() throws {
    try expectAll(weaker: [.releases, .acquires]) {
      let slot = SlotInUse(), saw = Saw()
      race(
        {
          ThreadTable.leave(slot.owner(1))
          slot.enter(2)
        },
        {
          if let entry = ThreadTable.entry(slot: slot.id) { saw.values = [entry.owner, UInt64(entry.record)] }
        })
      unseen { slot.end() }
      try require(
        saw.values.isEmpty || saw.values == [slot.owner(1), slot.record(1)] || saw.values == [slot.owner(2), slot.record(2)],
        "\(saw.values) belongs to two threads")
    }
  }

  @Test("Whoever knows a thread by an old owner value does not find the slot's next owner, all schedules")
  func staleOwner() throws {
    try expectAll {
      let slot = SlotInUse(), saw = Saw()
      race(
        {
          ThreadTable.leave(slot.owner(1))
          slot.enter(2)
        }, { if let entry = ThreadTable.entry(owner: slot.owner(1)) { saw.values = [UInt64(entry.record)] } })
      unseen { slot.end() }
      try require(saw.values.isEmpty || saw.values == [slot.record(1)], "the old owner was found with another's record")
    }
  }

  // MARK: the walk

  @Test("Two threads take two locks the other way round: if both come to wait, one finds the cycle, all schedules")
  func cycle() throws {
    try expectAll(weaker: [.totalOrder]) {
      let locks = [SharedWord(), SharedWord()], saw = [Saw(), Saw()], owners = [Saw(), Saw()]
      let visit: @Sendable (Int) -> Void = { own in
        let me = ThreadSlot.owner(), other = locks[1 - own]
        owners[own].values = [me]
        _ = locks[own].value.casAcquire(0, UInt32(me))
        if other.value.casAcquire(0, UInt32(me)).exchanged { return }
        let address = other.value.address
        WaitRecord.publish(.unfairLock, object: address, isTimed: false, OwnerWords(OwnerWord(address, .lock)), since: 1)
        saw[own].values = [WaitGraph.cycle(from: me) != nil ? 1 : 0]
      }
      race({ visit(0) }, { visit(1) })
      unseen { for owner in owners { Record(slot: owner.values[0] & 0xFFFF)[.what] = 0 } }
      guard saw.allSatisfy({ !$0.values.isEmpty }) else { return }
      try require(saw.contains { $0.values == [1] }, "both wait, and neither has found the cycle")
    }
  }

  @Test("A cycle that was opened meanwhile is not found: the record of a wait that is over leads nowhere, all schedules")
  func openedCycle() throws {
    try expectAll {
      let locks = [SharedWord(), SharedWord()], saw = Saw(), owners = [Saw(), Saw()], begun = SharedWord()
      race(
        {
          // Holds the first lock and waits for the second; then the wait is over, and it gives the first back and waits anew.
          let me = ThreadSlot.owner()
          owners[0].values = [me]
          locks[0].value.storeRelease(UInt32(me))
          locks[0].wait(for: locks[1])
          begun.value.storeRelease(1)
          WaitRecord.withdraw()
          locks[0].value.storeRelease(0)
          locks[0].wait(for: locks[1])
        },
        {
          // Takes the second lock only when it has seen the first given back: so there never was a cycle.
          let me = ThreadSlot.owner()
          owners[1].values = [me]
          guard begun.value.loadAcquire() == 1, locks[0].value.loadAcquire() == 0 else { return }
          locks[1].value.storeRelease(UInt32(me))
          locks[1].wait(for: locks[0])
          saw.values = [WaitGraph.cycle(from: me) != nil ? 1 : 0]
        })
      unseen { for owner in owners { Record(slot: owner.values[0] & 0xFFFF)[.what] = 0 } }
      try require(saw.values.isEmpty || saw.values == [0], "a cycle was found that never was")
    }
  }

  @Test("A record that is written anew while another thread reads it: what was read belongs to one wait, all schedules")
  func recordOfOneWait() throws {
    try expectAll(weaker: [.releases, .acquires]) {
      let objects = [SharedWord(), SharedWord()], saw = Saw(), owner = SharedOwner()
      race(
        {
          let me = ThreadSlot.owner()
          owner.word.storeRelaxed(me)
          objects[0].wait(for: objects[0])
          objects[1].wait(for: objects[1])
        },
        {
          let other = owner.word.loadRelaxed()
          guard other != 0, let wait = WaitReading(of: other) else { return }
          let object = wait.record[.object], word = wait.record.ownerWords
          if wait.stillStands { saw.values = [object, word.count == 1 ? UInt64(word[0].address) : 0] }
        })
      unseen { Record(slot: owner.word.loadRelaxed() & 0xFFFF)[.what] = 0 }
      try require(saw.values.isEmpty || saw.values[0] == saw.values[1], "\(saw.values) are of two waits")
    }
  }
}

/// A slot of the table that two threads have, one after the other, which are none.
private final class SlotInUse: @unchecked Sendable {
  // SAFETY of @unchecked: nothing of it changes; the records are addresses only.
  let id: UInt64
  private let records = UnsafeMutablePointer<ThreadRecord>.allocate(capacity: 2)

  init() {
    id = unseen { UInt64(ThreadSlot.takeID()) }
    for index in 0..<2 {
      records[index] = ThreadRecord()
      records[index].tid = UInt64(100 + index)
    }
    unseen { enter(1) }
  }

  func owner(_ which: Int) -> UInt64 { id | UInt64(which) << UInt64(ThreadSlot.idBits) }
  func record(_ which: Int) -> UInt64 { UInt64(UInt(bitPattern: records + (which - 1))) }
  func enter(_ which: Int) { ThreadTable.enter(owner(which), records + (which - 1)) }
  func end() {
    ThreadTable.leave(owner(2))
    ThreadSlot.returnID(UInt16(id))
    records.deallocate()
  }
}

private final class SharedOwner: Sendable { let word = Atomic64(0) }

extension SharedWord {
  /// The calling thread says that it waits for `lock`, a word that names its holder, and goes on.
  fileprivate func wait(for lock: SharedWord) {
    let address = lock.value.address
    WaitRecord.publish(.unfairLock, object: address, isTimed: false, OwnerWords(OwnerWord(address, .lock)), since: 1)
  }
}
