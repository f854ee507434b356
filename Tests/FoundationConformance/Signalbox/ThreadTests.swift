// ThreadTests.swift: threads: how they run, what they say of themselves, how long they sleep.
import Testing

extension Conformance {
  @Suite("Threads") struct Threads {
    /// Starts the thread and waits until it has ended.
    private static func run(_ thread: Thread) {
      thread.start()
      expectEventually("the thread ends") { thread.isFinished }
    }

    @Test("A thread runs its block once, as its own current thread")
    func block() async {
      await isolated {
        let seen = Recorder<Bool>()
        let box = Shared<Thread?>(nil)
        let thread = Thread {
          seen.add(Thread.current === box.value)
          seen.add(Thread.current.isExecuting && !Thread.current.isFinished && !Thread.isMainThread)
        }
        box.value = thread
        expect(!thread.isExecuting && !thread.isFinished && !thread.isCancelled && !thread.isMainThread)
        Self.run(thread)
        expectEqual(seen.entries, [true, true])
        expect(!thread.isExecuting && thread.isFinished)
        expect(Thread.isMultiThreaded())
      }
    }

    @Test("A cancelled thread goes on until it reads so; one that was cancelled before its start does not begin")
    func cancel() async {
      await isolated {
        let up = Gate()
        let thread = Thread {
          up.open()
          while !Thread.current.isCancelled { briefPause() }
        }
        thread.start()
        up.wait()
        thread.cancel()
        expect(thread.isCancelled)
        expectEventually("the thread ends") { thread.isFinished }
        let ran = Gate()
        let never = Thread { ran.open() }
        never.cancel()
        Self.run(never)
        expect(!ran.isOpen)
      }
    }

    @Test("Thread.exit() ends the thread where it is called")
    func exit() async {
      await isolated {
        let log = Recorder<Int>()
        let thread = Thread {
          log.add(1)
          Thread.exit()
          log.add(2)
        }
        thread.start()
        // The toolchain's thread never says that it has finished (Differences/run-loops.json).
        if subjectIsOurs { expectEventually("the thread ends") { thread.isFinished } } else { sleepPlainly(milliseconds: 50) }
        expectEqual(log.entries, [1])
      }
    }

    @Test("Each thread has a dictionary of its own")
    func dictionary() async {
      await isolated {
        Thread.current.threadDictionary["key"] = 1
        let seen = Recorder<Bool>()
        Self.run(Thread { seen.add(Thread.current.threadDictionary["key"] == nil) })
        expect(Thread.current.threadDictionary["key"] as? Int == 1)
        expectEqual(seen.entries, [true])
      }
    }

    @Test("The stack is as large as it was asked for")
    func stack() async {
      await isolated {
        let thread = Thread {
          // Two megabytes on a stack of four.
          withUnsafeTemporaryAllocation(byteCount: 2 << 20, alignment: 16) { memory in
            _ = memory.initializeMemory(as: UInt8.self, repeating: 1)
          }
        }
        thread.stackSize = 4 << 20
        expectEqual(thread.stackSize, 4 << 20)
        thread.stackSize = 100
        expectEqual(thread.stackSize, 4 << 20)
        Self.run(thread)
      }
    }

    @Test("Thread.sleep never ends early")
    func sleep() async {
      await isolated {
        for delay in [0.001, 0.02] {
          var start = Clock.uptime
          Thread.sleep(forTimeInterval: delay)  // what is tested
          expect(milliseconds(since: start) >= delay * 1_000)
          start = Clock.wall
          Thread.sleep(until: Date(timeIntervalSinceNow: delay))  // what is tested
          expect(Double(Clock.wall - start) / 1e6 >= delay * 1_000 - 0.001)
        }
        let start = Clock.uptime
        Thread.sleep(forTimeInterval: -5)  // what is tested
        Thread.sleep(until: .distantPast)  // what is tested
        expect(milliseconds(since: start) < 5_000)
      }
    }

    @Test("The call stack can be read as addresses and as words")
    func stackSymbols() async {
      await isolated {
        expect(Thread.callStackReturnAddresses.count > 1)
        expect(Thread.callStackSymbols.count > 1)
      }
    }
  }
}
