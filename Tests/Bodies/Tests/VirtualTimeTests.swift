// VirtualTimeTests.swift: one schedule in virtual time; conditions that come about; operations that are explained by an order.
import SignalboxExplore
import SignalboxFoundation
import Synchronization
import Testing

@Suite("Virtual time", .serialized) struct VirtualTimeTests {
  @Test("A day of timers, sleeps and waits takes no time, and the value is returned") func day() throws {
    let clock = ContinuousClock()
    var fired = 0
    let took = try clock.measure {
      fired = try withVirtualTime {
        let queue = DispatchQueue(label: "clock"), count = Shared(0)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 3600, repeating: 3600)
        timer.setEventHandler { count.value += 1 }
        timer.activate()
        Thread.sleep(forTimeInterval: 86_400 + 60)
        timer.cancel()
        return queue.sync { count.value }
      }
    }
    #expect(fired == 24)
    #expect(took < .seconds(30))
  }

  @Test("What the body throws is thrown, and a body that can never go on is reported") func errors() throws {
    #expect(throws: Wrong.self) { try withVirtualTime { throw Wrong("so") } }
    #expect(throws: ExploreFailure.self) { try withVirtualTime { DispatchSemaphore(value: 0).wait() } }
  }

  @Test("Tasks sleep in virtual time") func tasks() async throws {
    let hours = try await withVirtualTime {
      let begin = ContinuousClock.now
      try await Task.sleep(for: .seconds(7200))
      return (ContinuousClock.now - begin) / .seconds(3600)
    }
    #expect(hours >= 2 && hours < 2.01)
  }

  @Test("A condition is waited for, and missed after its time") func conditions() throws {
    try withVirtualTime {
      let isThere = Flag()
      DispatchQueue.global().asyncAfter(deadline: .now() + 30) { isThere.set() }
      try eventually { isThere.isSet }
    }
    #expect(throws: NotInTime.self) { try withVirtualTime { try eventually(within: 3600) { false } } }
  }
}

@Suite("Orders that explain what threads saw", .serialized) struct LinearizableTests {
  enum Step: Sendable { case increment, read }
  static func model(_ count: inout Int, _ step: Step) -> Int {
    if step == .increment { count += 1 }
    return count
  }

  @Test("A counter with a lock is explained under each schedule") func locked() throws {
    try explore(schedules: 500) {
      let lock = NSLock(), count = Shared(0)
      try linearizable(0, [[.increment, .read], [.increment]], model: Self.model) { step in
        lock.withLock { Self.model(&count.value, step) }
      }
    }
  }

  @Test("A counter that reads and writes in two steps is not, and what each thread saw is reported") func unlocked() throws {
    let failure = try failure {
      try explore(schedules: 2_000) {
        let lock = NSLock(), count = Shared(0)
        try linearizable(0, [[.increment, .read], [.increment]], model: Self.model) { step in
          var seen = lock.withLock { count.value }
          let answer = Self.model(&seen, step)
          if step == .increment { lock.withLock { count.value = seen } }
          return answer
        }
      }
    }
    #expect(failure.kind == .error)
    #expect(failure.message.contains("no order of the operations explains what the threads saw"))
    #expect(failure.message.contains("thread 2: increment -> 1"))
  }
}
