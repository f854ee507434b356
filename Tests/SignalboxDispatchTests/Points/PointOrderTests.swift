// PointOrderTests.swift: an explorer is called before something happens, not after it: there it may let other threads
// go first, which must find everything as it was. In children, which have one explored thread.
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

// SAFETY of @unchecked: one thread is explored, and it alone sets and calls what is here.
/// An explorer that lets every thread go on, and calls a closure where it is called itself.
private final class Witness: ExplorerLink.Inside, @unchecked Sendable {
  var atPoint: (EventKind) -> Void = { _ in }
  var atWord: (UInt) -> Void = { _ in }
  var atObject: (UInt) -> Void = { _ in }
  var atLock: () -> Void = {}

  func pass(_ primitive: Int, object: UInt, count: UInt64) {
    guard let known = EventKind(rawValue: UInt8(primitive)) else { return }
    if known == .lockAsked || known == .lockReleased { atLock() } else { atPoint(known) }
  }
  func touch(word: UInt) { atWord(word) }
  func touch(_ object: UInt) { atObject(object) }
  func touch(instance: UInt) {}
  func touch(queue: UInt) {}
  func gone(_ object: UInt) {}
  func fail(_ report: () -> String) -> Never { fatalError(report()) }
  func suspend(_ body: () -> Void) { body() }
  func stopped(_ queue: UInt, _ isStopped: Bool) {}
  func expectsWake(_ word: UInt) {}
  func usesUnseen() {}

  /// Runs `body` on a thread that is explored.
  static func lead(_ body: @escaping @Sendable (Witness) -> Void) {
    killOnHang()
    let witness = Witness(), engine = PrivateEngine()
    ExplorerLink.install(witness)
    ExplorerLink.search(true)
    Instruments.set(Instruments.explorer, mask: Instruments.explorer)
    let thread = TestThread {
      engine.adopt()
      body(witness)
      PrivateEngine.leave()
    }
    thread.join()
  }
}

@Suite("An explorer is called before something happens") struct PointOrderTests {
  @Test("A work item is not yet cancelled at the point of its cancel()")
  func cancel() async {
    await #expect(processExitsWith: .success) {
      Witness.lead { witness in
        let item = DispatchWorkItem {}, points = Count()
        witness.atPoint = {
          guard $0 == .workItemCancelled else { return }
          points.add()
          #expect(!item.isCancelled)
        }
        item.cancel()
        witness.atPoint = { _ in }
        #expect(points.value == 1 && item.isCancelled)
      }
    }
  }

  @Test("A thread that waits for an answer does not yet sleep where it says on which word")
  func answer() async {
    await #expect(processExitsWith: .success) {
      Witness.lead { witness in
        let told = Count()
        withExtendedLifetime(AnswerBox()) { box in
          let place = box.answer.word.address
          witness.atWord = {
            guard $0 == place else { return }
            told.add()
            if told.value == 1 { #expect(box.answer.word.loadAcquire() == 0) }
            // A thread that goes first may answer: then there is no sleep.
            withUnsafePointer(to: box.answer.word) { _ = $0.pointee.exchangeAcqRel(AnswerWord.Answer.granted.rawValue) }
          }
          let answer = box.answer.sleep { _ in Issue.record("it was answered before it slept") }
          witness.atWord = { _ in }
          #expect(answer == .granted && told.value == 1)
        }
      }
    }
  }

  @Test("A signal and a broadcast count as uses of the condition's lock, although no thread waits")
  func condition() async {
    await #expect(processExitsWith: .success) {
      Witness.lead { witness in
        let uses = Count()
        withExtendedLifetime(ConditionBox()) { box in
          let place = box.lock.address
          box.waiters.isMade()
          witness.atObject = { if $0 == place { uses.add() } }
          box.waiters.signal(box.lock)
          #expect(uses.value == 1)
          box.waiters.broadcast(box.lock)
          #expect(uses.value == 2)
          witness.atObject = { _ in }
        }
      }
    }
  }

  @Test("A try for a lock with a number gives the lock back if the number changes at its point")
  func lateTry() async {
    await #expect(processExitsWith: .success) {
      Witness.lead { witness in
        let points = Count()
        withExtendedLifetime(NumberBox()) { box in
          // As if another thread went first, and left another number.
          witness.atLock = {
            points.add()
            box.core.setCondition(1)
          }
          let isTaken = box.core.tryLock(when: 0, .nsConditionLock, object: 16), isHeld = box.core.lock.isHeld
          witness.atLock = {}
          #expect(points.value > 0 && !isTaken && !isHeld)
        }
      }
    }
  }

  @Test("A private engine lives on when nobody has it: workers and queues of its own refer to it")
  func engineStays() {
    weak var engine: PrivateEngine?
    func make() {
      let made = PrivateEngine()
      engine = made
    }
    make()
    #expect(engine != nil)
  }
}

private final class AnswerBox: Sendable { let answer = AnswerWord() }

private final class NumberBox: Sendable { let core = ConditionLockCore(condition: 0) }

private final class ConditionBox: Sendable {
  let lock = LockCore()
  let waiters = ConditionCore()
}
