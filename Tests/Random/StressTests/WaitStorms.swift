// WaitStorms.swift: many threads that wait: for work items, semaphores, groups; what is counted is neither lost nor doubled.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

extension StressTests {
  @Suite(.serialized) struct WaitStorms {
    /// Everybody hears of the end, and sees what the item wrote.
    @Test("Everybody who waits for a work item hears of its end and sees what it wrote")
    func workItemsWaitedFor() {
      let queue = DispatchQueue(label: "items")
      let early = Tally()
      for _ in 0..<150 * Settings.scale {
        let result = Plain()
        let item = DispatchWorkItem { result.value = 1 }
        inTime("waiting for a work item", threads: 7) { number in
          if number == 6 { return queue.async(execute: item) }
          if number.isMultiple(of: 2) { item.wait() }
          while item.wait(timeout: .now() + .microseconds(50)) == .timedOut {}
          if result.value != 1 { early.add() }
        }
      }
      #expect(early.value == 0)
    }

    /// Waits that succeed are as many as signals; a wait that times out takes none.
    @Test("As many waits succeed as there are signals, and a wait that times out takes none")
    func semaphoreTimeouts() {
      let semaphore = DispatchSemaphore(value: 0)
      let (signals, taken) = (Tally(), Tally())
      inTime("semaphore with timeouts", threads: 8) { number in
        var random = Settings.random(number)
        for _ in 0..<1000 * Settings.scale {
          if number < 4 {
            signals.add()
            semaphore.signal()
            if random.once(in: 4) { sleepPlainly(microseconds: Int(random.pick(0..<100))) }  // work that sleeps
          } else if semaphore.wait(timeout: .now() + .microseconds(random.pick(0..<150))) == .success {
            taken.add()
          }
        }
      }
      while semaphore.wait(timeout: .now()) == .success { taken.add() }
      #expect(taken.value == signals.value)
    }

    /// Exclusion by a semaphore of 1, among threads and items, orders plain accesses.
    @Test("A semaphore of 1 keeps threads and items apart and orders their accesses")
    func semaphoreAsLock() {
      let semaphore = DispatchSemaphore(value: 1)
      let guarded = Plain()
      let group = DispatchGroup()
      let work: @Sendable () -> Void = {
        for _ in 0..<300 * Settings.scale {
          semaphore.wait()
          guarded.value += 1
          semaphore.signal()
        }
      }
      for _ in 0..<8 { DispatchQueue.global().async(group: group, execute: work) }
      inTime("semaphore as lock", threads: 4) { _ in work() }
      inTime("its items") { group.wait() }
      #expect(guarded.value == 12 * 300 * Settings.scale)
    }

    /// One group used again and again, with waiters and notifications of every generation.
    @Test("A group used again and again calls the waiters and notifications of every generation")
    func groupsUsedAgain() {
      let group = DispatchGroup()
      let queue = DispatchQueue(label: "listener")
      let (heard, asked) = (Tally(), Tally())
      inTime("group re-use", threads: 6) { number in
        for index in 0..<400 * Settings.scale {
          switch (number + index) % 4 {
          case 0: DispatchQueue.global().async(group: group) {}
          case 1:
            group.enter()
            group.leave()
          case 2:
            asked.add()
            group.notify(queue: queue) { heard.add() }
          default: if number.isMultiple(of: 2) { group.wait() } else { _ = group.wait(timeout: .now() + .microseconds(80)) }
          }
        }
      }
      inTime("the last generation") { group.wait() }
      Watch("the last notification") { ["\(heard.value) of \(asked.value) heard"] }.wait { heard.value == asked.value }
      queue.sync {}
      #expect(heard.value == asked.value)
    }

    /// A member's work is visible to whoever sees the group empty, in each generation.
    @Test("A member's work is visible to whoever sees the group empty, in each generation")
    func groupPublishes() {
      let group = DispatchGroup()
      let results = (0..<4).map { _ in Plain() }
      for generation in 1...300 * Settings.scale {
        for result in results { DispatchQueue.global().async(group: group) { result.value += 1 } }
        inTime("generation \(generation)", threads: 2) { _ in group.wait() }
        #expect(results.allSatisfy { $0.value == generation })
      }
    }
  }
}
