// RecordedTurnTests.swift: while somebody records, a turn that `sync` got is closed to the inlined way out, so that its end is seen; and open
// again once nobody does. What the recording says is in SignalboxTimelineTests.
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension DispatchQueue {
  fileprivate var isTurnRecorded: Bool { QueueState(rawValue: state.loadRelaxed())[QueueState.recorded] == 1 }
}

@Suite("Turns that are recorded") struct RecordedTurnTests {
  @Test("A turn is marked while somebody records, once for all turns, and not any more after the first turn behind the end")
  func marked() async {
    await #expect(processExitsWith: .success) {
      let folder = try Files.makeFreshFolder("/tmp/signalbox-tests-")
      defer { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", folder], environment: []) }
      let queues = [DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent)]
      for queue in queues { queue.sync { #expect(!queue.isTurnRecorded) } }
      try Recorder.start(file: folder.description + "/recording")
      for queue in queues {
        for _ in 0..<2 { queue.sync { #expect(queue.isTurnRecorded) } }
        queue.sync(flags: .barrier) { #expect(queue.isTurnRecorded) }
      }
      DispatchQueue.global().sync { #expect(!DispatchQueue.global().isTurnRecorded) }
      Recorder.stop()
      for queue in queues {
        queue.sync {}
        #expect(!queue.isTurnRecorded)
      }
    }
  }
}
