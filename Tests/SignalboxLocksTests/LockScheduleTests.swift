// LockScheduleTests.swift: the lock's narrow moments in every order of two threads' operations, on real threads and the real words.
//
// Store buffers are LockModel's: a thread that is held has none. Patience is without end here, unless a scene is about it: no
// timer saves a thread that was left asleep. Scenes of three threads: Trio.swift.
#if Explore
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

/// One scene: a lock, a holder that unlocks when it is told to, and the waiters.
private final class Scene: @unchecked Sendable {
  // SAFETY of @unchecked: `sum` is touched only by the lock's holder.
  let core = LockCore()
  var sum = 0

  var isHandOff: Bool { core.crowd.hint().isHandOff }

  var isAtRest: Bool { core.word.loadRelaxed() == 0 && core.crowd.hint().rawValue % CrowdState.ticket == 0 }

  func visit() {
    core.lock(.mutex)
    sum += 1
    precondition(core.unlock(.mutex))
  }
  func visit(within milliseconds: Int64) {
    guard core.lock(.mutex, until: .after(.milliseconds(milliseconds))) else { return }
    sum += 1
    precondition(core.unlock(.mutex))
  }
}

@Suite("Two threads at one lock, in every order") struct LockScheduleTests {
  /// Plays a scene with the first thread stopped after n operations and the second after m, for all n and m.
  ///
  /// - Parameter play: builds the scene up, with waits that end after this many milliseconds, and says which two threads are to
  ///   race; nil if a wait has ended before the scene was ready, on a busy machine: it is given more time then.
  private static func everyOrder(_ play: (Stage, Scene, Int64) -> (Int, Int)?) {
    LockTuning.rounds = 0
    var (first, isFirstThrough) = (0, false)
    while !isFirstThrough {
      isFirstThrough = true
      var (second, isSecondThrough) = (0, false)
      while !isSecondThrough {
        let ends = act(first, second, play)
        if !ends.first { isFirstThrough = false }
        isSecondThrough = ends.second
        second += 1
      }
      first += 1
    }
  }

  /// One performance. Whether the two threads got through, or fell asleep, within their operations.
  private static func act(
    _ first: Int, _ second: Int, _ play: (Stage, Scene, Int64) -> (Int, Int)?
  ) -> (first: Bool, second: Bool) {
    for doubling in 0..<8 {
      LockTuning.patience = .max / 4
      let (stage, scene) = (Stage(), Scene())
      let race = play(stage, scene, 8 << doubling)
      var (isFirstHeld, isSecondHeld) = (false, false)
      if let (a, b) = race {
        isFirstHeld = stage.step(a, first).isStopped
        isSecondHeld = stage.step(b, second).isStopped
        stage.run(a)
        stage.run(b)
      }
      stage.end()
      if !scene.isAtRest { stage.fail("the lock is not free, or not without sleepers, in the end") }
      if race != nil { return (!isFirstHeld, !isSecondHeld) }
    }
    Stage().fail("the machine is too busy for this scene")
  }

  /// A thread that takes the lock and is about to give it back.
  private static func holder(_ stage: Stage, _ scene: Scene) -> Int {
    let index = stage.enter {
      scene.core.lock(.mutex)
      scene.sum += 1
      precondition(scene.core.unlock(.mutex))
    }
    stage.step(index, 2)  // the check of the crowd, and the swap
    return index
  }

  @Test("A thread that announces its sleep while the holder unlocks is never left asleep")
  func announceAndUnlock() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      LockScheduleTests.everyOrder { stage, scene, _ in
        let holder = LockScheduleTests.holder(stage, scene)
        return (stage.enter { scene.visit() }, holder)
      }
    }
    #expect(!errorText(result).contains("schedule"), "\(errorText(result))")
  }

  @Test("When a wait's time comes while the holder unlocks, the other sleeper is not forgotten")
  func timeOutAndUnlock() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      LockScheduleTests.everyOrder { stage, scene, time in
        let holder = LockScheduleTests.holder(stage, scene)
        let timed = stage.enter { scene.visit(within: time) }
        guard stage.park(timed), stage.park(stage.enter { scene.visit() }) else { return nil }
        stage.awaken(timed)
        return (timed, holder)
      }
    }
    #expect(!errorText(result).contains("schedule"), "\(errorText(result))")
  }

  @Test("A wait that has used up a wake and gives up passes the wake on")
  func wakeUsedUp() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      LockScheduleTests.everyOrder { stage, scene, time in
        let holder = LockScheduleTests.holder(stage, scene)
        let timed = stage.enter { scene.visit(within: time) }
        guard stage.park(timed) else { return nil }
        let sleeper = stage.enter { scene.visit() }
        guard stage.park(sleeper) else { return nil }
        stage.run(holder)
        stage.awaken(timed)
        // By the holder, not by its time: the wake has not gone to the other.
        guard stage.rest(sleeper) == .parked else { return nil }
        let other = LockScheduleTests.holder(stage, scene)
        sleepPlainly(milliseconds: Int(time))  // its time comes while it is held
        return (timed, other)
      }
    }
    #expect(!errorText(result).contains("schedule"), "\(errorText(result))")
  }

  @Test("When a starving sleeper gives up while the lock is handed to it, the next one is woken")
  func starvingGivesUp() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      LockScheduleTests.everyOrder { stage, scene, time in
        let holder = LockScheduleTests.holder(stage, scene)
        LockTuning.patience = 1_000_000
        let starving = stage.enter { scene.visit(within: time) }
        guard stage.park(starving) else { return nil }
        stage.awaken(starving)
        LockTuning.patience = .max / 4
        guard stage.park(starving), scene.isHandOff, stage.park(stage.enter { scene.visit() }) else { return nil }
        stage.awaken(starving)
        sleepPlainly(milliseconds: Int(time))  // woken to ask again, perhaps; its time comes while it is held
        return (starving, holder)
      }
    }
    #expect(!errorText(result).contains("schedule"), "\(errorText(result))")
  }

  @Test("A starving sleeper that is handed the lock while another asks is woken, and then the next")
  func handOffAndBarge() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      LockScheduleTests.everyOrder { stage, scene, _ in
        let holder = LockScheduleTests.holder(stage, scene)
        LockTuning.patience = 1_000_000
        let starving = stage.enter { scene.visit() }
        guard stage.park(starving) else { return nil }
        stage.awaken(starving)
        LockTuning.patience = .max / 4
        guard stage.park(stage.enter { scene.visit() }), stage.park(starving), scene.isHandOff else { return nil }
        return (holder, stage.enter { scene.visit() })
      }
    }
    #expect(!errorText(result).contains("schedule"), "\(errorText(result))")
  }

  @Test("When one of two sleepers takes the lock while another thread barges, the second is woken too")
  func retakeAndBarge() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      LockScheduleTests.everyOrder { stage, scene, time in
        let holder = LockScheduleTests.holder(stage, scene)
        let first = stage.enter { scene.visit() }
        guard stage.park(first), stage.park(stage.enter { scene.visit() }) else { return nil }
        stage.run(holder)
        stage.awaken(first)
        return (first, stage.enter { scene.visit() })
      }
    }
    #expect(!errorText(result).contains("schedule"), "\(errorText(result))")
  }
}
#endif
