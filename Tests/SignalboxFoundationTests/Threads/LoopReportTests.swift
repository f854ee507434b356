// LoopReportTests.swift: what is reported, and only reported, of loops and timers that cannot work as they are used.
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

private typealias RunLoop = SignalboxFoundation.RunLoop
private typealias Timer = SignalboxFoundation.Timer

@Suite("Reports of run loops and timers that cannot work") struct LoopReportTests {
  @Test("A timer scheduled on a queue's worker, whose loop no thread runs, is reported after its date")
  func unattended() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      Signalbox.DispatchQueue.global().async {
        _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in }
        sleepPlainly(milliseconds: 3_000)  // an item that neither ends nor runs the loop
        exit(3)
      }
      sleepForEver()
    }
    let text = errorText(result)
    expectReport(result, saying: "a timer that was due 1.", "which no thread runs: run that loop")
    #expect(text.components(separatedBy: "which no thread runs").count == 2, "once: \(text)")
  }

  @Test("A timer of the distant future, left with a loop that no thread runs, stops nothing")
  func distantFuture() async {
    await #expect(processExitsWith: .exitCode(3)) {
      Signalbox.DispatchQueue.global().async {
        let soon = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in }  // its check lies a second ahead
        RunLoop.current.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
        soon.invalidate()
        sleepPlainly(milliseconds: 3_000)  // an item that neither ends nor runs the loop, past the check
        exit(3)
      }
      sleepForEver()
    }
  }

  @Test("A thread that ends with a timer on a loop it never ran is reported")
  func ended() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      await onOwnThread { _ = Timer.scheduledTimer(withTimeInterval: 100, repeats: true) { _ in } }
      sleepPlainly(milliseconds: 100)  // the thread says it behind what it runs, which nothing shows
      exit(3)
    }
    expectReport(result, saying: "ends with a timer on its run loop, which it never ran")
  }

  @Test("A timer that another thread invalidates is invalid, and both threads are named, once for a loop")
  func stranger() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      await onOwnThread {
        let timers = (0..<2).map { _ in Timer.scheduledTimer(withTimeInterval: 100, repeats: true) { _ in } }
        Threads.setName("of the loop")
        try! Threads.spawn(name: "a stranger") { for timer in timers { timer.invalidate() } }
        RunLoop.current.run()
      }
      exit(3)
    }
    let text = errorText(result)
    expectReport(
      result, saying: "a timer on the run loop of thread \"of the loop\" (", "was invalidated by thread \"a stranger\" (")
    #expect(text.components(separatedBy: "was invalidated by").count == 2, "once: \(text)")
  }

  @Test("A loop that another thread runs stops the program")
  func foreignRun() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      await onOwnThread { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    }
    expectStop(result, saying: "a loop runs on its own thread; use RunLoop.current")
  }

  @Test("A thread that is started twice stops the program")
  func startedTwice() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let thread = SignalboxFoundation.Thread {}
      thread.start()
      thread.start()
    }
    expectStop(result, saying: "was started twice: a thread runs once; make another one")
  }
}
