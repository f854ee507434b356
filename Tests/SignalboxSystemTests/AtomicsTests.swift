// AtomicsTests.swift: what each atomic operation returns and leaves behind, and that it is one step. Orders are not observable
// here: the engine's own tests run on them.
import SignalboxSystem
import Testing

@Suite("Atomic operations") struct AtomicsTests {
  @Test("A word is its bare integer in memory, with and without the trait")
  func layout() {
    #expect(MemoryLayout<Atomic64>.size == 8 && MemoryLayout<Atomic64>.stride == 8 && MemoryLayout<Atomic64>.alignment == 8)
    #expect(MemoryLayout<Atomic32>.size == 4 && MemoryLayout<Atomic32>.stride == 4 && MemoryLayout<Atomic32>.alignment == 4)
  }

  @Test("A 64-bit word loads what was stored, in every order")
  func loadsAndStores64() {
    let word = Atomic64(.max)
    #expect(word.loadRelaxed() == .max && word.loadAcquire() == .max && word.loadSeqCst() == .max)
    word.storeRelaxed(1)
    #expect(word.loadRelaxed() == 1)
    word.storeRelease(2)
    #expect(word.loadAcquire() == 2)
    word.storeSeqCst(3)
    #expect(word.loadSeqCst() == 3)
  }

  @Test("A 64-bit exchange returns the old value")
  func exchanges64() {
    let word = Atomic64(1)
    #expect(word.exchangeAcqRel(2) == 1)
    #expect(word.exchangeSeqCst(3) == 2)
    #expect(word.loadRelaxed() == 3)
  }

  @Test("A 64-bit compare and exchange writes only over the expected value")
  func compareExchanges64() {
    let word = Atomic64(1)
    func check(_ swap: (UInt64, UInt64) -> (exchanged: Bool, original: UInt64)) {
      word.storeRelaxed(1)
      #expect(swap(1, 2) == (true, 1) && word.loadRelaxed() == 2)
      #expect(swap(1, 3) == (false, 2) && word.loadRelaxed() == 2)
    }
    check { word.casRelaxed($0, $1) }
    check { word.casAcquire($0, $1) }
    check { word.casRelease($0, $1) }
    check { word.casAcqRel($0, $1) }
    check { word.casSeqCst($0, $1) }
  }

  @Test("64-bit additions and subtractions return the old value, and wrap")
  func additions64() {
    let word = Atomic64(.max)
    #expect(word.addRelaxed(2) == .max && word.loadRelaxed() == 1)
    #expect(word.addAcqRel(2) == 1 && word.loadRelaxed() == 3)
    #expect(word.addSeqCst(2) == 3 && word.loadRelaxed() == 5)
    #expect(word.subtractSeqCst(6) == 5 && word.loadRelaxed() == .max)
  }

  @Test("A 32-bit word has the same operations")
  func operations32() {
    let word = Atomic32(.max)
    #expect(word.loadRelaxed() == .max && word.loadAcquire() == .max && word.loadSeqCst() == .max)
    word.storeRelaxed(1)
    #expect(word.exchangeAcqRel(2) == 1)
    word.storeRelease(3)
    #expect(word.casAcquire(3, 4) == (true, 3))
    #expect(word.casAcquire(3, 5) == (false, 4))
    #expect(word.casAcqRel(4, 6) == (true, 4))
    #expect(word.casAcqRel(4, 7) == (false, 6))
    word.storeSeqCst(.max)
    #expect(word.addSeqCst(2) == .max && word.loadRelaxed() == 1)
  }

  @Test("Additions of several threads are never lost")
  func additionsAreOneStep() {
    let (wide, narrow) = (SharedNumber(), SharedWord())
    let rounds: UInt64 = 20_000
    @Sendable func work() {
      for _ in 0..<rounds {
        _ = wide.value.addRelaxed(1)
        _ = narrow.value.addSeqCst(1)
        var old = wide.value.loadRelaxed()
        while case let swap = wide.value.casAcqRel(old, old + 1), !swap.exchanged { old = swap.original }
      }
    }
    let threads = (0..<3).map { _ in TestThread(work) }
    for thread in threads { thread.join() }
    #expect(wide.value.loadAcquire() == 6 * rounds)
    #expect(narrow.value.loadAcquire() == UInt32(3 * rounds))
  }
}
