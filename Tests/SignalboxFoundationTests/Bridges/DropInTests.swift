// DropInTests.swift: every name of Dispatch's, in a file that imports SignalboxFoundation alone, is Signalbox's.
import SignalboxFoundation
import Testing

/// The module that a type comes from.
private func home(_ type: Any.Type) -> Substring { String(reflecting: type).prefix { $0 != "." } }

private func bytes(_ bytes: [UInt8]) -> DispatchData { bytes.withUnsafeBytes { DispatchData(bytes: $0) } }

@Suite struct DropInTests {
  @Test("Dispatch's types are Signalbox's, although Foundation brings the toolchain's along")
  func homes() {
    let types: [Any.Type] = [
      DispatchQueue.self, DispatchSerialQueue.self, DispatchConcurrentQueue.self, DispatchGroup.self,
      DispatchSemaphore.self, DispatchWorkItem.self, DispatchWorkItemFlags.self, DispatchObject.self, DispatchQoS.self,
      DispatchQoS.QoSClass.self, DispatchSpecificKey<Int>.self, DispatchTime.self, DispatchWallTime.self,
      DispatchTimeInterval.self, DispatchTimeoutResult.self, DispatchPredicate.self, DispatchSource.self,
      DispatchSourceProtocol.self, DispatchSourceTimer.self, DispatchSourceRead.self, DispatchSourceWrite.self,
      DispatchSourceSignal.self, DispatchSourceUserDataAdd.self, DispatchSourceUserDataOr.self,
      DispatchSourceUserDataReplace.self, DispatchSourceProcess.self, DispatchSourceFileSystemObject.self,
      DispatchIO.self, DispatchData.self, DispatchDataIterator.self, DispatchData.Region.self, DispatchWorkloop.self,
    ]
    for type in types { #expect(home(type).contains("SignalboxDispatch"), "\(String(reflecting: type))") }
  }

  @Test("Foundation's other names are there, unchanged")
  func foundation() {
    #expect(home(Data.self).hasPrefix("Foundation") && home(URL.self).hasPrefix("Foundation"))
    #expect(Date(timeIntervalSince1970: 0).timeIntervalSince1970 == 0 as TimeInterval)
    let progress = Progress(totalUnitCount: 2)
    progress.completedUnitCount = 1
    #expect(progress.fractionCompleted == 0.5)
  }

  @Test("Functions of Dispatch's are Signalbox's")
  func functions() {
    let queue = DispatchQueue(label: "one")
    queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
    dispatchPrecondition(condition: .notOnQueue(queue))
    let forever: () -> Never = dispatchMain
    _ = forever
  }

  @Test("Data's regions hold its bytes, in order, without copying them")
  func regions() {
    var data = bytes([1, 2, 3])
    data.append(bytes([UInt8](repeating: 9, count: 100_000)))
    #expect(data.regions.map(\.count).reduce(0, +) == data.count && data.regions.count == 2)
    #expect(Data(data.regions[0]) == Data([1, 2, 3]))
    #expect(Array(data.regions[0].regions[0]) == [1, 2, 3] && data.regions[0][2] == 3)
    #expect(DispatchData.empty.regions.isEmpty)
    #expect(Data(data).count == 100_003 && data.firstRange(of: [3, 9]) == 2..<4)
    let first = data.regions[0].withUnsafeBytes { $0.load(as: UInt8.self) }
    #expect(first == 1)
  }
}
