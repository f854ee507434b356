// ParkingTests.swift: sleeping on a word: every reason for which a park ends, on both clocks. Lost wakes are the engine's tests'.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Parking on a word") struct ParkingTests {
  enum Side: String, CaseIterable, Sendable {
    case uptime, wall
    func now() -> UInt64 { self == .uptime ? Clock.uptime() : Clock.wall() }
    func deadline(_ point: UInt64) -> ParkDeadline { self == .uptime ? .uptime(point) : .wall(point) }
  }

  @Test("A deadline that has passed ends the park at once", arguments: Side.allCases)
  func pastDeadline(side: Side) {
    let word = SharedWord(7)
    for point in [0, 1, side.now() - 1, side.now()] {
      #expect(word.park(expected: 7, deadline: side.deadline(point)) == .timedOut)
    }
  }

  @Test("A park never ends before its deadline", arguments: Side.allCases)
  func futureDeadline(side: Side) {
    let word = SharedWord(7)
    for delay in [0, 1, 50, 1_000, 30_000] as [UInt64] {
      let point = side.now() + delay * 1_000
      var outcome = ParkOutcome.woken
      // A signal meant for another thread of the process may end a park early.
      for _ in 0..<1_000 where outcome == .woken { outcome = word.park(expected: 7, deadline: side.deadline(point)) }
      #expect(outcome == .timedOut)
      #expect(side.now() >= point)
    }
  }

  @Test("Another value than the expected one does not sleep", arguments: Side.allCases)
  func changedValue(side: Side) {
    let word = SharedWord(8)
    #expect(word.park(expected: 7) == .changed)
    #expect(word.park(expected: 7, deadline: side.deadline(side.now() + milliseconds(60_000))) == .changed)
    #expect(word.park(expected: 7, deadline: side.deadline(.max)) == .changed)
  }

  @Test("A wake ends a park without a deadline, with a distant one, and with an infinite one")
  func wake() {
    for deadline in [.never, .uptime(.max), .wall(.max), .uptime(Clock.uptime() + milliseconds(60_000))] as [ParkDeadline] {
      let (word, done) = (SharedWord(), SharedWord())
      let sleeper = TestThread {
        while word.value.loadAcquire() == 0 { _ = word.park(expected: 0, deadline: deadline) }
        done.value.storeRelease(1)
      }
      // Not stored before the sleeper has been woken once: only the wake can end its sleep.
      #expect(eventually { word.wake() == 1 })
      word.value.storeRelease(1)
      #expect(
        eventually {
          _ = word.wake()
          return done.value.loadAcquire() == 1
        })
      sleeper.join()
    }
  }

  @Test("A wake reaches at most as many sleepers as it says, and none when nobody sleeps")
  func wakeCount() {
    let (word, asleep) = (SharedWord(), SharedWord())
    #expect(word.wake(count: .max) == 0)
    @Sendable func sleep() {
      _ = asleep.value.addSeqCst(1)
      while word.value.loadAcquire() == 0 { _ = word.park(expected: 0) }
    }
    let threads = (0..<3).map { _ in TestThread(sleep) }
    #expect(eventually { asleep.value.loadAcquire() == 3 })
    var most = 0
    for _ in 0..<100 { most = max(most, word.wake(count: 2)) }
    #expect(most <= 2)
    word.value.storeRelease(1)
    _ = word.wake(count: .max)
    for thread in threads { thread.join() }
  }

  @Test("A signal ends the park, and errno is as it was")
  func signal() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      sigaction(SIGUSR1, &action, nil)  // without SA_RESTART
      let (word, done) = (SharedWord(), SharedWord())
      let sleeper = TestThread {
        // The test's own thread belongs to a pool that blocks signals, and this one inherits that.
        var mask = sigset_t()
        sigaddset(&mask, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        errno = 77
        let outcome = word.park(expected: 0, deadline: .uptime(Clock.uptime() + milliseconds(60_000)))
        #expect(errno == 77)
        #expect(outcome == .woken)
        done.value.storeRelease(1)
      }
      while done.value.loadAcquire() == 0 {
        sleeper.signal(SIGUSR1)
        sleepPlainly(microseconds: 500)  // time to park again
      }
      sleeper.join()
    }
  }

  @Test("errno is as it was after each outcome")
  func errnoSurvives() {
    let word = SharedWord(1)
    errno = 99
    _ = word.park(expected: 0)
    #expect(errno == 99)
    _ = word.park(expected: 1, deadline: .uptime(1))
    #expect(errno == 99)
    _ = word.wake()
    #expect(errno == 99)
  }
}
