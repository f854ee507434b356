// DropInTests.swift: every name of Dispatch's, in a file that imports SignalboxFoundation alone, is Signalbox's.
import SignalboxFoundation
import Testing

/// The module that a type comes from.
private func home(_ type: Any.Type) -> Substring { String(reflecting: type).prefix { $0 != "." } }

private func bytes(_ bytes: [UInt8]) -> DispatchData { bytes.withUnsafeBytes { DispatchData(bytes: $0) } }

@Suite("SignalboxFoundation alone provides every name of Dispatch") struct DropInTests {
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

  @Test("Foundation's classes of concurrency are Signalbox's")
  func classes() {
    let types: [Any.Type] = [
      Operation.self, BlockOperation.self, OperationQueue.self, Operation.QueuePriority.self, Thread.self, Timer.self,
      RunLoop.self, NotificationQueue.self, NSLock.self, NSRecursiveLock.self, NSCondition.self, NSConditionLock.self,
    ]
    for type in types { #expect(home(type) == "SignalboxClasses", "\(String(reflecting: type))") }
  }

  @Test("Types that other classes of Foundation's take or conform to stay Foundation's")
  func shared() {
    let types: [Any.Type] = [
      NSLocking.self, NotificationCenter.self, Notification.self, Notification.Name.self,
      (any NotificationCenter.AsyncMessage).self, (any NotificationCenter.MainActorMessage).self,
      NotificationCenter.ObservationToken.self, RunLoop.Mode.self,
      NotificationQueue.PostingStyle.self, NotificationQueue.NotificationCoalescing.self, QualityOfService.self, Progress.self,
      Data.self, Date.self, URL.self, NSObject.self,
    ]
    for type in types { #expect(home(type).hasPrefix("Foundation"), "\(String(reflecting: type))") }
    #expect(TimeInterval.self == Double.self)
    #expect(NSLock() as Any is any NSLocking)
    let names: [Notification.Name] = [.NSThreadWillExit, .NSWillBecomeMultiThreaded, .NSDidBecomeSingleThreaded]
    #expect(Set(names).count == 3)
  }

  /// The module of a value's own class.
  private func maker(of value: Any) -> Substring { home(type(of: value)) }

  @Test("Objects that their class members and functions return are Signalbox's too")
  func values() {
    let values: [Any] = [
      OperationQueue.main, OperationQueue(), RunLoop.main, RunLoop.current, Thread.mainThread, Thread.main, Thread.current,
      NotificationQueue.default, Timer(timeInterval: 1, repeats: false) { _ in }, Thread {}, BlockOperation {},
    ]
    for value in values { #expect(maker(of: value).hasPrefix("Signalbox"), "\(String(reflecting: type(of: value)))") }
    let sources: [Any] = [
      DispatchQueue.main, DispatchQueue.global(), DispatchQueue(label: "one"), DispatchSource.makeTimerSource(),
      DispatchSource.makeUserDataAddSource(), DispatchTime.now(), DispatchWallTime.now(), DispatchWorkItem {},
      DispatchTimeInterval.seconds(1), DispatchQoS.utility,
    ]
    for value in sources { #expect(maker(of: value) == "SignalboxDispatch", "\(String(reflecting: type(of: value)))") }
  }

  @Test("Members in the form they have on Apple's platforms")
  func appleForms() {
    let thread: Thread = .main
    #expect(thread === Thread.mainThread && Thread.main.isMainThread)
    Thread {}.main()
    let (queue, center) = (NotificationQueue.default, NotificationCenter.default)
    let name = Notification.Name("taken back")
    nonisolated(unsafe) var heard = 0  // on this thread alone
    let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in heard += 1 }
    queue.enqueue(Notification(name: name), postingStyle: .asap, coalesceMask: [], forModes: nil)
    queue.dequeueNotifications(
      matching: Notification(name: name), coalesceMask: Int(NotificationQueue.NotificationCoalescing.onName.rawValue))
    RunLoop.current.acceptInput(forMode: .default, before: Date())
    #expect(heard == 0)
    center.removeObserver(token)
  }

  @Test("A pool for released objects only runs its body, and passes on what that returns or throws")
  func pools() throws {
    struct Refusal: Error {}
    final class Owned: @unchecked Sendable {}  // SAFETY of @unchecked: it has no state
    weak var released: Owned?
    let count = autoreleasepool {
      let owned = Owned()
      released = owned
      return 2
    }
    #expect(count == 2 && released == nil)
    #expect(throws: Refusal.self) { try autoreleasepool { () throws(Refusal) -> Int in throw Refusal() } }
  }

  @Test("A folder that is opened for events is observed") func eventsOnly() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/signalbox-events-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (happened, queue) = (DispatchSemaphore(value: 0), DispatchQueue(label: "folder"))
    let descriptor = open(folder, O_EVTONLY)
    #expect(descriptor >= 0)
    let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: descriptor, eventMask: .write, queue: queue)
    source.setEventHandler { happened.signal() }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    try "".write(toFile: folder + "/new", atomically: false, encoding: .utf8)
    #expect(happened.wait(timeout: .now() + 120) == .success)
    source.cancel()
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
