// LoopTests.swift: how others reach a loop that is about to sleep: a thread's run loop, and a queue whose items a loop performs.
import SignalboxExplore
import SignalboxFoundation
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct LoopTests {
  init() { LockTuning.rounds = 0 }

  @Test("A block that another thread leaves wakes a run loop that is about to sleep")
  func wakeUp() throws {
    try expectSome(isStill: false) {
      let start = Clock.uptime()
      let place = LoopPlace(), made = DispatchSemaphore(value: 0), number = Number()
      race(
        {
          let loop = RunLoop.current
          place.loop = loop
          let timer = Timer(timeInterval: 100, repeats: false) { _ in }
          loop.add(timer, forMode: .default)
          made.signal()
          while number.read() == 0 { _ = loop.run(mode: .default, before: .distantFuture) }
          timer.invalidate()
        },
        {
          made.wait()
          place.loop?.perform { number.add() }
        })
      place.loop = nil
      try number.expect(1)
      // By its timer the loop would have come to it as well.
      try require(Clock.uptime() - start < 50_000_000_000, "the loop slept over the block")
      // The loop has asked for a check whether anybody runs it, which comes to its end.
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(600))
    }
  }

  @Test("Items of a loop's queue are announced, and performed one at a time")
  func loopQueue() throws {
    try expectSome {
      let told = DispatchSemaphore(value: 0), number = Number()
      let queue = RunLoopQueue(label: "loop", isBound: false) { _ in told.signal() }
      let push: @Sendable () -> Void = { queue.async { number.add() } }
      race(
        push, push,
        {
          while number.read() < 2 {
            told.wait()
            while queue.perform() {}
          }
        })
      queue.handleIsReleased()
      try number.expect(2)
    }
  }

  @Test("A loop lets go of its queue while an item comes: the item runs all the same")
  func loopQueueAbandoned() throws {
    try expectSome {
      let done = DispatchSemaphore(value: 0)
      let queue = RunLoopQueue(label: "loop", isBound: false)
      race({ queue.async { done.signal() } }, { queue.handleIsReleased() })
      done.wait()
    }
  }
}

/// Where one thread leaves its loop for another, which a semaphore lets come after it.
private final class LoopPlace: @unchecked Sendable {
  // SAFETY of @unchecked: as said above.
  var loop: RunLoop?
}
