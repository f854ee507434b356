// NoDeadlockTests.swift: shapes that look like deadlocks and are none. A false alarm stops the child process; a hang ends it, too.
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// A shape that must run to its end without a word.
struct HarmlessShape: Sendable {
  let name: String
  let run: @Sendable () -> Void
  init(_ name: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

/// Runs all bodies at once, each on a thread of its own, to their ends.
func together(_ bodies: (@Sendable () -> Void)...) { together(bodies) }
func together(_ bodies: [@Sendable () -> Void]) {
  for thread in bodies.map({ PlainThread("party", $0) }) { thread.join() }
}

@Suite("Waits that resemble deadlocks are not reported") struct NoDeadlockTests {
  /// Things that can be held again and again, by many threads.
  static let reusable: [@Sendable () -> any Thing] = [
    { LockThing() }, { QueueThing() }, { DrainThing() }, { TargetThing() }, { BarrierThing() }, { ReaderThing() },
    { AsyncAndWaitThing() },
  ]

  @Test("Two things of any kinds, always taken in one order by three threads, are never reported", .timeLimit(.minutes(10)))
  func oneOrder() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      for first in NoDeadlockTests.reusable {
        for second in NoDeadlockTests.reusable {
          let (a, b) = (first(), second())
          together(
            (0..<3).map { _ in { for _ in 0..<40 { a.hold { b.want() } } } })
        }
      }
    }
  }

  @Test("Two things of any kinds, taken in both orders behind one gate lock, are never reported", .timeLimit(.minutes(10)))
  func gate() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      for first in NoDeadlockTests.reusable {
        for second in NoDeadlockTests.reusable {
          let (a, b, gate) = (first(), second(), LockThing())
          together(
            { for _ in 0..<40 { gate.hold { a.hold { b.want() } } } },
            { for _ in 0..<40 { gate.hold { b.hold { a.want() } } } })
        }
      }
    }
  }

  @Test("Further harmless shapes are never reported", .timeLimit(.minutes(10)))
  func singles() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(500)
      LockOrder.mode = .off  // harmless here because of when things happen, which orders do not know
      for shape in harmless {
        StandardError.write("  \(shape.name)\n")  // the last one named is the one that failed
        shape.run()
      }
    }
    let said = errorText(result)
    #expect(said.split(separator: "\n").count == harmless.count, "\(said)")
  }

  @Test("There are at least fifty harmless shapes")
  func count() { #expect(harmless.count + 2 * NoDeadlockTests.reusable.count * NoDeadlockTests.reusable.count >= 50) }
}
