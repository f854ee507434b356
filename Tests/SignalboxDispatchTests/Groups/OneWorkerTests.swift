// OneWorkerTests.swift: members of a group that one worker runs one after another, the second of which steps out. The same on as many processors as
// there are, and beside the toolchain's library, is in Tests/Conformance (GroupMemberTests.swift).
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Members on one processor") struct OneWorkerTests {
  /// A semaphore of the C library's, in which a worker sleeps unseen.
  // SAFETY: the semaphore is never destroyed; its functions may be called from any thread.
  final class Unseen: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { sem_init(semaphore, 0, 0) }
    func signal() { sem_post(semaphore) }
    /// False: not within `patience` seconds.
    func wait() -> Bool {
      var end = timespec()
      clock_gettime(CLOCK_REALTIME, &end)
      end.tv_sec += Int(patience)
      return sem_timedwait(semaphore, &end) == 0
    }
  }

  /// The second member of each of 50 groups, whose first has just run on the same worker.
  static func afterAnother(_ body: @escaping @Sendable (DispatchGroup) -> Void) {
    for _ in 0..<50 {
      let (group, over) = (DispatchGroup(), Unseen())
      DispatchQueue.global().async(group: group) {
        DispatchQueue.global().async(group: group) {
          body(group)
          over.signal()
        }
      }
      // It may be empty between the two; after its second end nothing touches it.
      #expect(over.wait())
      #expect(group.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    }
  }

  @Test("The second member steps out and waits")
  func waits() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_PROCESSORS", "1", 1)
      Self.afterAnother { group in
        group.leave()
        #expect(group.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        group.enter()
      }
    }
  }

  @Test("The second member steps out and is notified, asleep in the C library")
  func isNotified() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_PROCESSORS", "1", 1)
      Self.afterAnother { group in
        let end = Unseen()
        group.leave()
        group.notify(queue: DispatchQueue(label: "told")) { end.signal() }
        #expect(end.wait())
        group.enter()
      }
    }
  }

  @Test("Another thread leaves for the second member, which sleeps in the C library")
  func anotherLeaves() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_PROCESSORS", "1", 1)
      Self.afterAnother { group in
        let end = Unseen()
        let other = TestThread {
          group.leave()
          #expect(group.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          end.signal()
        }
        #expect(end.wait())
        other.join()
        group.enter()
      }
    }
  }
}
