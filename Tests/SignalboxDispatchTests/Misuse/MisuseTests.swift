// MisuseTests.swift: rows of Differences/misuse.json: the program ends by SIGABRT with the message that names what,
// which object and how to mend it. Each runs in a child process.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

@Suite("Each documented misuse stops the program with its message") struct MisuseTests {
  @Test("Leaving a group more often than it was entered stops the program")
  func unbalancedLeave() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let group = DispatchGroup()
      group.enter()
      group.leave()
      group.leave()
    }
    expectStop(result, saying: "misuse: group 0x", "left more often than entered", "needs an earlier enter()")
  }

  @Test("Resuming a queue more often than it was suspended stops the program")
  func overResume() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = DispatchQueue(label: "over")
      queue.suspend()
      queue.resume()
      queue.resume()
    }
    expectStop(result, saying: "queue \"over\" is resumed more often than suspended", "needs an earlier suspend()")
  }

  @Test("Freeing a suspended queue stops the program")
  func freedWhileSuspended() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      DispatchQueue(label: "gone").suspend()
    }
    expectStop(result, saying: "queue \"gone\" is freed while suspended", "resume() first")
  }

  @Test("Freeing an inactive queue stops the program")
  func freedWhileInactive() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      _ = DispatchQueue(label: "asleep", attributes: .initiallyInactive)
    }
    expectStop(result, saying: "queue \"asleep\" is freed while inactive", "activate it")
  }

  @Test("A sync inside a sync onto the same queue stops the program")
  func syncOntoOneself() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = DispatchQueue(label: "self")
      queue.sync { queue.sync {} }
    }
    expectStop(result, saying: "sync onto queue \"self\", from code that already runs on it", "\"self\" (sync)")
  }

  @Test("A sync onto the queue whose item is running stops the program")
  func syncOntoOneselfFromAnItem() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = DispatchQueue(label: "item")
      let group = DispatchGroup()
      queue.async(group: group) { queue.sync {} }
      group.wait()
    }
    expectStop(result, saying: "sync onto queue \"item\", from code that already runs on it", "\"item\" (item)")
  }

  @Test("A sync onto a queue that a target of the running one leads to stops the program")
  func syncThroughATargetChain() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let base = DispatchQueue(label: "base")
      let top = DispatchQueue(label: "top", target: DispatchQueue(label: "middle", target: base))
      base.sync { top.sync {} }
    }
    expectStop(result, saying: "sync onto queue \"top\", whose target is queue \"base\"")
  }

  @Test("A sync onto a queue that shares the serial target of the running one stops the program")
  func syncOntoASiblingOfOneTarget() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let base = DispatchQueue(label: "base")
      let (left, right) = (DispatchQueue(label: "left", target: base), DispatchQueue(label: "right", target: base))
      left.sync { right.sync {} }
    }
    expectStop(result, saying: "sync onto queue \"right\", whose target is queue \"base\"")
  }

  @Test("A sync from a second queue back onto the first one stops the program")
  func syncRoundTrip() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let (one, two) = (DispatchQueue(label: "one"), DispatchQueue(label: "two"))
      one.sync { two.sync { one.sync {} } }
    }
    expectStop(result, saying: "sync onto queue \"one\"", "\"two\" (sync) < \"one\" (sync)")
  }

  @Test("A sync barrier inside a reader of the same queue stops the program")
  func barrierInsideAReader() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = DispatchQueue(label: "rw", attributes: .concurrent)
      queue.sync { queue.sync(flags: .barrier) {} }
    }
    expectStop(result, saying: "sync onto queue \"rw\"")
  }

  @Test("Freeing a semaphore below its first value stops the program")
  func semaphoreFreedBelowItsStart() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let semaphore = DispatchSemaphore(value: 2)
      semaphore.wait()
    }
    expectStop(result, saying: "created with the value 2 is freed with the value 1", "balance every wait()")
  }

  @Test("Making a semaphore with a negative value stops the program")
  func negativeSemaphore() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      _ = DispatchSemaphore(value: -1)
    }
    expectStop(result, saying: "created with the value -1", "start at 0 or above")
  }

  @Test("Setting the target of an activated queue stops the program")
  func retargetAfterActivation() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      DispatchQueue(label: "active").setTarget(queue: DispatchQueue(label: "other"))
    }
    expectStop(result, saying: "queue \"active\" is retargeted after it was activated", "before activate()")
  }

  @Test("Targets that form a cycle stop the program")
  func targetCycle() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let first = DispatchQueue(label: "first", attributes: .initiallyInactive)
      let second = DispatchQueue(label: "second", attributes: .initiallyInactive, target: first)
      first.setTarget(queue: second)
    }
    expectStop(result, saying: "\"first\" -> \"second\" -> \"first\"", "must form a tree")
  }

  @Test("A dispatchPrecondition that does not hold stops the program")
  func failedPreconditions() async {
    let on = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      dispatchPrecondition(condition: .onQueue(DispatchQueue(label: "wanted")))
    }
    expectStop(on, saying: "precondition failed at", "MisuseTests.swift", "expected to run on queue \"wanted\"")
    let off = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = DispatchQueue(label: "unwanted")
      queue.sync { dispatchPrecondition(condition: .notOnQueue(queue)) }
    }
    expectStop(off, saying: "expected not to run on queue \"unwanted\"")
    let alone = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = DispatchQueue(label: "beside", attributes: .concurrent)
      queue.sync { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
    }
    expectStop(alone, saying: "expected to run alone (as a barrier) on queue \"beside\"")
  }
}
