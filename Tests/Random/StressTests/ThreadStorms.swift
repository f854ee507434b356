// ThreadStorms.swift: threads, queues and timers that come and go: what they leave behind must be nothing.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

extension StressTests {
  @Suite(.serialized) struct ThreadStorms {
    /// Threads that end right after they used every kind of object: their caches go back, their slots are used again.
    @Test("Threads that end right after using every kind of object leave nothing behind")
    func threadsThatEnd() {
      let queue = DispatchQueue(label: "short")
      let concurrent = DispatchQueue(label: "short.concurrent", attributes: .concurrent)
      let (turns, ran) = (Plain(), Tally())
      for _ in 0..<50 * Settings.scale {
        inTime("threads that end", threads: 8) { number in
          queue.sync { turns.value += 1 }
          for _ in 0..<number * 3 { queue.async { turns.value += 1 } }
          concurrent.async(flags: .barrier) { ran.add() }
          let group = DispatchGroup()
          concurrent.async(group: group) { ran.add() }
          if number.isMultiple(of: 2) { group.wait() }
          if number == 5 { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(20)) }
        }
      }
      inTime("what they submitted") {
        queue.sync {}
        concurrent.sync(flags: .barrier) {}
      }
      #expect(queue.sync { turns.value } == 50 * Settings.scale * (8 + 3 * 28))
      #expect(ran.value == 50 * Settings.scale * 16)
    }

    /// Items that end the very thread they run on: what they held is given back, and everybody else goes on.
    @Test("Items that end the thread they run on give everything back, and all others go on")
    func itemsThatEndTheirThread() {
      let target = DispatchQueue(label: "ending.target")
      let queues = [
        target, DispatchQueue(label: "ending.nested", target: target),
        DispatchQueue(label: "ending.concurrent", attributes: .concurrent), DispatchQueue.global(),
      ]
      let (group, ran) = (DispatchGroup(), Tally())
      inTime("items that end their thread", threads: 3) { number in
        for index in 0..<60 * Settings.scale {
          let ends = (index + number) % 8 == 0
          queues[index % 4].async(group: group, flags: index % 3 == 0 ? .barrier : []) {
            ran.add()
            if ends { pthread_exit(nil) }
          }
          if index % 5 == 0 { queues[index % 3].sync {} }
        }
      }
      inTime("the last of the items") { group.wait() }
      #expect(ran.value == 3 * 60 * Settings.scale)
    }

    /// Queues whose last reference goes while their items wait or run.
    @Test("Queues whose last reference goes while items wait or run still run them")
    func createAsyncDrop() {
      let census = Census()
      let ran = Tally()
      let target = DispatchQueue(label: "lasting")
      inTime("create, async, drop", threads: 4) { number in
        for index in 0..<800 * Settings.scale {
          let queue = DispatchQueue(
            label: "dropped", attributes: index % 3 == 0 ? .concurrent : [], target: index % 2 == 0 ? target : nil)
          let token = Token(census)
          for _ in 0...(index % 8) {
            queue.async {
              ran.add()
              _ = (token, queue)
            }
          }
        }
      }
      let expected = 4 * (0..<800 * Settings.scale).reduce(0) { $0 + $1 % 8 + 1 }
      Watch("dropped queues") { ["\(ran.value) of \(expected) items ran, \(census.count) alive"] }
        .wait { ran.value == expected && census.count == 0 }
      #expect(ran.value == expected)
    }

    /// Applies from many threads and items at once, one inside another.
    @Test("Applies from many threads and items at once, one inside another, call every index once")
    func applies() {
      let bodies = Tally()
      let group = DispatchGroup()
      let rounds = (0..<10 * Settings.scale).flatMap { _ in [1, 2, 33, 300] }
      let work: @Sendable () -> Void = {
        for count in rounds {
          let results = UnsafeMutablePointer<Int>.allocate(capacity: count)
          results.initialize(repeating: 0, count: count)
          // SAFETY: each body writes its own element; the caller reads after the apply, and frees.
          nonisolated(unsafe) let shared = results
          DispatchQueue.concurrentPerform(iterations: count) { index in
            shared[index] += 1
            bodies.add()
            if index == 7 { DispatchQueue.concurrentPerform(iterations: 3) { _ in bodies.add() } }
          }
          if !(0..<count).allSatisfy({ results[$0] == 1 }) { bodies.add(1_000_000) }
          results.deallocate()
        }
      }
      for _ in 0..<6 { DispatchQueue.global(qos: .utility).async(group: group, execute: work) }
      inTime("applies", threads: 4) { _ in work() }
      inTime("applies in items") { group.wait() }
      #expect(bodies.value == 10 * 10 * Settings.scale * (1 + 2 + 33 + 300 + 2 * 3))
    }

    /// Delayed items of many threads: each once, none early, in order of their deadlines' coming on a serial queue.
    @Test("Delayed items of many threads run once each, none early")
    func timers() {
      let queue = DispatchQueue(label: "timed")
      let (fired, early) = (Plain(), Tally())
      let each = 300 * Settings.scale
      inTime("timers", threads: 4) { number in
        var random = Settings.random(number)
        for _ in 0..<each {
          let deadline = DispatchTime.now() + .microseconds(random.pick(0..<4000))
          let work: @Sendable () -> Void = {
            if DispatchTime.now() < deadline { early.add() }
            fired.value += 1
          }
          if random.once(in: 3) {
            queue.asyncAfter(wallDeadline: .now() + .microseconds(random.pick(0..<4000))) { fired.value += 1 }
          } else {
            queue.asyncAfter(deadline: deadline, execute: work)
          }
        }
      }
      // Read again and again, as only the queue knows.
      inTime("the last timers") { while queue.sync(execute: { fired.value }) < 4 * each { sleepPlainly(microseconds: 500) } }
      #expect(early.value == 0)
      #expect(queue.sync { fired.value } == 4 * each)
    }
  }
}
