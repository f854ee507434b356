// GoneObjectsTests.swift: suspected findings whose objects are gone when the report is made: their threads have gone on meanwhile.
import Glibc
import SignalboxDispatch
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// An address in memory that cannot be read.
private func unmapped() -> UInt {
  let size = 1 << 20
  guard let place = mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), place != MAP_FAILED else { exit(8) }
  return UInt(bitPattern: place) + UInt(size / 2)
}

/// Runs `body` as a thread that is inside a queue at `gone`, in an item of which nothing is left, and waits for a thing there.
private func waiting(_ kind: WaitKind, at gone: UInt, _ body: () -> Void) {
  let thread = ThreadSlot.current
  var drain = DrainFrame(object: gone, kind: .drainAlone, previous: thread.innermostFrame)
  drain.item = Slot(UInt64(gone), UInt64(gone))
  withUnsafeMutablePointer(to: &drain) { pointer in
    let before = thread.innermostFrame
    thread.innermostFrame = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: ThreadFrame.self)
    defer { thread.innermostFrame = before }
    WaitRecord.publish(kind, object: gone, isTimed: false, .init(OwnerWord(gone, .serialQueue)))
    body()
    WaitRecord.withdraw()
  }
}

@Suite("Suspected findings whose objects are gone") struct GoneObjectsTests {
  @Test("A stall is reported from copies alone")
  func stall() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      DispatchQueue(label: "the first").sync {}
      let gone = unmapped(), place = String(gone, radix: 16)
      for kind in WaitKind.allCases {
        waiting(kind, at: gone) {
          let key = WaitNode.Key.thread(ThreadSlot.kernelID())
          var wait = WaitNode.Wait(owner: ThreadSlot.owner(), kind: kind, object: gone)
          wait.stop = .suspended(gone + 4096)
          let finding = StallFinding(certainty: .suspected, cause: .allWait, nodes: [key], asleep: [.thread(1)])
          let report = StallReport(finding, in: WaitSnapshot([WaitNode(key, .needs(.anyone), wait: wait)]), seconds: 1)
          let text = report.text
          #expect(report.objects.map(\.object.address) == [gone] && report.participants.count == 1)
          #expect(text.contains("0x\(place)") && text.contains("an item of queue 0x\(place)"), "\(kind): \(text)")
        }
      }
      exit(0)
    }
  }

  @Test("A cycle through a mutex of the C library is reported from copies alone")
  func mixed() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      DispatchQueue(label: "the first").sync {}
      let gone = unmapped(), place = String(gone, radix: 16)
      for kind in WaitKind.allCases {
        waiting(kind, at: gone) {
          let own = ThreadSlot.kernelID()
          let cycle = MixedCycle(participants: [
            .init(thread: own, owner: ThreadSlot.owner(), sequence: 2, kind: kind, object: gone, next: .max),
            .init(thread: .max, kind: .foreignMutex, object: gone, next: own),
          ])
          let text = DeadlockReport(cycle).text
          #expect(text.contains("0x\(place)") && text.contains("an item of queue 0x\(place)"), "\(kind): \(text)")
        }
      }
      exit(0)
    }
  }

  @Test("What is there is named from copies as it is in place")
  func alive() async {
    await #expect(processExitsWith: .success) {
      let target = DispatchQueue(label: "a label that does not fit in sixteen bytes")
      let queue = DispatchQueue(label: "short", attributes: .concurrent, target: target)
      let group = DispatchGroup(), semaphore = DispatchSemaphore(value: 0)
      group.enter()
      semaphore.name = "ready"
      func address(_ object: AnyObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }
      for (kind, object) in [
        (WaitKind.sync, target as DispatchObject), (.barrierSync, queue), (.group, group), (.semaphore, semaphore),
      ] {
        let place = address(object)
        #expect(ObjectNaming.name(kind, place, .byCopy) == ObjectNaming.name(kind, place))
      }
      let frame = ThreadFrame(object: address(queue), kind: .syncShared, previous: nil).word
      #expect(ObjectNaming.name(of: frame, .byCopy) == ObjectNaming.name(of: frame))
      #expect(ObjectNaming.description(.group, address(group), nil, .byCopy) == "\(group)")
      group.leave()
      exit(0)
    }
  }
}
