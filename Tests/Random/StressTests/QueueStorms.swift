// QueueStorms.swift: many threads on one queue: its pages, its turns, its suspensions.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

extension StressTests {
  @Suite(.serialized) struct QueueStorms {
    /// A pusher that claimed a slot beyond the end of the page must not wait forever when the list has meanwhile been emptied and
    /// turned back to that very page. Each episode pushes a little more than the first page holds, and nothing comes after it
    /// that could help a pusher left behind.
    @Test("Every item runs, though no later push comes to help a pusher that was left behind", arguments: [9, 16])
    func pushersLeftBehind(threads: Int) {
      let queue = DispatchQueue(label: "pages")
      let (arrived, ran) = (Tally(), Tally())
      inTime("pushers left behind", threads: threads) { _ in
        for episode in 1...150 * Settings.scale {
          queue.async { ran.add() }
          arrived.add()
          while arrived.value < threads * episode || ran.value < threads * episode { sched_yield() }
        }
      }
      #expect(ran.value == threads * 150 * Settings.scale)
    }

    /// Bursts of several sizes by several threads cross the ends of pages while the list is being emptied.
    @Test("No item is lost when bursts of several threads cross the ends of pages", arguments: [(4, 1), (16, 7), (3, 300)])
    func pushersAtPageEnds(threads: Int, burst: Int) {
      let queue = DispatchQueue(label: "pages")
      let ran = Plain()
      let rounds = (1200 / burst + 4) * Settings.scale
      inTime("pushers at page ends, \(threads) threads, bursts of \(burst)", threads: threads) { _ in
        for _ in 0..<rounds {
          for _ in 0..<burst { queue.async { ran.value += 1 } }
          sched_yield()
        }
      }
      inTime("the last of the pushed items") { queue.sync {} }
      #expect(queue.sync { ran.value } == threads * rounds * burst)
    }

    /// Fills many pages while the queue is suspended, and empties them while others push.
    @Test("Pages filled while a queue is suspended are emptied while others push")
    func fillAndDrain() {
      let queue = DispatchQueue(label: "fill")
      let ran = Plain()
      for round in 1...5 * Settings.scale {
        queue.suspend()
        inTime("filling", threads: 3) { _ in for _ in 0..<900 { queue.async { ran.value += 1 } } }
        queue.resume()
        inTime("pushing while draining", threads: 2) { _ in for _ in 0..<300 { queue.async { ran.value += 1 } } }
        inTime("draining") { queue.sync {} }
        #expect(queue.sync { ran.value } == round * 3300)
      }
    }

    /// All get their turn, each alone, also those whose patience at the gate runs out.
    @Test("Threads that contend in sync all get their turn, each alone", arguments: [(16, false), (64, false), (16, true)])
    func syncContention(threads: Int, hasLongTurns: Bool) {
      let queue = DispatchQueue(label: "contended")
      let turns = Plain()
      let each = hasLongTurns ? 12 : 12_000 / threads * Settings.scale
      inTime("sync from \(threads) threads", threads: threads) { number in
        for index in 0..<each {
          queue.sync {
            turns.value += 1
            if hasLongTurns, (number + index) % 8 == 0 { sleepPlainly(milliseconds: 12) }  // longer than a turn may be
          }
        }
      }
      #expect(queue.sync { turns.value } == threads * each)
    }

    /// Threads that sync, and items that come between them, on a queue and on its serial target.
    @Test("Syncs and items that come between them keep each other out, on a queue and on its serial target")
    func syncAmongItems() {
      let target = DispatchQueue(label: "target")
      let queues = [DispatchQueue(label: "one", target: target), DispatchQueue(label: "two", target: target), target]
      let turns = Plain()
      inTime("sync among items", threads: 9) { number in
        let queue = queues[number % 3]
        for index in 0..<300 * Settings.scale {
          if index % 3 == number % 2 { queue.async { turns.value += 1 } } else { queue.sync { turns.value += 1 } }
        }
      }
      inTime("the last items") { for queue in queues { queue.sync {} } }
      #expect(target.sync { turns.value } == 9 * 300 * Settings.scale)
    }

    /// Readers see what the last barrier wrote, and nobody is beside a barrier.
    @Test("Readers see what the last barrier wrote, and nobody is beside a barrier")
    func readersAndBarriers() {
      let queue = DispatchQueue(label: "readers", attributes: .concurrent)
      let (written, torn) = (Plain(), Tally())
      inTime("readers and barriers", threads: 8) { number in
        var random = Settings.random(number)
        for _ in 0..<400 * Settings.scale {
          switch random.pick(0...5) {
          case 0: queue.sync(flags: .barrier) { written.value += 1 }
          case 1: queue.async(flags: .barrier) { written.value += 1 }
          case 2: queue.async { if written.value < 0 { torn.add() } }
          default: if queue.sync(execute: { written.value }) < 0 { torn.add() }
          }
        }
      }
      inTime("the last barrier") { queue.sync(flags: .barrier) {} }
      #expect(torn.value == 0)
      let barriers = (0..<8).reduce(0) { sum, number in
        var random = Settings.random(number)
        return sum + (0..<400 * Settings.scale).count { _ in random.pick(0...5) < 2 }
      }
      #expect(queue.sync(flags: .barrier) { written.value } == barriers)
    }

    /// Two queues that hand a ball to and fro, several balls at once.
    @Test("Two queues that hand several balls to and fro lose none")
    func pingPong() {
      let (left, right) = (DispatchQueue(label: "left"), DispatchQueue(label: "right"))
      let hits = Plain()
      let group = DispatchGroup()
      for _ in 0..<3 {
        group.enter()
        PingPong(left, right, hits, group).strike(4000 * Settings.scale)
      }
      inTime("ping-pong") { group.wait() }
      #expect(left.sync { hits.value } == 3 * 2000 * Settings.scale)
    }

    private struct PingPong {
      let (left, right): (DispatchQueue, DispatchQueue)
      let hits: Plain
      let group: DispatchGroup
      init(_ left: DispatchQueue, _ right: DispatchQueue, _ hits: Plain, _ group: DispatchGroup) {
        (self.left, self.right, self.hits, self.group) = (left, right, hits, group)
      }
      func strike(_ left: Int) {
        if left == 0 { return group.leave() }
        let isLeft = left % 2 == 0
        (isLeft ? self.left : right).async {
          if isLeft { hits.value += 1 }
          strike(left - 1)
        }
      }
    }

    /// Suspensions by many threads at once keep nothing from running in the end.
    @Test("Suspensions by many threads at once keep nothing from running in the end", arguments: [false, true])
    func suspendAndResume(isConcurrent: Bool) {
      let queue = DispatchQueue(label: "stopped", attributes: isConcurrent ? .concurrent : [])
      let ran = Tally()
      inTime("suspend and resume", threads: 6) { number in
        for index in 0..<300 * Settings.scale {
          switch (number + index) % 3 {
          case 0: queue.async { ran.add() }
          case 1: queue.sync { _ = ran.add() }
          default:
            queue.suspend()
            queue.async(flags: index % 2 == 0 ? .barrier : []) { ran.add() }
            queue.resume()
          }
        }
      }
      inTime("the last items") { queue.sync(flags: .barrier) {} }
      #expect(ran.value == 6 * 300 * Settings.scale)
    }
  }
}
