// ExploreTests.swift: the trait `Explore`: every operation passes its point while a recorder is on, and none while it is off.
#if Explore
import SignalboxSystem
import Testing

@Suite struct ExploreTests {
  /// What `body` passed, in a process where nothing else uses the seam.
  private static func counted(_ body: () -> Void) -> [ExplorePoint: UInt64] {
    ExploreRecorder.start()
    body()
    ExploreRecorder.stop()
    return Dictionary(uniqueKeysWithValues: ExplorePoint.allCases.map { ($0, ExploreRecorder.count(of: $0)) })
  }

  @Test("Each kind of operation passes its own point")
  func counts() async {
    await #expect(processExitsWith: .success) {
      let wide = Atomic64(0)
      let narrow = SharedWord()
      let seen = ExploreTests.counted {
        _ = (wide.loadRelaxed(), wide.loadAcquire(), wide.loadSeqCst(), narrow.value.loadRelaxed())
        wide.storeRelaxed(1)
        wide.storeRelease(1)
        _ = (wide.addRelaxed(1), wide.exchangeAcqRel(1), wide.casAcqRel(0, 1), wide.subtractSeqCst(1))
        _ = (narrow.value.addSeqCst(1), narrow.value.casAcquire(9, 9))
        _ = narrow.park(expected: 9)
        _ = (narrow.wake(), narrow.wake(), narrow.wake())
      }
      #expect(seen == [.load: 4, .store: 2, .update: 6, .park: 1, .wake: 3])
    }
  }

  @Test("A recorder that is off counts nothing; one that starts begins at zero")
  func offAndOn() async {
    await #expect(processExitsWith: .success) {
      let word = Atomic64(0)
      #expect(ExploreTests.counted { _ = word.loadRelaxed() }[.load] == 1)
      _ = word.loadRelaxed()
      #expect(ExploreRecorder.count(of: .load) == 1)
      #expect(ExploreTests.counted {}[.load] == 0)
    }
  }
}
#endif
