// CReferencesTests.swift: references that C has to a queue: which of them take and give back one of Swift's.
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("C's references to a queue") struct CReferencesTests {
  @Test("The first takes one of Swift's and the last gives it back, in every sequence of six steps") func sequences() {
    for steps in 0..<64 {
      let queue = DispatchQueue(label: "counted")
      queue.referenceIsCs()
      var (ofC, ofSwift) = (1, 1)
      for step in 0..<6 {
        if steps >> step & 1 == 1 {
          if queue.isFirstOfC() { ofSwift += 1 }
          ofC += 1
        } else {
          if queue.isLastOfC() { ofSwift -= 1 }
          if ofC == 0 { #expect(ofSwift == -1, "one that C did not have was Swift's") } else { ofC -= 1 }
          if ofSwift == -1 { ofSwift = 0 }
        }
        #expect(ofSwift == (ofC > 0 ? 1 : 0), "step \(step) of \(String(steps, radix: 2))")
      }
    }
  }

  @Test("Threads that retain and release leave the queue alive as long as one has it, and free it then") func threads() {
    for _ in 0..<200 {
      weak var weakly: DispatchQueue?
      do {
        let queue = DispatchQueue(label: "shared")
        weakly = queue
        queue.referenceIsCs()
        let held = Unmanaged.passRetained(queue)
        let reference = Unmanaged.passUnretained(queue)
        let threads = (0..<3).map { _ in
          TestThread {
            for _ in 0..<50 {
              reference._withUnsafeGuaranteedRef { if $0.isFirstOfC() { _ = reference.retain() } }
              reference._withUnsafeGuaranteedRef { if $0.isLastOfC() { reference.release() } }
            }
          }
        }
        // The maker's own goes meanwhile.
        if queue.isLastOfC() { held.release() }
        for thread in threads { thread.join() }
      }
      #expect(weakly == nil)
    }
  }

  @Test("References of Swift's that C was handed and gives back leave those counted that it takes meanwhile")
  func handedOver() {
    for _ in 0..<200 {
      weak var weakly: DispatchQueue?
      do {
        let queue = DispatchQueue(label: "handed")
        weakly = queue
        let reference = Unmanaged.passUnretained(queue)
        for _ in 0..<50 { _ = reference.retain() }
        let giver = TestThread {
          for _ in 0..<50 where reference._withUnsafeGuaranteedRef({ $0.isLastOfC() }) { reference.release() }
        }
        let taker = TestThread {
          for _ in 0..<50 {
            if reference._withUnsafeGuaranteedRef({ $0.isFirstOfC() }) { _ = reference.retain() }
          }
        }
        for thread in [giver, taker] { thread.join() }
        for _ in 0..<50 where queue.isLastOfC() { reference.release() }
        #expect(queue.references.loadRelaxed() == 0)  // relaxed: the threads are joined
      }
      #expect(weakly == nil)
    }
  }
}
