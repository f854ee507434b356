// RandomWorldTests.swift: random API sequences over all objects: a fixed slice, and the seed that Scripts/long-run names.
import Testing

/// One after the other: each keeps both processors busy by itself.
@Suite("Random sequences of calls on all kinds of objects", .serialized) struct StressTests {
  @Suite(.serialized) struct RandomWorlds {
    /// Always the same seeds, so that a failure can be run again as it is.
    @Test(
      "Random operations of fixed seeds keep every promise", .enabled(if: Settings.seed == nil),
      arguments: 1...32 as ClosedRange<UInt64>)
    func fixedSlice(seed: UInt64) {
      let wrong = Round.run(seed: seed, steps: 200)
      #expect(wrong.isEmpty, "seed \(seed): \(wrong.joined(separator: "\n  "))")
    }

    /// One round of a long run: the worlds that follow from one seed.
    @Test("Random operations of one given seed keep every promise", .enabled(if: Settings.seed != nil))
    func longRun() {
      var random = SeededRandom(Settings.seed ?? 0)
      for number in 0..<Settings.worlds {
        let seed = random.next()
        if Settings.isVerbose { Settings.tell("world \(number): seed \(seed)") }
        let wrong = Round.run(seed: seed, steps: Settings.steps)
        #expect(wrong.isEmpty, "world \(number), seed \(seed): \(wrong.joined(separator: "\n  "))")
        if !wrong.isEmpty { return }
      }
    }
  }
}
