// PointKindTests.swift: points of the engine have the numbers of its events, and each that stands for an operation has
// words.
import CSignalboxExplore
import SignalboxWords
import Testing

@testable import SignalboxExplorer

@Suite("Kinds of points") struct PointKindTests {
  @Test("The control core's two numbers of events are the events'") func numbers() {
    #expect(SBX_ENGINE_ITEM.rawValue - SBX_ENGINE.rawValue == UInt32(EventKind.started.rawValue))
    #expect(SBX_ENGINE_ACTOR.rawValue - SBX_ENGINE.rawValue == UInt32(EventKind.actorEntered.rawValue))
  }

  @Test("Each operation has words of its own; what is none, or a newer engine's, has those for any object") func words() {
    for kind in EventKind.allCases {
      let words = PointKind.words(SBX_ENGINE.rawValue + UInt32(kind.rawValue), object: 0)
      let isPoint = kind.subscribers.contains(.counts) || kind == .actorEntered
      #expect((words != "use") == isPoint, "\(kind): \(words)")
    }
    #expect(PointKind.words(SBX_ENGINE.rawValue + 200, object: 3) == "use object 3")
    #expect(PointKind.words(SBX_ENGINE.rawValue + 300, object: 3) == "use object 3")
  }

  @Test("Operations that may wait are those that ask for an end or a turn") func waits() {
    let waits = EventKind.allCases.filter { PointKind.mayWait(SBX_ENGINE.rawValue + UInt32($0.rawValue)) }
    #expect(
      Set(waits) == [
        .turnAsked, .groupWaitAsked, .semaphoreWaitAsked, .workItemWaitAsked, .applied, .onceAsked, .operationWaitAsked,
        .operationQueueWaitAsked,
      ])
  }
}
