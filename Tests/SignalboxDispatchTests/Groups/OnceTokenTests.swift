// OnceTokenTests.swift: running once by a word of the caller's: which thread runs, which wait, what is visible.
// Recursion is misuse: Misuse/CountTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("dispatch_once tokens run once") struct OnceTokenTests {
  /// A token and a number that only the one run writes.
  final class Subject: @unchecked Sendable {
    // SAFETY: `token` is touched by OnceToken only; `number` is written by the one run and read after it.
    let token = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    var number = 0
    let runs = Count()
    init() { token.initialize(to: 0) }
    deinit { token.deallocate() }
  }

  @Test("The first call runs, later ones return; the token reads as C's does")
  func once() {
    let subject = Subject()
    #expect(!OnceToken.isDone(subject.token) && subject.token.pointee == 0)
    for _ in 0..<3 { OnceToken.run(subject.token) { subject.runs.add() } }
    #expect(subject.runs.value == 1)
    #expect(OnceToken.isDone(subject.token) && subject.token.pointee == ~0)
  }

  @Test("Of many callers one runs, and all see what it wrote")
  func callers() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      for _ in 0..<200 {
        let (subject, all) = (Subject(), DispatchGroup())
        for _ in 0..<8 {
          DispatchQueue.global().async(group: all) {
            OnceToken.run(subject.token) {
              subject.runs.add()
              subject.number = 5
            }
            #expect(subject.number == 5)
          }
        }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(subject.runs.value == 1)
      }
    }
  }

  @Test("Callers wait until a slow run has ended; two tokens do not wait for one another")
  func slowRun() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (slow, other, all) = (Subject(), Subject(), DispatchGroup())
      let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      DispatchQueue(label: "runner").async(group: all) {
        OnceToken.run(slow.token) {
          begun.signal()
          goOn.wait()
          slow.number = 7
        }
      }
      begun.wait()
      let passed = Count()
      for index in 0..<5 {
        DispatchQueue(label: "waiter.\(index)").async(group: all) {
          OnceToken.run(slow.token) { Issue.record("ran twice") }
          #expect(slow.number == 7)
          passed.add()
        }
      }
      // A thread waits, so the token shows it; no thread passes.
      // relaxed: the bit alone
      #expect(eventually { OnceToken.word(slow.token).pointee.loadRelaxed() & 2 != 0 })
      OnceToken.run(other.token) { other.number = 1 }
      #expect(passed.value == 0 && other.number == 1)
      goOn.signal()
      #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      #expect(passed.value == 5)
    }
  }
}
