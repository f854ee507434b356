// LoopNestTests.swift: a loop that is run within a block of Foundation's loop serves what that loop had in hand already.
import CoreFoundation
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

private typealias RunLoop = SignalboxFoundation.RunLoop
private typealias Timer = SignalboxFoundation.Timer
private typealias StockLoop = Foundation.RunLoop
private typealias StockTimer = Foundation.Timer

/// Foundation's loop takes all blocks that lie in it before it runs the first: those behind one that runs a loop lie there until
/// that loop ends. Each test puts a call of ours behind such a block; it fails after ten seconds.
@Suite("Run loops nested in Foundation's loop", .serialized) struct LoopNestTests {
  private static let other = Foundation.RunLoop.Mode("other")

  // SAFETY of @unchecked: used on the loop's thread, and read when that has ended; `count` too by the loop's blocks only.
  private final class Story: @unchecked Sendable {
    var isServed = false, wasServedInside = false, count = 0

    /// Runs a loop within a block until the story's deed is done.
    func nest(ours: Bool = false, in mode: RunLoop.Mode = .default) {
      let wasServed = isServed
      run(ours: ours, in: mode) { isServed }
      wasServedInside = !wasServed && isServed
    }

    func run(ours: Bool = false, in mode: RunLoop.Mode = .default, until isDone: () -> Bool) {
      let end = Date(timeIntervalSinceNow: 10)
      func step() -> Bool {
        let date = Date(timeIntervalSinceNow: 0.2)
        return ours ? RunLoop.current.run(mode: mode, before: date) : StockLoop.current.run(mode: mode, before: date)
      }
      while !isDone(), Date() < end, step() {}
    }

    /// What lay behind comes too late, and takes nothing away from what is left afterwards.
    func finish(_ loop: RunLoop) {
      run(ours: true) { isServed }
      try! Threads.spawn {
        for _ in 0..<5 {
          sleepPlainly(milliseconds: 1)  // so that the loop falls asleep between
          loop.perform { self.count += 1 }
        }
      }
      run(ours: true) { count == 5 }
    }
  }

  /// Sets the scene by `body` on a thread whose loops have something to wait for, and then runs ours, which is observed: so it
  /// leaves everything to Foundation's. (That one loses its date when a loop is run within a block of its own.)
  private func tell(_ body: @escaping @Sendable (Story, RunLoop) -> Void) async -> Story {
    let story = Story()
    await onOwnThread {
      let loop = RunLoop.current
      let keepers = [RunLoop.Mode.default, Self.other].map { mode in
        let keeper = StockTimer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        StockLoop.current.add(keeper, forMode: mode)
        return keeper
      }
      let observer = RunLoopObserver(.beforeWaiting) { _ in }
      loop.add(observer, forMode: .default)
      body(story, loop)
      story.finish(loop)
      loop.remove(observer, forMode: .default)
      for keeper in keepers { keeper.invalidate() }
    }
    return story
  }

  /// A timer of Core Foundation's own, due after 20 ms: those are called in the order of their dates, and then the blocks.
  private func later(_ body: @escaping () -> Void) {
    let date = CFAbsoluteTimeGetCurrent() + 0.02
    let timer = CFRunLoopTimerCreateWithHandler(nil, date, 0, 0, 0) { _ in body() }
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
  }

  /// Both are due when this returns.
  private func pass(_ seconds: Double) {
    sleepPlainly(microseconds: Int(seconds * 1e6))  // real dates that pass while the loop does not run
  }

  @Test("A block that came after a due timer which runs a loop is run")
  func behindTimer() async {
    let story = await tell { story, loop in
      Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in story.nest() }
      later { loop.perform { story.isServed = true } }
      pass(0.05)
    }
    #expect(story.wasServedInside && story.count == 5)
  }

  @Test("An input that was ready after a due timer which runs a loop is served")
  func inputBehindTimer() async {
    let story = await tell { story, loop in
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      let (from, to) = (ends[0], ends[1])
      let input = RunLoopInput(descriptor: from, for: .readable) {
        var byte: UInt8 = 0
        story.isServed = read(from, &byte, 1) == 1
      }
      loop.add(input, forMode: .default)
      Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in story.nest() }
      later {
        write(to, "x", 1)
        awaitState("the loop has been notified") { loop.hasEntries(1) && loop.told.loadSeqCst() & 1 != 0 }
      }
      pass(0.05)
      story.run(ours: true) { story.isServed }
      input.invalidate()
      close(from)
      close(to)
    }
    #expect(story.wasServedInside && story.count == 5)
  }

  @Test("A timer of the common modes that was due after one which runs a loop fires")
  func timerBehindTimer() async {
    let story = await tell { story, loop in
      Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in story.nest() }
      loop.add(Timer(timeInterval: 0.02, repeats: false) { _ in story.isServed = true }, forMode: .common)
      pass(0.05)
    }
    #expect(story.wasServedInside && story.count == 5)
  }

  @Test(
    "A block that was left together with one that runs a loop is run", arguments: [Foundation.RunLoop.Mode.default, .common])
  func behindBlock(_ mode: Foundation.RunLoop.Mode) async {
    let story = await tell { story, loop in
      loop.perform { story.nest() }
      loop.perform(inModes: [mode]) { story.isServed = true }
    }
    #expect(story.wasServedInside && story.count == 5)
  }

  @Test(
    "A block from another thread for a mode that the outer loop serves later is run",
    arguments: [Foundation.RunLoop.Mode.common, other], [false, true])
  func intoTaken(_ mode: Foundation.RunLoop.Mode, _ isOurs: Bool) async {
    let story = await tell { story, loop in
      loop.perform {
        let thread = UInt64(ThreadSlot.kernelID())
        try! Threads.spawn {
          awaitState("the inner loop sleeps") { KernelThread.sample(thread)?.isWaiting == true }
          loop.perform(inModes: [mode]) { story.isServed = true }
        }
        story.nest(ours: isOurs, in: mode == .common ? .default : mode)
      }
      loop.perform(inModes: [mode]) {}
    }
    #expect(story.wasServedInside && story.count == 5)
  }

  @Test("A block behind one of Foundation's loop that runs a loop is run", arguments: [false, true])
  func behindTheirs(_ isOurs: Bool) async {
    let story = await tell { story, loop in
      StockLoop.current.perform { story.nest(ours: isOurs) }
      loop.perform { story.isServed = true }
    }
    #expect(story.wasServedInside && story.count == 5)
  }
}
