// RecordedTurnTests.swift: while the process is recorded, a turn that `sync` got is closed to the inlined way out, so
// that its end is seen; and open again once it is not. And what is freed gives up its name in the recording. What the
// recording says is in SignalboxTimelineTests.
import Signalbox
import SignalboxRecorder
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension DispatchQueue {
  fileprivate var isTurnRecorded: Bool { state.hint()[QueueState.recorded] == 1 }
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

  @Test("Groups, semaphores and work items that are freed are known no more: what comes to lie there gets its own name")
  func freed() async {
    await #expect(processExitsWith: .success) {
      let folder = try Files.makeFreshFolder("/tmp/signalbox-tests-")
      defer { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", folder], environment: []) }
      try Recorder.start(file: folder.description + "/recording")
      defer { Recorder.stop() }
      let addresses = [
        address {
          let group = DispatchGroup()
          group.enter()
          group.leave()
          return group
        },
        address {
          let semaphore = DispatchSemaphore(value: 0)
          semaphore.signal()
          return semaphore
        },
        address {
          let item = DispatchWorkItem {}
          item.cancel()
          return item
        },
      ]
      #expect(addresses.allSatisfy { !RecordHooks.isKnown($0) })
    }
  }
}

/// The address of what `make` returns, which had a name while it lived, and is freed by now.
private func address(of make: () -> AnyObject) -> UInt64 {
  let object = make()
  let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
  #expect(withExtendedLifetime(object) { RecordHooks.isKnown(address) })
  return address
}
