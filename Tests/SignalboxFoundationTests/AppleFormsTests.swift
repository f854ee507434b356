// AppleFormsTests.swift: what Apple's platforms allow with Foundation's classes and the toolchain's Foundation does not: numbers of
// classes, objects in formats, common modes of notifications.
import Glibc
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// A class of the program's own.
private final class Song: CVarArgObject, CustomStringConvertible, Sendable {
  var description: String { "a song, 100 %@" }
}

@Suite("Forms of calls that only Apple's Foundation has") struct AppleFormsTests {
  @Test("Classes of service have Apple's numbers, and are found by them")
  func qualityOfService() {
    let all: [QualityOfService] = [.userInteractive, .userInitiated, .utility, .background, .default]
    #expect(all.map(\.appleRawValue) == [0x21, 0x19, 0x11, 0x09, -1])
    for quality in all { #expect(QualityOfService(appleRawValue: quality.appleRawValue) == quality) }
    #expect(QualityOfService(appleRawValue: 0x15) == nil)
    for quality in all.dropLast() {
      #expect(DispatchQoS.QoSClass(rawValue: qos_class_t(quality.appleRawValue)) != nil)
    }
  }

  @Test("Formats print our objects by their descriptions, a program's own too, as often as they are asked")
  func formats() throws {
    let (thread, song) = (Thread {}, Song())
    thread.name = "%d"
    #expect(String(format: "%@, %d", thread, 5) == "\(thread), 5")
    #expect(String(format: "%2$@ %1$@", song, "x") == "x a song, 100 %@")
    let objects: [any CVarArg] = [
      Operation(), OperationQueue(), RunLoop.main, Timer(timeInterval: 1, repeats: false) { _ in }, NotificationQueue.default,
      NSLock(), NSRecursiveLock(), NSCondition(), NSConditionLock(), DispatchQueue.main, DispatchGroup(),
      DispatchSemaphore(value: 0), DispatchWorkItem {},
    ]
    for object in objects { #expect(String(format: "<%@>", object) == "<\(object)>") }
    NSLog("%@", Thread.current)
    #expect(withVaList([song]) { NSString(format: "%@", arguments: $0) as String } == "a song, 100 %@")
  }

  @Test(
    "A notification for the common modes is posted in each of them, in every style",
    arguments: [NotificationQueue.PostingStyle.now, .asap, .whenIdle])
  func commonModes(style: NotificationQueue.PostingStyle) async {
    let heard = Atomic64(0), over = DispatchSemaphore(value: 0)
    let thread = Thread {
      let center = NotificationCenter(), name = Notification.Name("common")
      let queue = NotificationQueue(notificationCenter: center)
      let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in _ = heard.addAcqRel(1) }
      // SAFETY: the block runs on this thread.
      nonisolated(unsafe) let own = queue
      RunLoop.current.perform {
        own.enqueue(Notification(name: name), postingStyle: style, coalesceMask: [], forModes: [.common])
        own.enqueue(Notification(name: name), postingStyle: style, coalesceMask: [], forModes: [RunLoop.Mode("aside")])
      }
      let keeper = Timer.scheduledTimer(withTimeInterval: 1_000, repeats: true) { _ in }
      let end = Date(timeIntervalSinceNow: 20)
      while heard.loadAcquire() == 0, Date() < end {
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
      }
      keeper.invalidate()
      center.removeObserver(token)
      over.signal()
    }
    thread.start()
    #expect(over.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(heard.loadAcquire() == 1)
  }
}
