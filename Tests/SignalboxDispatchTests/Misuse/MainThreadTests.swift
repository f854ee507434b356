// MainThreadTests.swift: waits of the main thread that only the main thread could end, and the main queue used off it. An exit
// test's body does not run on the main thread: a fork's only thread is one.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Misuse of the main thread stops the program") struct MainThreadTests {
  @Test("An untimed wait of the main thread for a group whose members are all in the main queue stops the program")
  func group() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let group = DispatchGroup()
        for _ in 0..<3 { DispatchQueue.main.async(group: group) {} }
        group.wait()
      }
    }
    expectStop(
      result, saying: "holds main queue \"com.apple.main-thread\" and wants group 0x",
      "(3 inside), whose remaining members are items of the main queue",
      "fix: use notify() instead of wait(), or submit the items to a queue")
  }

  @Test("A member elsewhere may still end the wait, and a wait with a limit is no deadlock")
  func groupWithHope() async {
    await #expect(processExitsWith: .exitCode(4)) {
      asMainThreadOfAFork {
        let group = DispatchGroup()
        DispatchQueue.main.async(group: group) {}
        guard group.wait(timeout: .now() + .milliseconds(20)) == .timedOut else { _exit(2) }
        DispatchQueue.global().async(group: group) {
          sleepPlainly(milliseconds: 50)  // time in which the wait would be stopped
          _exit(4)  // while the main thread still waits
        }
        group.wait()
        _exit(3)
      }
    }
  }

  @Test("An untimed wait that becomes hopeless while it lasts is stopped, too")
  func groupThatLosesHope() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let group = DispatchGroup()
        DispatchQueue.main.async(group: group) {}
        // While it works, the wait is not hopeless yet.
        DispatchQueue.global().async(group: group) { sleepPlainly(milliseconds: 50) }
        group.wait()
      }
    }
    expectStop(result, saying: "holds main queue \"com.apple.main-thread\" and wants group 0x")
  }

  @Test("An untimed wait of the main thread for a work item in the main queue stops the program")
  func workItem() async {
    let plain = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let item = DispatchWorkItem {}
        DispatchQueue.main.async(execute: item)
        item.wait()
      }
    }
    let grouped = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let item = DispatchWorkItem {}
        DispatchQueue.main.async(group: DispatchGroup(), execute: item)
        item.wait()
      }
    }
    for result in [plain, grouped] {
      expectStop(
        result, saying: "wants work item 0x", ", which lies in the main queue",
        "fix: use notify() instead of wait(), or submit the items to a queue")
    }
  }

  @Test("A semaphore wait of the main thread while the main queue has items gives one warning after a second")
  func semaphore() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let semaphore = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {}
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2_300)) { semaphore.signal() }
        semaphore.wait()
      }
    }
    let lines = errorText(result).split(separator: "\n").filter { $0.contains("waited for a semaphore") }
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.first?.contains("for 1 s while the main queue holds items") == true)
  }

  @Test("A semaphore wait with an empty main queue, or with a limit, is not warned of")
  func quietSemaphore() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let semaphore = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1_200)) { semaphore.signal() }
        semaphore.wait()
        DispatchQueue.main.async {}
        _ = semaphore.wait(timeout: .now() + .milliseconds(1_200))
      }
    }
    #expect(!errorText(result).contains("semaphore"), "\(errorText(result))")
  }

  @Test("A sync onto the main queue from the main thread is stopped, through a target, too")
  func syncOntoMain() async {
    let direct = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      asMainThreadOfAFork { DispatchQueue.main.sync {} }
    }
    expectStop(direct, saying: "misuse: sync onto queue \"com.apple.main-thread\", which runs on the main thread")
    let nested = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      asMainThreadOfAFork { DispatchQueue(label: "above", target: .main).sync {} }
    }
    expectStop(nested, saying: "misuse: sync onto queue \"above\", which runs on the main thread")
  }

  @Test("The main queue is neither drained nor served by another thread")
  func otherThread() async {
    let drain = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      OtherThread.run { MainQueue.drain() }
    }
    expectStop(drain, saying: "misuse: MainQueue.drain() is called on a thread that is not the main one")
    let main = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      OtherThread.run { dispatchMain() }
    }
    expectStop(main, saying: "misuse: dispatchMain() is called on a thread that is not the main one")
  }

  @Test("dispatchMain() inside an item is stopped")
  func mainInsideAnItem() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      asMainThreadOfAFork { DispatchQueue(label: "around").sync { dispatchMain() } }
    }
    expectStop(result, saying: "misuse: dispatchMain() is called from inside \"around\" (sync): call it outside")
  }

  /// Runs `body` on a thread that is surely not the main one, and waits forever.
  enum OtherThread {
    static func run(_ body: @escaping @Sendable () -> Void) {
      do { try Threads.spawn(body: body) } catch { _exit(9) }
      sleepPlainly(milliseconds: 30_000)  // the body ends the process before that
      _exit(8)
    }
  }
}
