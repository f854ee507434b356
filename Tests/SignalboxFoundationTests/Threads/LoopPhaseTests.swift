// LoopPhaseTests.swift: the phases of a loop as its observers see them, nested runs among them; limitDate and acceptInput.
import Foundation
import Glibc
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

private typealias RunLoop = SignalboxFoundation.RunLoop
private typealias Timer = SignalboxFoundation.Timer

@Suite("Phases of a run loop") struct LoopPhaseTests {
  private static func name(_ activity: RunLoopObserver.Activities) -> String {
    switch activity {
    case .entry: "entry"
    case .beforeTimers: "timers"
    case .beforeSources: "sources"
    case .beforeWaiting: "sleep"
    case .afterWaiting: "woken"
    case .exit: "exit"
    default: "?"
    }
  }

  /// A phase may follow these, within one run.
  private static let following = [
    "entry": ["timers"], "timers": ["sources"], "sources": ["sleep", "timers", "exit", "woken"], "sleep": ["woken"],
    "woken": ["timers", "exit"],
  ]

  /// Takes the log apart into runs: each in the order of phases, nested ones between two phases of the outer. nil: it is wrong.
  private static func depths(_ log: [String]) -> Int? {
    var (runs, deepest) = ([String](), 0)
    for phase in log {
      if phase == "entry" {
        runs.append(phase)
        deepest = max(deepest, runs.count)
      } else {
        guard let last = runs.popLast(), following[last]?.contains(phase) == true else { return nil }
        if phase != "exit" { runs.append(phase) }
      }
    }
    return runs.isEmpty ? deepest : nil
  }

  @Test("Observers see the phases in order, and those of a nested run in between")
  func phases() async {
    let log = Locked<[String]>([]), hasNested = Locked(false)
    await onOwnThread {
      let loop = RunLoop.current
      let observer = RunLoopObserver(.allActivities) { phase in log.access { [name = Self.name(phase)] in $0.append(name) } }
      loop.add(observer, forMode: .default)
      Timer.scheduledTimer(withTimeInterval: 0.005, repeats: false) { _ in
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.02))
        hasNested.access { $0 = true }
      }
      let keeper = Timer.scheduledTimer(withTimeInterval: 1_000, repeats: true) { _ in }
      let end = Date(timeIntervalSinceNow: 20)
      while !hasNested.value || !log.value.contains("sleep"), Date() < end {
        _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
      }
      keeper.invalidate()
      observer.invalidate()
    }
    let seen = log.value
    #expect(Self.depths(seen) == 2, "\(seen)")
    #expect(seen.contains("sleep") && seen.first == "entry" && seen.last == "exit", "\(seen)")
  }

  @Test("An observer sees what it asked for, once if it does not repeat; the lower order comes first; removed ones see nothing")
  func chosen() async {
    let log = Locked<[String]>([])
    @Sendable func note(_ text: String) -> @Sendable (RunLoopObserver.Activities) -> Void {
      { phase in log.access { [name = Self.name(phase)] in $0.append("\(text) \(name)") } }
    }
    await onOwnThread {
      let loop = RunLoop.current
      let later = RunLoopObserver(.exit, order: 2, handler: note("later"))
      let first = RunLoopObserver([.entry, .exit], order: 1, handler: note("first"))
      let once = RunLoopObserver(.entry, repeats: false, order: 3, handler: note("once"))
      let gone = RunLoopObserver(.allActivities, handler: note("gone"))
      for observer in [later, first, once, gone] { loop.add(observer, forMode: .default) }
      loop.remove(gone, forMode: .default)
      for _ in 0..<2 {
        loop.perform {}
        _ = loop.run(mode: .default, before: .distantPast)
      }
      #expect(!once.isValid && first.isValid)
      for observer in [later, first, gone] { observer.invalidate() }
    }
    // A poll of what there is may precede a run: what is seen is whole.
    let seen = log.value
    #expect(seen.filter { $0 == "once entry" }.count == 1 && !seen.contains { $0.hasPrefix("gone") }, "\(seen)")
    let rest = seen.filter { $0 != "once entry" }
    #expect(rest.count >= 6 && rest.count % 3 == 0, "\(seen)")
    for start in stride(from: 0, to: rest.count, by: 3) {
      #expect(Array(rest[start..<start + 3]) == ["first entry", "first exit", "later exit"], "\(seen)")
    }
  }

  @Test("limitDate fires due timers and returns the next date, distantFuture for inputs alone, or nil")
  func limitDate() async {
    await onOwnThread {
      let loop = RunLoop.current
      #expect(loop.limitDate(forMode: .default) == nil)
      let fired = Locked(0)
      let due = Timer(fire: .distantPast, interval: 0, repeats: false) { _ in fired.access { $0 += 1 } }
      loop.add(due, forMode: .default)
      let next = Timer(timeInterval: 50, repeats: false) { _ in }
      loop.add(next, forMode: .common)
      let date = loop.limitDate(forMode: .default)
      #expect(fired.value == 1 && !due.isValid)
      #expect(abs((date ?? .distantPast).timeIntervalSince(next.fireDate)) < 0.5)
      #expect(loop.limitDate(forMode: RunLoop.Mode("elsewhere")) == nil)
      next.invalidate()
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      let input = RunLoopInput(descriptor: ends[0], for: .readable) {}
      loop.add(input, forMode: .default)
      #expect(loop.limitDate(forMode: .default) == .distantFuture)
      input.invalidate()
      #expect(loop.limitDate(forMode: .default) == nil)
      for end in ends { close(end) }
    }
  }

  @Test("acceptInput serves one input or block in its mode, or waits until the date")
  func acceptInput() async {
    await onOwnThread {
      let (loop, log) = (RunLoop.current, Locked<[Int]>([]))
      let aside = RunLoop.Mode("aside")
      loop.perform { log.access { $0.append(1) } }
      loop.perform(inModes: [aside]) { log.access { $0.append(2) } }
      loop.acceptInput(forMode: "aside", before: Date(timeIntervalSinceNow: 20))
      #expect(log.value == [2])
      let thread = UInt64(ThreadSlot.kernelID())
      try! Threads.spawn {
        awaitState("the loop waits") { KernelThread.sample(thread)?.isWaiting == true }
        loop.perform(inModes: [aside]) { log.access { $0.append(3) } }
      }
      let keeper = Timer(timeInterval: 1_000, repeats: false) { _ in }
      loop.add(keeper, forMode: aside)
      loop.acceptInput(forMode: "aside", before: Date(timeIntervalSinceNow: 20))
      #expect(log.value == [2, 3])
      let start = Clock.uptime()
      loop.acceptInput(forMode: "aside", before: Date(timeIntervalSinceNow: 0.02))
      #expect(Clock.uptime() - start >= 19_900_000)
      keeper.invalidate()
      _ = loop.run(mode: .default, before: .distantPast)
      #expect(log.value == [2, 3, 1])
    }
  }
}
