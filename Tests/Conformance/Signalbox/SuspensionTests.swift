// SuspensionTests.swift: suspend and resume, counted, between items. Queues that are not yet active are in
// InactiveQueueTests.swift.
import Testing

extension Conformance {
  @Suite("Suspension") struct Suspension {
    @Test("A suspended queue starts nothing until it is resumed", arguments: Kind.allCases)
    func holdsBack(_ kind: Kind) async {
      await isolated {
        let queue = DispatchQueue(label: "held", attributes: kind.attributes)
        let log = Recorder<Int>()
        queue.suspend()
        for number in 0..<10 { queue.async { log.add(number) } }
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        queue.resume()
        queue.sync(flags: .barrier) {}
        expectEqual(log.entries.sorted(), Array(0..<10))
      }
    }

    @Test("As many resumes as suspends start a queue again, and not one fewer")
    func counts() async {
      await isolated {
        let queue = DispatchQueue(label: "counted")
        let ran = Gate()
        for _ in 0..<100 { queue.suspend() }
        queue.async { ran.open() }
        for _ in 0..<99 { queue.resume() }
        waitForWhatMustNotCome()
        expect(!ran.isOpen)
        queue.resume()
        ran.wait()
      }
    }

    @Test("Suspending from within an item lets that item end and holds back the next")
    func fromWithinAnItem() async {
      await isolated {
        let queue = DispatchQueue(label: "self")
        let log = Recorder<String>()
        queue.async {
          queue.suspend()
          waitForWhatMustNotCome()
          log.add("item")
        }
        queue.async { log.add("next") }
        log.wait(count: 1)
        waitForWhatMustNotCome()
        expectEqual(log.entries, ["item"])
        queue.resume()
        queue.sync {}
        expectEqual(log.entries, ["item", "next"])
      }
    }

    @Test("Suspending from outside lets running items end and holds back the rest of a concurrent queue")
    func whileItemsRun() async {
      await isolated {
        let queue = DispatchQueue(label: "running", attributes: .concurrent)
        let inside = Meeting(of: 3)
        let release = Gate()
        let log = Recorder<String>()
        for _ in 0..<2 {
          queue.async {
            inside.attend()
            release.wait()
            log.add("running")
          }
        }
        inside.attend()
        queue.suspend()
        for _ in 0..<2 { queue.async { log.add("queued") } }
        release.open()
        log.wait(count: 2)
        waitForWhatMustNotCome()
        expectEqual(log.entries, ["running", "running"])
        queue.resume()
        log.wait(count: 4)
        expectEqual(log.entries, ["running", "running", "queued", "queued"])
      }
    }

    @Test("A sync onto a suspended queue waits for the resume", arguments: Kind.allCases)
    func holdsBackSync(_ kind: Kind) async {
      await isolated {
        let queue = DispatchQueue(label: "sync", attributes: kind.attributes)
        let log = Recorder<String>()
        queue.suspend()
        let callers = [
          onThread { queue.sync { log.add("sync") } },
          onThread { queue.sync(flags: .barrier) { log.add("sync") } },
        ]
        waitForWhatMustNotCome()
        log.add("resume")
        queue.resume()
        for caller in callers { caller.join() }
        expectEqual(log.entries, ["resume", "sync", "sync"])
      }
    }

    @Test("A suspended target holds back the queues that target it")
    func holdsBackSources() async {
      await isolated {
        let target = DispatchQueue(label: "target")
        let queue = DispatchQueue(label: "source", target: target)
        let log = Recorder<String>()
        target.suspend()
        queue.async { log.add("async") }
        let caller = onThread { queue.sync { log.add("sync") } }
        waitForWhatMustNotCome()
        log.add("resume")
        target.resume()
        caller.join()
        log.wait(count: 3)
        expectEqual(log.entries.first, "resume")
      }
    }

    @Test("A suspended queue does not hold back others on its target")
    func othersGoOn() async {
      await isolated {
        let target = DispatchQueue(label: "target")
        let held = DispatchQueue(label: "held", target: target)
        let free = DispatchQueue(label: "free", target: target)
        let log = Recorder<String>()
        held.suspend()
        held.async { log.add("held") }
        free.sync { log.add("free") }
        target.sync { log.add("target") }
        held.resume()
        held.sync {}
        expectEqual(log.entries, ["free", "target", "held"])
      }
    }

    @Test("Items may suspend and resume other queues")
    func acrossQueues() async {
      await isolated {
        let queue = DispatchQueue(label: "driven")
        let driver = DispatchQueue(label: "driver")
        let log = Recorder<Int>()
        for number in 0..<200 {
          driver.async { queue.suspend() }
          driver.async { queue.async { log.add(number) } }
          driver.async { queue.resume() }
        }
        driver.sync {}
        queue.sync {}
        expectEqual(log.entries, Array(0..<200))
      }
    }

    // The toolchain's library loses a wake-up here, about once in 500 runs on a busy machine: the items are never run.
    @Test(
      "Many threads that suspend and resume in pairs leave the queue running and lose no item",
      .enabled(if: engineIsOurs))
    func underContention() async {
      await isolated {
        let queue = DispatchQueue(label: "contended", attributes: .concurrent)
        let ran = Counter()
        let group = DispatchGroup()
        onThreads(4) { thread in
          for round in 0..<300 {
            queue.suspend()
            queue.async(group: group, flags: (round + thread) % 3 == 0 ? .barrier : []) { ran.add() }
            queue.resume()
          }
        }
        group.wait()
        expectEqual(ran.value, 1200)
      }
    }

    @Test("Suspend and resume have no effect on a global queue")
    func globalQueue() async {
      await isolated {
        let queue = DispatchQueue.global(qos: .utility)
        let ran = Gate()
        queue.suspend()
        queue.async { ran.open() }
        ran.wait()
        queue.resume()
        queue.resume()
        expectEqual(queue.sync { 1 }, 1)
      }
    }
  }
}
