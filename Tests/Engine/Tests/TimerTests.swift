// TimerTests.swift: timers: arming, moving, cancelling and firing, and the alarm that two threads set. Time goes on here: what fires,
// fires because its time has come.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct TimerTests {
  init() { LockTuning.rounds = 0 }

  @Test("An alarm that two threads set: the earlier point is not slept over")
  func alarm() throws {
    try expectSome(isStill: false) {
      let came = SharedWord()
      let alarm = ClockAlarm(.uptime, isPrivate: true) {
        came.value.storeRelease(1)
        came.value.wake()
      }
      let start = Clock.uptime()
      // As two that arm: whoever lowers the point sets the alarm for it.
      race({ alarm.set(for: start + 1_000_000) }, { alarm.set(for: start + 1_000_000) })
      while came.value.loadAcquire() == 0 { came.value.park(expected: 0) }
      alarm.end()
    }
  }

  @Test("Two threads arm timers: both come, whichever is the earlier")
  func armed() throws {
    try expectSome(isStill: false) {
      let queue = DispatchQueue(label: "queue"), number = Number(), done = DispatchSemaphore(value: 0)
      let arm: @Sendable (Int) -> Void = { delay in
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) {
          number.add()
          done.signal()
        }
      }
      race({ arm(2) }, { arm(1) })
      done.wait()
      done.wait()
      try queue.sync { try number.expect(2) }
    }
  }

  @Test("A timer is moved forward while the alarm goes for another: it comes, and is not late by the old one")
  func moved() throws {
    try expectSome(isStill: false) {
      let queue = DispatchQueue(label: "queue"), came = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
      let timer = TimerBox(DispatchSource.makeTimerSource(queue: queue))
      timer.timer.setEventHandler { came.signal() }
      timer.timer.setCancelHandler { done.signal() }
      // By itself it would come in an hour.
      timer.timer.schedule(deadline: .now() + .seconds(3_600))
      timer.timer.resume()
      race(
        { timer.timer.schedule(deadline: .now() + .milliseconds(1)) },
        { queue.asyncAfter(deadline: .now() + .milliseconds(1)) { came.signal() } })
      try require(came.wait(timeout: .now() + .seconds(60)) == .success, "neither came")
      try require(came.wait(timeout: .now() + .seconds(60)) == .success, "one of the two did not come")
      timer.timer.cancel()
      done.wait()
    }
  }

  @Test("A timer that is cancelled while it fires: no event comes after the cancel handler, which comes once")
  func cancelledWhileItFires() throws {
    try expectSome(isStill: false) {
      let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0), number = Number(), late = Number()
      let timer = TimerBox(DispatchSource.makeTimerSource(queue: queue))
      timer.timer.setEventHandler { if number.read() > 0 { late.add() } }
      timer.timer.setCancelHandler {
        number.add()
        done.signal()
      }
      timer.timer.schedule(deadline: .now(), repeating: .milliseconds(1))
      timer.timer.resume()
      race({ timer.timer.cancel() }, { timer.timer.schedule(deadline: .now(), repeating: .milliseconds(2)) })
      done.wait()
      try queue.sync {
        try number.expect(1)
        try late.expect(0)
      }
    }
  }

  @Test("A timer that is let go of while its alarm goes is touched by nobody")
  func lastReference() throws {
    try expectSome(isStill: false) {
      let queue = DispatchQueue(label: "queue"), ended = DispatchSemaphore(value: 0)
      race(
        {
          let timer = DispatchSource.makeTimerSource(queue: queue)
          timer.setEventHandler {}
          timer.schedule(deadline: .now() + .milliseconds(1))
          timer.resume()
        }, { queue.asyncAfter(deadline: .now() + .milliseconds(1)) { ended.signal() } })
      ended.wait()
    }
  }

  @Test("An alarm whose sleeper reads the point before the word is found")
  func alarmReadsThePointFirst() {
    expectFailure(.deadlock) {
      let point = SharedWord(), changes = SharedWord()
      race(
        {
          point.value.storeSeqCst(1)
          _ = changes.value.addSeqCst(1)
          changes.value.wake()
        },
        {
          // As `sleepAndCall`, but for the order of the two loads.
          while true {
            if point.value.loadSeqCst() == 1 { return }
            let seen = changes.value.loadSeqCst()
            changes.value.park(expected: seen)
          }
        })
    }
  }
}
