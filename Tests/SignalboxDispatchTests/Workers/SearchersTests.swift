// SearchersTests.swift: how many workers may search for work at once: a number of the workers and of the processors
// alone. No threads.
import Testing

@testable import SignalboxDispatch

@Suite("How many workers may search at once") struct SearchersTests {
  @Test("One in eight searches, of the workers or of the processors, whichever are fewer; one always")
  func searchers() {
    for (width, processors, most) in [
      (1, 1, 1), (2, 2, 1), (8, 8, 1), (16, 16, 2), (512, 512, 64), (512, 2, 1), (64, 24, 3), (32, 2, 1), (2, 64, 1),
      (16, 0, 1),
    ] as [(UInt64, UInt64, UInt64)] {
      #expect(Tuning.searchers(width: width, processors: processors) == most, "\(width) workers on \(processors)")
    }
  }
}
