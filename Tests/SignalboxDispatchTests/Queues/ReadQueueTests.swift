// ReadQueueTests.swift: what a reader of another process takes for granted of queues and items. The reader is
// SignalboxInspector.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("Queues that are read from outside") struct ReadQueueTests {
  @Test("What no word of the description tells is what its version 1 stands for: a change is another version")
  func version() {
    #expect(ProcessDescription.version == 1)
    #expect([QueueKind.serial, .concurrent, .global, .main, .runLoop].map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(SlotKind.workItem == 4 && SlotKind.helper == 5 && SlotKind.specialLimit == 4096 && SlotKind.cFunction == 1 << 63)
    #expect(JobLayout.resume == 56)
    #expect(Whereabouts.inSerial == 1 && Whereabouts.inOther == 2 && Whereabouts.runs == 4)
  }

  @Test("The places of queues are found and said, the label's among them")
  func places() {
    let queue = DispatchQueue(label: "a label"), main = DispatchQueue.main
    let words: [DescribedWord] = [
      .mark, .version, .slots, .highestSlot, .waits, .mainThread, .ownThreads, .queueState, .queueTarget, .queueKind,
      .queueLabel,
      .mainQueue, .stateOwner, .stateSuspended, .itemClosure, .jobIsolated, .jobUnbound, .forkedChild,
      .firstPlace, .placesUsed, .placeSegments, .queueSize, .queueLimit, .queueClass, .listTail, .listLink, .listHead,
      .listTaken, .itemsInside, .itemsOnPage, .classBytes, .workloopType,
    ]
    withExtendedLifetime((queue, main)) {}
    for word in words { #expect(ProcessDescription.isWritten(word), "\(word)") }
    #expect(DescribedWord.allCases.count <= ProcessDescription.count)
  }
}
