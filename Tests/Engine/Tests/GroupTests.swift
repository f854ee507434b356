// GroupTests.swift: semaphores, groups and the end of work items.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct GroupTests {
  init() { LockTuning.rounds = 0 }

  @Test("A semaphore hands over what was written before the signal, all schedules")
  func semaphore() throws {
    try expectAll(weaker: [.releases, .acquires, .wakes]) {
      let semaphore = DispatchSemaphore(value: 0), number = Number(), saw = Saw()
      race(
        {
          number.add()
          semaphore.signal()
        },
        {
          semaphore.wait()
          saw.values = [number.read()]
        })
      try require(saw.values == [1], "\(saw.values)")
    }
  }

  @Test("A semaphore as a lock, all schedules")
  func semaphoreAsLock() throws {
    try expectAll(weaker: [.acquires, .wakes]) {
      let semaphore = DispatchSemaphore(value: 1), number = Number()
      let visit: @Sendable () -> Void = {
        semaphore.wait()
        number.add()
        semaphore.signal()
      }
      race(visit, visit)
      try number.expect(2)
    }
  }

  @Test("A semaphore: two wait, two signal")
  func semaphoreFour() throws {
    try expectSome {
      let semaphore = DispatchSemaphore(value: 0)
      race({ semaphore.wait() }, { semaphore.wait() }, { semaphore.signal() }, { semaphore.signal() })
    }
  }

  @Test("A semaphore that is let go of by the thread that waited, all schedules")
  func semaphoreFreed() throws {
    try expectAll {
      let semaphore = Unmanaged.passRetained(DispatchSemaphore(value: 0))
      let lent = Lent(semaphore)
      race(
        { _ = lent.use { $0.signal() } },
        {
          lent.use { $0.wait() }
          semaphore.release()
        })
    }
  }

  @Test("The two halves of a semaphore's calls hand over as much, all schedules")
  func semaphoreHalves() throws {
    try expectAll(weaker: [.releases, .acquires, .wakes]) {
      let semaphore = DispatchSemaphore(value: 1), number = Number(), saw = Saw()
      _ = semaphore.takeQuickly()  // uses its word once, as `touch` does
      race(
        {
          number.add()
          if !semaphore.giveQuickly() { _ = semaphore.signalAfterGiving() }
        },
        {
          if !semaphore.takeQuickly() { _ = semaphore.waitAfterTaking(~0) }
          saw.values = [number.read()]
        })
      _ = semaphore.giveQuickly()
      try require(saw.values == [1], "\(saw.values)")
    }
  }

  @Test("What runs once under C's token: both callers see what it wrote, all schedules", arguments: [false, true])
  func onceToken(asksFirst: Bool) throws {
    try expectAll {
      let token = TokenPlace(), number = Number(), saw = [Saw(), Saw()]
      OnceToken.lock.withLock {}  // uses its word once, as `touch` does
      let call: @Sendable (Int) -> Void = { index in
        if !asksFirst || !OnceToken.isDone(token.word) { OnceToken.run(token.word) { number.add() } }
        saw[index].values = [number.read()]
      }
      race({ call(0) }, { call(1) })
      try require(saw.allSatisfy { $0.values == [1] }, "\(saw.map(\.values))")
    }
  }

  @Test("Who sees that a work item is cancelled sees what came before, all schedules")
  func cancelledItem() throws {
    try expectAll(weaker: [.releases, .acquires]) {
      let item = ItemBox(DispatchWorkItem {}), number = Number(), saw = Saw()
      race(
        {
          number.add()
          item.item.cancel()
        }, { if item.item.isCancelled { saw.values = [number.read()] } })
      try require(saw.values.isEmpty || saw.values == [1], "\(saw.values)")
    }
  }

  @Test("A group: who waits sees what the members did, all schedules")
  func group() throws {
    try expectAll {
      let group = DispatchGroup(), number = Number(), saw = Saw()
      group.enter()
      race(
        {
          number.add()
          group.leave()
        },
        {
          group.wait()
          saw.values = [number.read()]
        })
      try require(saw.values == [1], "\(saw.values)")
    }
  }

  @Test("A group with two members, and one who waits")
  func groupOfTwo() throws {
    try expectSome {
      let group = DispatchGroup(), one = Number(), two = Number(), saw = Saw()
      group.enter()
      group.enter()
      race(
        {
          one.add()
          group.leave()
        },
        {
          two.add()
          group.leave()
        },
        {
          group.wait()
          saw.values = [one.read(), two.read()]
        })
      try require(saw.values == [1, 1], "\(saw.values)")
    }
  }

  @Test("A group is entered again while others wait for the first time to end")
  func groupAgain() throws {
    try expectSome {
      let group = DispatchGroup()
      group.enter()
      race(
        {
          group.leave()
          group.enter()
          group.leave()
        }, { group.wait() }, { group.wait() })
    }
  }

  @Test("The end of a work item's run is not missed by who waits for it, all schedules")
  func workItem() throws {
    try expectAll(mustEnd: false) {
      let number = Number(), saw = Saw()
      let item = ItemBox(DispatchWorkItem { number.add() })
      race(
        { item.item.perform() },
        {
          item.item.wait()
          saw.values = [number.read()]
        })
      try require(saw.values == [1], "\(saw.values)")
    }
  }

  @Test("Who finds that a work item has ended sees what it did, all schedules")
  func endedItem() throws {
    try expectAll {
      let number = Number(), saw = Saw(), item = ItemBox(DispatchWorkItem { number.add() })
      _ = item.item.hasEnded  // uses its word once, as `touch` does
      race({ item.item.perform() }, { if item.item.hasEnded { saw.values = [number.read()] } })
      try require(saw.values.isEmpty || saw.values == [1], "\(saw.values)")
    }
  }

  @Test("Who waits for a work item that a queue alone held sees what it did")
  func weaklyHeldItem() throws {
    // That an item is still there when a weak reference is read is no point: a search of all schedules does not turn it round.
    try expectSome {
      let number = Number(), saw = Saw()
      let reference = Unmanaged.passRetained(DispatchWorkItem { number.add() })
      let held = WeakItem(reference)
      _ = Lent(reference).use { $0.hasEnded }  // uses its word once, as `touch` does
      race(
        { DispatchWorkItem.performForQueue(reference, nil) },
        {
          guard let item = held.item else { return }
          item.wait()
          saw.values = [number.read()]
        })
      try require(saw.values.isEmpty || saw.values == [1], "\(saw.values)")
    }
  }

  @Test("Who finds the queue in which a work item lies finds it whole, all schedules")
  func foundQueue() throws {
    try expectAll(weaker: [.releases, .acquires]) {
      let queue = DispatchQueue(label: "queue"), number = Number(), saw = Saw(), item = ItemBox(DispatchWorkItem {})
      _ = item.item.isUnclear  // uses its word once, as `touch` does
      race(
        {
          number.add()
          item.item.noteSubmission(to: queue)
        }, { if case .queue = WorkItemWaits.find(item.item) { saw.values = [number.read()] } })
      try require(saw.values.isEmpty || saw.values == [1], "\(saw.values)")
    }
  }

  @Test("A work item is cancelled while it is performed")
  func workItemCancelled() throws {
    try expectAll {
      let item = ItemBox(DispatchWorkItem {})
      race({ item.item.perform() }, { item.item.cancel() }, { item.item.wait() })
    }
  }

  @Test("A group's gate whose ticket is read after the flag is asked for is found")
  func groupTicketTooLate() {
    expectFailure(.deadlock) {
      let gate = SharedWord(), state = SharedWord()
      race(
        {
          // As tell(): the flag is taken off, then the ticket changes.
          if state.value.exchangeAcqRel(2) == 1 {
            _ = gate.value.addSeqCst(1)
            gate.value.wake(count: .max)
          }
        },
        {
          if state.value.casAcqRel(0, 1).exchanged {
            let ticket = gate.value.loadAcquire()
            gate.value.park(expected: ticket)
          }
        })
    }
  }
}

private final class WeakItem: @unchecked Sendable {
  // SAFETY of @unchecked: set once; a weak reference may be read by any thread.
  private(set) weak var item: DispatchWorkItem?
  init(_ reference: Unmanaged<DispatchWorkItem>) { item = reference.takeUnretainedValue() }
}

/// A token of C's.
private final class TokenPlace: @unchecked Sendable {
  // SAFETY of @unchecked: it is touched as an atomic word only.
  let word = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  init() { word.initialize(to: 0) }
  deinit { word.deallocate() }
}

private final class ItemBox: @unchecked Sendable {
  // SAFETY of @unchecked: a work item may be used by any thread.
  let item: DispatchWorkItem
  init(_ item: DispatchWorkItem) { self.item = item }
}
