// QueueTests.swift: queues: pushes and drains, the gate and its hand-over, barriers, suspension, sources and timers.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct QueueTests {
  init() { LockTuning.rounds = 0 }

  @Test("Two threads sync on a serial queue: one after the other")
  func syncs() throws {
    try expectAll(weaker: [.acquires]) {
      let queue = DispatchQueue(label: "queue"), number = Number()
      race({ queue.sync { number.add() } }, { queue.sync { number.add() } })
      try number.expect(2)
    }
  }

  @Test("Two threads sync on a serial queue, in sequential memory in all schedules")
  func syncsAll() throws {
    try expectAll(memory: .sequential) {
      let queue = DispatchQueue(label: "queue"), number = Number()
      race({ queue.sync { number.add() } }, { queue.sync { number.add() } })
      try number.expect(2)
    }
  }

  @Test("Three threads sync on a serial queue: the gate and its hand-over")
  func syncsOfThree() throws {
    try expectSome(weaker: [.acquires]) {
      let queue = DispatchQueue(label: "queue"), number = Number()
      let visit: @Sendable () -> Void = { queue.sync { number.add() } }
      race(visit, visit, visit)
      try number.expect(3)
    }
  }

  @Test("Items that two threads push run, one at a time")
  func pushes() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number(), done = DispatchSemaphore(value: 0)
      let push: @Sendable () -> Void = {
        queue.async {
          number.add()
          done.signal()
        }
      }
      race(push, push)
      done.wait()
      done.wait()
      try number.expect(2)
    }
  }

  @Test("A push meets the end of a drain: the item is left behind by nobody")
  func pushAtTheEnd() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
      race(
        { queue.sync {} },
        {
          queue.async { done.signal() }
          done.wait()
        })
    }
  }

  @Test("A sync behind items sees what they wrote")
  func syncBehindItems() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number(), saw = Saw()
      race(
        {
          queue.async { number.add() }
          queue.sync { saw.values = [number.read()] }
        }, { queue.sync { number.add() } })
      try require(saw.values[0] >= 1, "\(saw.values)")
      try number.expect(2)
    }
  }

  @Test("A barrier excludes syncs of others")
  func barrier() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue", attributes: .concurrent), number = Number(), saw = Saw()
      race(
        { queue.sync(flags: .barrier) { number.add() } }, { queue.sync(flags: .barrier) { number.add() } },
        { queue.sync { saw.values = [number.read(), number.read()] } })
      try number.expect(2)
      try require(saw.values[0] == saw.values[1], "a barrier ran beside a reader: \(saw.values)")
    }
  }

  @Test("A reader sees all that a barrier wrote, or nothing, and the other way round")
  func barrierBesideReader() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue", attributes: .concurrent), first = Number(), second = Number(), saw = Saw()
      race(
        {
          queue.sync(flags: .barrier) {
            first.add()
            second.add()
          }
        }, { saw.values = queue.sync { [second.read(), first.read()] } })
      try require(saw.values[0] == saw.values[1], "the reader saw a half: \(saw.values)")
      try first.expect(1)
    }
  }

  @Test("A barrier sees all that a reader wrote, or nothing")
  func readerBesideBarrier() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue", attributes: .concurrent), first = Number(), second = Number(), saw = Saw()
      race(
        {
          queue.sync {
            first.add()
            second.add()
          }
        }, { saw.values = queue.sync(flags: .barrier) { [second.read(), first.read()] } })
      try require(saw.values[0] == saw.values[1], "the barrier saw a half: \(saw.values)")
    }
  }

  @Test("Items of a queue that runs one at a time: whoever finds no place is not forgotten", arguments: [1, 2])
  func width(_ width: Int) throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue", attributes: .concurrent), done = DispatchSemaphore(value: 0)
      _ = queue.setWidth(width)
      let push: @Sendable () -> Void = { queue.async { done.signal() } }
      race(push, push)
      done.wait()
      done.wait()
    }
  }

  @Test("A suspended queue runs what it holds when it is resumed")
  func suspension() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
      queue.suspend()
      race({ queue.async { done.signal() } }, { queue.resume() })
      done.wait()
    }
  }

  @Test("A queue is suspended and resumed while others use it")
  func suspensionMeanwhile() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number()
      race(
        {
          queue.suspend()
          queue.resume()
        }, { queue.sync { number.add() } }, { queue.sync { number.add() } })
      try number.expect(2)
    }
  }

  @Test("A queue is activated while others use it: what it holds runs")
  func activation() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue", attributes: .initiallyInactive), number = Number()
      let done = DispatchSemaphore(value: 0)
      race(
        { queue.activate() },
        {
          queue.async {
            number.add()
            done.signal()
          }
        }, { queue.activate() })
      done.wait()
      try queue.sync { try number.expect(1) }
    }
  }

  @Test("A queue gets another target while others use it: its items run one at a time all the same")
  func retarget() throws {
    try expectSome {
      let first = DispatchQueue(label: "first"), second = DispatchQueue(label: "second"), guarded = Guarded()
      let queue = DispatchQueue.ofC(target: first), done = DispatchSemaphore(value: 0)
      race(
        { queue.setTarget(queue: second) },
        {
          queue.async {
            guarded.add()
            done.signal()
          }
        }, { queue.sync { guarded.add() } })
      done.wait()
      try queue.sync { try guarded.expect(2) }
    }
  }

  @Test("A queue that is between two targets when it is let go of is touched by nobody")
  func retargetLastReference() throws {
    try expectSome {
      let first = DispatchQueue(label: "first"), done = DispatchSemaphore(value: 0)
      race(
        {
          let queue = DispatchQueue.ofC(target: first)
          queue.async { done.signal() }
          queue.setTarget(queue: nil)
        }, { first.sync {} })
      done.wait()
    }
  }

  @Test("A queue is let go of while its last item runs")
  func lastReference() throws {
    try expectSome {
      let done = DispatchSemaphore(value: 0)
      race({
        DispatchQueue(label: "queue").async { done.signal() }
      })
      done.wait()
    }
  }

  @Test("A group's notification comes once")
  func notification() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), group = DispatchGroup(), number = Number(), done = DispatchSemaphore(value: 0)
      group.enter()
      race(
        { group.leave() },
        {
          group.notify(queue: queue) {
            number.add()
            done.signal()
          }
        })
      done.wait()
      try queue.sync { try number.expect(1) }
    }
  }

  @Test("A source that is cancelled while data comes calls its cancel handler once")
  func sourceCancelled() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0), number = Number()
      let source = SourceBox(DispatchSource.makeUserDataAddSource(queue: queue))
      source.source.setEventHandler {}
      source.source.setCancelHandler {
        number.add()
        done.signal()
      }
      source.source.resume()
      race({ source.source.add(data: 1) }, { source.source.cancel() }, { source.source.cancel() })
      done.wait()
      try number.expect(1)
    }
  }

  @Test("A timer that is cancelled while it is armed leaves nothing behind")
  func timerCancelled() throws {
    try expectSome(isStill: false) {
      let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
      let timer = TimerBox(DispatchSource.makeTimerSource(queue: queue))
      timer.timer.setEventHandler {}
      timer.timer.setCancelHandler { done.signal() }
      timer.timer.resume()
      race({ timer.timer.schedule(deadline: .now() + .milliseconds(1)) }, { timer.timer.cancel() })
      done.wait()
    }
  }
}

extension DispatchQueue {
  /// One that may get another target after it was used.
  static func ofC(target: DispatchQueue) -> DispatchQueue {
    DispatchQueue(cLabel: "queue", isConcurrent: false, isInactive: false, isLegacy: true, qos: .unspecified, target: target)
  }
}

private final class SourceBox: @unchecked Sendable {
  // SAFETY of @unchecked: a source may be used by any thread.
  let source: any DispatchSourceUserDataAdd
  init(_ source: any DispatchSourceUserDataAdd) { self.source = source }
}

final class TimerBox: @unchecked Sendable {
  // SAFETY of @unchecked: a source may be used by any thread.
  let timer: any DispatchSourceTimer
  init(_ timer: any DispatchSourceTimer) { self.timer = timer }
}
