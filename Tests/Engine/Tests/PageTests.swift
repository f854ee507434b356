// PageTests.swift: a queue's list goes on to another page: pushers and the drainer meet where it does.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct PageTests {
  init() { LockTuning.rounds = 0 }

  @Test("Items that need another page are all run, whoever drains meanwhile")
  func nextPage() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number(), before = Int(InlineSlots.count)
      queue.suspend()
      for _ in 0..<before { queue.async { number.add() } }
      race({ queue.async { number.add() } }, { queue.async { number.add() } }, { queue.resume() })
      try queue.sync { try number.expect(UInt64(before) + 2) }
    }
  }

  @Test("The first item of another page is run, though the drainer has come to the end of the one before")
  func atTheEnd() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number(), before = Int(InlineSlots.count)
      queue.suspend()
      for _ in 0..<before { queue.async { number.add() } }
      race(
        { queue.resume() },
        { for _ in 0..<2 { queue.async { number.add() } } })
      try queue.sync { try number.expect(UInt64(before) + 2) }
    }
  }
}
