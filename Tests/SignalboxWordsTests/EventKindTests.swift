// EventKindTests.swift: the numbering of events, which recordings that lie on disks have, and the table of their
// subscribers.
import SignalboxWords
import Testing

@Suite("Kinds of events") struct EventKindTests {
  @Test("Recorded kinds have the numbers 1 to 43 that recordings of versions 1 to 4 have, and no others")
  func numbers() {
    let recorded = EventKind.allCases.filter(\.isRecorded)
    #expect(recorded.map(\.rawValue) == Array(1...43))
    let pinned: [(EventKind, UInt8)] = [
      (.time, 1), (.started, 3), (.waitBegan, 7), (.timerArmed, 13), (.threadName, 18), (.semaphoreSignalled, 19),
      (.turnHanded, 26), (.transferEnded, 30), (.operationCancelled, 36), (.loopPhase, 39), (.timerCancelled, 41),
      (.taskRuns, 42), (.taskNamed, 43),
    ]
    for (kind, number) in pinned { #expect(kind.rawValue == number, "\(kind)") }
  }

  @Test("Each kind has a subscriber; that of figures gets submissions, begins and ends of items alone")
  func subscribers() {
    for kind in EventKind.allCases {
      #expect(
        !kind.subscribers.isEmpty && kind.subscribers.contains(.figures) == [.submitted, .started, .ended].contains(kind),
        "\(kind)")
    }
  }

  @Test("What needs worker threads is an operation, which the explorer may order and tests count") func workers() {
    for kind in EventKind.allCases where kind.needsWorkers {
      #expect(kind.subscribers.isSuperset(of: [.counts, .explorer, .stallDetector]), "\(kind)")
    }
    for kind: EventKind in [.activated, .onceAsked, .readAsked, .lockAsked, .operationStartAsked] {
      #expect(!kind.needsWorkers)
    }
    for kind: EventKind in [.submitted, .turnAsked, .groupEntered, .semaphoreWaitAsked, .sourceMerged] {
      #expect(kind.needsWorkers)
    }
  }

  @Test("What the recorder hears of is recorded, but for a place that is filled, a loop's timer, and objects that are gone")
  func recorder() {
    let others = EventKind.allCases.filter { $0.subscribers.contains(.recorder) != $0.isRecorded }
    #expect(others == [.placeFilled, .gone, .loopTimerArmed, .forgotten])
  }
}
