// SemaphoreTests.swift: counting, waiting with deadlines, and what signal returns.
import Glibc
import Testing

extension Conformance {
  @Suite("Semaphores") struct Semaphores {
    @Test("As many waits pass as the semaphore was made with, and no more")
    func initialValue() async {
      await isolated {
        for value in [0, 1, 5] {
          let semaphore = DispatchSemaphore(value: value)
          for _ in 0..<value { expectEqual(semaphore.wait(timeout: .now()), .success) }
          expectEqual(semaphore.wait(timeout: .now()), .timedOut)
          for _ in 0..<value { semaphore.signal() }
        }
      }
    }

    @Test("Signal returns zero when nobody waits")
    func signalWithoutWaiter() async {
      await isolated {
        let semaphore = DispatchSemaphore(value: 0)
        for _ in 0..<3 { expectEqual(semaphore.signal(), 0) }
        for _ in 0..<3 { semaphore.wait() }
        expectEqual(semaphore.signal(), 0)
      }
    }

    @Test("Signal returns another number when it wakes a thread")
    func signalWithWaiter() async {
      await isolated {
        // A waiter that is asleep is nearly certain to sleep in wait; a signal that came too early returns 0: once more.
        let woken = (0..<50).contains { _ in
          let semaphore = DispatchSemaphore(value: 0)
          let task = Monitor("")
          let waiter = onThread {
            task.access { $0 = threadPath() }
            semaphore.wait()
          }
          expect(task.wait(seconds: patience) { !$0.isEmpty })
          let path = task.access { $0 }
          expectEventually("the waiter sleeps") { isAsleep(path) }
          let result = semaphore.signal()
          waiter.join()
          return result != 0
        }
        expect(woken)
      }
    }

    @Test("Wait gives up at its deadline, not before, on both clocks, and takes nothing")
    func timesOut() async {
      await isolated {
        let semaphore = DispatchSemaphore(value: 0)
        expectEqual(semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: 1)), .timedOut)
        expectEqual(semaphore.wait(wallTimeout: DispatchWallTime.now() - .seconds(5)), .timedOut)
        let uptime = Clock.uptime
        expectEqual(semaphore.wait(timeout: .now() + .milliseconds(20)), .timedOut)
        expect(Clock.uptime - uptime >= 20_000_000, "early")
        let wall = Clock.wall
        expectEqual(semaphore.wait(wallTimeout: .now() + .milliseconds(20)), .timedOut)
        expect(Clock.wall - wall >= 20_000_000, "early")
        expectEqual(semaphore.signal(), 0)
        expectEqual(semaphore.wait(timeout: .now()), .success)
      }
    }

    @Test("A wait whose deadline is past takes what is there")
    func pastDeadlines() async {
      await isolated {
        let semaphore = DispatchSemaphore(value: 0)
        for _ in 0..<3 { semaphore.signal() }
        expectEqual(semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: 1)), .success)
        expectEqual(semaphore.wait(timeout: .now() - .seconds(5)), .success)
        expectEqual(semaphore.wait(wallTimeout: DispatchWallTime.now() - .seconds(5)), .success)
        expectEqual(semaphore.wait(timeout: .now()), .timedOut)
      }
    }

    @Test("Wait with a deadline succeeds as soon as somebody signals, on both clocks and forever")
    func succeedsInTime() async {
      await isolated {
        let waits: [(DispatchSemaphore) -> DispatchTimeoutResult] = [
          { $0.wait(timeout: .now() + .seconds(patience)) }, { $0.wait(wallTimeout: .now() + .seconds(patience)) },
          { $0.wait(timeout: .distantFuture) }, { $0.wait(wallTimeout: .distantFuture) },
        ]
        for wait in waits {
          let semaphore = DispatchSemaphore(value: 0)
          let signaller = onThread {
            waitForWhatMustNotCome()
            semaphore.signal()
          }
          expectEqual(wait(semaphore), .success)
          signaller.join()
        }
      }
    }

    @Test("Many threads that wait and signal lose no signal and invent none")
    func conservation() async {
      await isolated {
        let semaphore = DispatchSemaphore(value: 0)
        let passed = Counter()
        onThreads(8) { index in
          for round in 0..<1000 {
            if index % 2 == 0 {
              semaphore.signal()
            } else if round % 2 == 0 {
              semaphore.wait()
              passed.add()
            } else {
              while semaphore.wait(timeout: .now() + .microseconds(50)) == .timedOut {}
              passed.add()
            }
          }
        }
        expectEqual(passed.value, 4000)
        expectEqual(semaphore.wait(timeout: .now()), .timedOut)
      }
    }

    @Test("A semaphore of one is a lock")
    func asALock() async {
      await isolated {
        let semaphore = DispatchSemaphore(value: 1)
        let number = Shared(0)
        onThreads(4) { _ in
          for _ in 0..<2000 {
            semaphore.wait()
            number.value += 1
            semaphore.signal()
          }
        }
        expectEqual(number.value, 8000)
      }
    }

    @Test("A semaphore of three lets three in at once, and no fourth")
    func asALimit() async {
      await isolated {
        let semaphore = DispatchSemaphore(value: 3)
        let room = Room()
        let meeting = Meeting(of: 3)
        onThreads(6) { index in
          for round in 0..<100 {
            semaphore.wait()
            if round == 0 { meeting.attend() }
            room.read()
            semaphore.signal()
          }
        }
        expect(room.mostReaders <= 3)
        expectEqual(room.visits, 600)
      }
    }

    @Test("An item signals a thread that waits, back and forth")
    func betweenItemsAndThreads() async {
      await isolated {
        let (there, back) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let queue = DispatchQueue(label: "partner")
        queue.async {
          for _ in 0..<2000 {
            there.wait()
            back.signal()
          }
        }
        for _ in 0..<2000 {
          there.signal()
          back.wait()
        }
        queue.sync {}
      }
    }
  }
}

/// Where the kernel shows the calling thread.
private func threadPath() -> String {
  var buffer = [CChar](repeating: 0, count: 64)
  let count = readlink("/proc/thread-self", &buffer, buffer.count - 1)
  return "/proc/" + String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Whether the thread shown at `path` sleeps: the state letter behind its name in parentheses.
private func isAsleep(_ path: String) -> Bool {
  guard let file = fopen(path + "/stat", "r") else { return false }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 512)
  let count = fread(&buffer, 1, buffer.count, file)
  let text = String(decoding: buffer.prefix(count), as: UTF8.self)
  return text.split(separator: ")").last?.hasPrefix(" S") ?? false
}
