// PendingHistoryTests.swift: for how long the oldest of many items waits at least, against what is known of each of
// them.
import SignalboxView
import SignalboxWords
import Testing

@Suite("The oldest pending item") struct PendingHistoryTests {
  @Test("One that stays is as old as the first sample that had it, and gone when it was taken off")
  func stays() {
    var history = PendingHistory()
    history.note(taken: 10, pending: 0, at: 1)
    #expect(history.samples.isEmpty && history.since(taken: 10) == nil)
    for second in UInt64(2)...5 { history.note(taken: 10, pending: second, at: second) }
    #expect(history.since(taken: 10) == 2 && history.since(taken: 12) == 3)
    for second in UInt64(6)...100 { history.note(taken: 10, pending: second, at: second) }
    // Of those in between some have gone: what is shown is at least half of an age, so early.
    #expect(history.since(taken: 10) == 2)
    for taken in UInt64(11)..<110 {
      let (age, shown) = (110 - taken, 100 - (history.since(taken: taken) ?? 100))
      #expect(shown < age && shown * 2 + 4 >= age, "\(shown) of \(age)")
    }
    #expect(history.samples.count <= SampleLayout.mostSamples)
    // More than were there at the last sample: the oldest has come since.
    #expect(history.since(taken: 110) == nil && history.since(taken: 109) == 100)
    history.note(taken: 111, pending: 4, at: 101)
    #expect(history.samples == [.init(submitted: 115, at: 101)])
    history.note(taken: 111, pending: 4, at: 102)
    #expect(history.since(taken: 111) == 101)
  }

  @Test("A count that goes back is another queue's: nothing is known of it yet")
  func another() {
    var history = PendingHistory()
    history.note(taken: 0, pending: 9, at: 1)
    history.note(taken: 0, pending: 2, at: 2)
    #expect(history.since(taken: 0) == 2)
  }

  @Test("Whatever comes and goes, no item is said to be older than it is, nor much younger", arguments: 1...20)
  func random(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func roll(_ count: UInt64) -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state % count
    }
    var history = PendingHistory(), submitted: [UInt64] = [], taken = 0
    let most = 1 + roll(6)
    for second in UInt64(1)...300 {
      for _ in 0..<roll(most) { submitted.append(second * 10) }
      history.note(taken: UInt64(taken), pending: UInt64(submitted.count - taken), at: second * 10 + 1)
      // Half a second later.
      let oldest = taken < submitted.count ? submitted[taken] : nil, since = history.since(taken: UInt64(taken))
      #expect((since == nil) == (oldest == nil), "\(second)")
      if let since, let oldest {
        let (age, shown) = (second * 10 + 5 - oldest, second * 10 + 5 - since)
        #expect(shown <= age && shown * 2 + 20 >= age, "\(shown) of \(age)")
      }
      taken += min(submitted.count - taken, Int(roll(most)))
    }
  }
}
