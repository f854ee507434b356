// LoopReportTests.swift: what is said, and only said, of loops and timers that cannot work as they are used.
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxSystem
import Testing

@testable import SignalboxClasses

private typealias RunLoop = SignalboxFoundation.RunLoop
private typealias Timer = SignalboxFoundation.Timer

@Suite struct LoopReportTests {
  private static func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("A timer scheduled on a queue's worker, whose loop nobody runs, is told of after its date")
  func unattended() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      Signalbox.DispatchQueue.global().async {
        _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in }
        usleep(3_000_000)
        exit(3)
      }
      while true { usleep(100_000) }
    }
    let text = Self.text(result)
    #expect(text.contains("a timer that was due 1.") && text.contains("which nobody runs: run that loop"), "\(text)")
    #expect(text.components(separatedBy: "which nobody runs").count == 2, "once: \(text)")
  }

  @Test("So is a thread that ends with a timer on a loop it never ran")
  func ended() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      await onOwnThread { _ = Timer.scheduledTimer(withTimeInterval: 100, repeats: true) { _ in } }
      usleep(100_000)
      exit(3)
    }
    #expect(Self.text(result).contains("ends, and a timer lies on its run loop, which was never run"))
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
    let text = Self.text(result)
    #expect(text.contains("a timer on the run loop of thread \"of the loop\" ("), "\(text)")
    #expect(text.contains("was invalidated by thread \"a stranger\" ("), "\(text)")
    #expect(text.components(separatedBy: "was invalidated by").count == 2, "once: \(text)")
  }

  @Test("A loop that another thread runs stops the program")
  func foreignRun() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      await onOwnThread { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    }
    #expect(Self.text(result).contains("a loop runs on its own thread; use RunLoop.current"))
  }

  @Test("A thread that is started twice stops the program")
  func startedTwice() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let thread = SignalboxFoundation.Thread {}
      thread.start()
      thread.start()
    }
    #expect(Self.text(result).contains("was started twice: a thread runs once; make another one"))
  }
}
