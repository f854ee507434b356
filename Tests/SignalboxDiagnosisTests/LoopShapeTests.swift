// LoopShapeTests.swift: deadlocks through parallel loops: an iteration wants what the loop's caller holds. Others: ShapeTests.swift.
import Glibc
import SignalboxDispatch
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Who closes the chain.
private enum Closer: CaseIterable { case caller, iteration }

/// A thread of a test, by its number, once it has said it.
private struct Party: Sendable {
  private let number = Count()
  func isHere() { number.value = UInt64(ThreadSlot.kernelID()) }
  var isMe: Bool { number.value == UInt64(ThreadSlot.kernelID()) }
  /// Waits until the thread has left a record of a wait.
  func untilWaiting(_ what: String) {
    until("\(what) waits") {
      ThreadTable.entry(thread: Int32(number.value)).map { WaitRecord.isWaiting($0.owner) } == true
    }
  }
}

/// A loop of two iterations, which are under way together: the caller's own, and another thread's.
private func loopOfTwo(
  _ caller: Party, _ iteration: Party, caller ofCaller: @Sendable () -> Void, other: @Sendable () -> Void
) {
  let inside = Count()
  caller.isHere()
  DispatchQueue.concurrentPerform(iterations: 2) { _ in
    if !caller.isMe { iteration.isHere() }
    inside.add()
    while inside.value < 2 { sched_yield() }
    if caller.isMe { ofCaller() } else { other() }
  }
}

/// The report that follows `before` others, with the right participants, told once.
private func expectReport(_ reports: Reports, after before: Int, participants: ClosedRange<Int>, _ things: [any Thing]) {
  until("a report for \(things.map(\.word))") { reports.all.count > before }
  let report = reports.all[before]
  #expect(participants.contains(report.participants.count) && report.certainty == .certain, "\(report.text)")
  #expect(report.participants.contains { $0.wants.kind == .apply }, "\(report.text)")
  for thing in things { #expect(report.participants.contains { $0.wants.name.hasPrefix(thing.word) }, "\(report.text)") }
  #expect(report.text.contains("whose iterations must end first, one of which thread"), "\(report.text)")
  #expect(report.text.contains("runs an iteration of parallel loop 0x"), "\(report.text)")
  #expect(report.hint.contains("iterations") || things.contains { $0 is OnceThing })  // a once has its own
  #expect(reports.all.count == before + 1, "told once")
}

/// The caller holds `thing`, an iteration on another thread wants it.
private func deadlock(_ thing: any Thing, closer: Closer, _ reports: Reports) {
  let before = reports.all.count
  PlainThread("outside") {
    thing.hold {
      let (caller, iteration) = (Party(), Party())
      loopOfTwo(caller, iteration) {
        if closer == .caller { iteration.untilWaiting("the iteration") }
      } other: {
        if closer == .iteration { caller.untilWaiting("the caller") }
        thing.want()
      }
    }
  }
  expectReport(reports, after: before, participants: 2...2, [thing])
}

/// The caller holds `first`, an iteration wants `second`, whose holder wants `first`; `closer` is the last to wait.
private func deadlock(_ first: any Thing, _ second: any Thing, closer: Int, _ reports: Reports) {
  let before = reports.all.count, isHeld = Count(), isUnderWay = Count()
  let (caller, iteration, stranger) = (Party(), Party(), Party())
  PlainThread("stranger") {
    second.hold {
      stranger.isHere()
      isHeld.add()
      while isUnderWay.value == 0 { sched_yield() }
      if closer == 2 { [caller, iteration].forEach { $0.untilWaiting("one before the stranger") } }
      first.want()
    }
  }
  until("the second is held") { isHeld.value == 1 }
  PlainThread("outside") {
    first.hold {
      loopOfTwo(caller, iteration) {
        isUnderWay.add()
        if closer == 0 { [iteration, stranger].forEach { $0.untilWaiting("one before the caller") } }
      } other: {
        if closer == 1 { [caller, stranger].forEach { $0.untilWaiting("one before the iteration") } }
        second.want()
      }
    }
  }
  expectReport(reports, after: before, participants: 3...3, [first, second])
}

@Suite("Deadlocks through parallel loops are found") struct LoopShapeTests {
  @Test(
    "A loop whose iteration wants what the caller holds is reported, for each kind of thing, whoever closes the cycle",
    .timeLimit(.minutes(10)))
  func pairs() async {
    await #expect(processExitsWith: .success) {
      let reports = Reports()
      ForeignCycleDetector.onCycle = { _ in }
      for kind in ShapeTests.kinds { for closer in Closer.allCases { deadlock(kind(), closer: closer, reports) } }
      exit(0)  // the threads hang forever
    }
  }

  @Test(
    "The same is reported with a third thread between the iteration and the caller, whoever closes the cycle",
    .timeLimit(.minutes(10)))
  func triples() async {
    await #expect(processExitsWith: .success) {
      let reports = Reports()
      ForeignCycleDetector.onCycle = { _ in }
      for (index, kind) in ShapeTests.kinds.enumerated() {
        let other = ShapeTests.kinds[(index + 1) % ShapeTests.kinds.count]
        for closer in 0..<3 { deadlock(kind(), other(), closer: closer, reports) }
      }
      exit(0)
    }
  }

  @Test("The same is reported for a loop inside an iteration", .timeLimit(.minutes(10)))
  func nested() async {
    await #expect(processExitsWith: .success) {
      let reports = Reports()
      PlainThread("outside") {
        let lock = LockThing()
        lock.hold {
          let (caller, iteration) = (Party(), Party())
          loopOfTwo(caller, iteration) {
          } other: {
            DispatchQueue.concurrentPerform(iterations: 3) { index in if index == 0 { lock.want() } }
          }
        }
      }
      // The inner loop is its caller's alone, or another thread has come to help with it and runs what wants the lock.
      expectReport(reports, after: 0, participants: 2...3, [LockThing()])
      exit(0)
    }
  }

  @Test("The same is reported for a mutex of the C library, in which an iteration sleeps", .timeLimit(.minutes(10)))
  func foreign() async {
    await #expect(processExitsWith: .success) {
      let reports = Reports()
      PlainThread("outside") {
        let mutex = ForeignLock()
        mutex.lock()
        let (caller, iteration) = (Party(), Party())
        loopOfTwo(caller, iteration) {
        } other: {
          mutex.lock()
        }
      }
      until("a report") { reports.all.count == 1 }
      let report = reports.all[0]
      #expect(report.certainty == .suspected && report.participants.count == 2, "\(report.text)")
      #expect(Set(report.participants.map(\.wants.kind)) == [.apply, .foreignMutex], "\(report.text)")
      #expect(report.text.contains("runs an iteration of parallel loop 0x"), "\(report.text)")
      exit(0)
    }
  }
}
