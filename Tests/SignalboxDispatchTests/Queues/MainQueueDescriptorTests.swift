// MainQueueDescriptorTests.swift: the main queue under a run loop that is not Signalbox's: a descriptor that says when,
// a call that drains. On the main thread of a fork. dispatchMain() is MainQueueTests'.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("The main queue under a foreign run loop") struct MainQueueDescriptorTests {
  /// Ends the fork with a status that tells which step failed.
  private static func need(_ condition: Bool, _ status: Int32) { if !condition { _exit(status) } }

  private static func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, milliseconds) == 1
  }

  @Test("The main queue's descriptor is readable while items wait, and drain() runs them on the calling thread")
  func readableWhilePending() async {
    await #expect(processExitsWith: .success) {
      asMainThreadOfAFork {
        guard let descriptor = try? MainQueue.descriptor() else { _exit(10) }
        MainQueueDescriptorTests.need((try? MainQueue.descriptor()) == descriptor, 11)
        MainQueueDescriptorTests.need(!MainQueueDescriptorTests.isReadable(descriptor), 12)
        let ran = Count()
        DispatchQueue.main.async { if Threads.isMain { ran.add() } }
        MainQueueDescriptorTests.need(MainQueueDescriptorTests.isReadable(descriptor) && ran.value == 0, 13)
        MainQueue.drain()
        MainQueueDescriptorTests.need(ran.value == 1 && !MainQueueDescriptorTests.isReadable(descriptor), 14)
        MainQueue.drain()  // nothing to do
        MainQueueDescriptorTests.need(ran.value == 1, 15)
        MainQueueDescriptorTests.need(MainThreadHost.isShared, 16)  // from now on drains end after their budget
      }
    }
  }

  @Test("Items submitted before the main queue's descriptor was asked for make it readable")
  func lateDescriptor() async {
    await #expect(processExitsWith: .success) {
      asMainThreadOfAFork {
        let ran = Count()
        for _ in 0..<10 { DispatchQueue.main.async { ran.add() } }
        guard let descriptor = try? MainQueue.descriptor() else { _exit(10) }
        MainQueueDescriptorTests.need(MainQueueDescriptorTests.isReadable(descriptor), 11)
        MainQueue.drain()
        MainQueueDescriptorTests.need(ran.value == 10, 12)
      }
    }
  }

  @Test("drain() leaves what items add, and the descriptor readable for it")
  func addedByItems() async {
    await #expect(processExitsWith: .success) {
      asMainThreadOfAFork {
        guard let descriptor = try? MainQueue.descriptor() else { _exit(10) }
        let ran = Count()
        for _ in 0..<100 {
          DispatchQueue.main.async {
            ran.add()
            DispatchQueue.main.async { ran.add() }
          }
        }
        MainQueue.drain()
        MainQueueDescriptorTests.need(ran.value == 100, 11)
        MainQueueDescriptorTests.need(MainQueueDescriptorTests.isReadable(descriptor), 12)
        MainQueue.drain()
        MainQueueDescriptorTests.need(ran.value == 200, 13)
        MainQueueDescriptorTests.need(!MainQueueDescriptorTests.isReadable(descriptor), 14)
      }
    }
  }

  @Test("A loop of poll and drain serves workers' async, sync and timers, and items that add items")
  func foreignLoop() async {
    await #expect(processExitsWith: .success) {
      asMainThreadOfAFork {
        guard let descriptor = try? MainQueue.descriptor() else { _exit(10) }
        let (ran, synced, timed) = (Count(), Count(), Count())
        @Sendable func chain(_ left: Int) {
          guard left > 0 else { return }
          DispatchQueue.main.async {
            ran.add()
            chain(left - 1)
          }
        }
        DispatchQueue.global().async {
          chain(100)
          for _ in 0..<100 { DispatchQueue.main.sync { if Threads.isMain { synced.add() } } }
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) { timed.add() }
        let end = Clock.uptime() + patience * 1_000_000_000
        while ran.value < 100 || synced.value < 100 || timed.value < 1 {
          MainQueueDescriptorTests.need(Clock.uptime() < end, 11)
          if MainQueueDescriptorTests.isReadable(descriptor, within: 1_000) { MainQueue.drain() }
        }
        MainQueueDescriptorTests.need(!MainQueueDescriptorTests.isReadable(descriptor), 12)
      }
    }
  }
}
