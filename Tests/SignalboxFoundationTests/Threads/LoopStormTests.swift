// LoopStormTests.swift: several threads leave blocks and timers with one loop, move and invalidate them, while it runs in two modes.
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

private typealias RunLoop = SignalboxFoundation.RunLoop
private typealias Timer = SignalboxFoundation.Timer
private typealias Thread = SignalboxFoundation.Thread

/// Numbers that differ from run to run, and are named when a test fails.
private struct Dice: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}

private final class Tally: Sendable {
  let performed = Atomic64(0), fired = Atomic64(0), early = Atomic64(0), ended = Atomic64(0), twice = Atomic64(0)
}

@Suite("Several threads use one run loop") struct LoopStormTests {
  @Test("Every block runs once, every timer that is left alone fires once, and none before its date")
  func storm() async {
    let tally = Tally(), seed = Clock.uptime(), threads: UInt64 = 4, rounds = 1_500
    let aside = RunLoop.Mode("aside")
    let runner = Thread {
      let loop = RunLoop.current
      let keepers = [RunLoop.Mode.default, aside].map { mode in
        let timer = Timer(timeInterval: 1_000, repeats: true) { _ in }
        loop.add(timer, forMode: mode)
        return timer
      }
      while !Thread.current.isCancelled {
        _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.002))
        _ = loop.run(mode: aside, before: Date(timeIntervalSinceNow: 0.002))
      }
      for keeper in keepers { keeper.invalidate() }
    }
    let loop = await withCheckedContinuation { continuation in
      runner.start()
      try! runner.perform(modes: [.default]) { continuation.resume(returning: RunLoop.own) }
    }
    for thread in 0..<threads {
      Thread.detachNewThread {
        var dice = Dice(state: seed &+ thread &* 7_919)
        for _ in 0..<rounds { Self.act(loop, aside, tally, &dice) }
        _ = tally.ended.addSeqCst(1)
      }
    }
    let all = threads * UInt64(rounds)
    _ = eventually(within: 60) {
      tally.ended.loadSeqCst() >= threads && tally.performed.loadSeqCst() + tally.fired.loadSeqCst() >= all
    }
    runner.cancel()
    #expect(tally.performed.loadSeqCst() + tally.fired.loadSeqCst() == all, "seed \(seed)")
    #expect(tally.early.loadSeqCst() == 0 && tally.twice.loadSeqCst() == 0, "seed \(seed)")
    #expect(eventually(within: 60) { runner.isFinished })
  }

  /// One block, or one timer that fires once: it is counted once whichever it is.
  private static func act(_ loop: RunLoop, _ aside: RunLoop.Mode, _ tally: Tally, _ dice: inout Dice) {
    let modes: [RunLoop.Mode] = [[.default], [.common], [aside], [.default, aside]].randomElement(using: &dice)!
    guard Int.random(in: 0..<3, using: &dice) == 0 else {
      return loop.perform(inModes: modes) { _ = tally.performed.addSeqCst(1) }
    }
    let hasFired = Box32()
    let date = Date(timeIntervalSinceNow: Double.random(in: -0.001..<0.005, using: &dice))
    let timer = Timer(fire: date, interval: 0, repeats: false) { timer in
      if timer.fireDate.timeIntervalSinceNow > 0.000_01 { _ = tally.early.addSeqCst(1) }
      _ = hasFired.word.exchangeAcqRel(1) == 1 ? tally.twice.addSeqCst(1) : tally.fired.addSeqCst(1)
    }
    for mode in modes { loop.add(timer, forMode: mode) }
    if Bool.random(using: &dice), timer.isValid { timer.tolerance = 0.001 }
  }

  private final class Box32: Sendable { let word = Atomic32(0) }
}
