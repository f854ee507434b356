// GroupMemberTests.swift: what the second of two items finds of the first, which has ended: it is out of its group, its closure is gone, and those
// who wait for it go on, whatever the second does meanwhile and wherever it blocks. Most runs give both items to one worker.
import Testing

extension Conformance {
  @Suite("After a member's end") struct GroupMembers {
    static let queues = ["global", "utility", "concurrent", "serial"]
    static func queue(_ kind: String) -> DispatchQueue {
      switch kind {
      case "global": .global()
      case "utility": .global(qos: .utility)
      case "concurrent": DispatchQueue(label: "concurrent", attributes: .concurrent)
      default: DispatchQueue(label: "serial")
      }
    }
    static let rounds = 100

    /// Two members of a group, the second submitted by the first, as many times as there are rounds; each group becomes empty.
    static func inRounds(_ kind: String, second: @escaping @Sendable (DispatchGroup) -> Void) {
      let queue = queue(kind)
      for _ in 0..<rounds {
        let (group, over) = (DispatchGroup(), Gate())
        queue.async(group: group) {
          queue.async(group: group) {
            second(group)
            over.open()
          }
        }
        // It may be empty between the two; after its second end nothing touches it.
        over.wait()
        expectEqual(group.wait(timeout: .now() + .seconds(patience)), .success)
      }
    }

    @Test("A member that steps out and waits finds the group empty", arguments: queues)
    func waits(_ kind: String) async {
      await isolated {
        Self.inRounds(kind) { group in
          group.leave()
          expectEqual(group.wait(timeout: .now() + .seconds(patience)), .success)
          group.enter()
        }
      }
    }

    @Test("A member that steps out is notified of the end, asleep in a condition of the C library", arguments: queues)
    func isNotified(_ kind: String) async {
      await isolated {
        let told = DispatchQueue(label: "told")
        Self.inRounds(kind) { group in
          let end = Gate()
          group.leave()
          group.notify(queue: told) { end.open() }
          end.wait()
          group.enter()
        }
      }
    }

    @Test("Another thread leaves for a member and finds the group empty", arguments: queues)
    func anotherLeaves(_ kind: String) async {
      await isolated {
        Self.inRounds(kind) { group in
          let end = Gate()
          let other = onThread {
            group.leave()
            expectEqual(group.wait(timeout: .now() + .seconds(patience)), .success)
            end.open()
          }
          end.wait()
          other.join()
          group.enter()
        }
      }
    }

    @Test("A thread that waits goes on while a member has stepped out", arguments: queues)
    func anotherWaits(_ kind: String) async {
      await isolated {
        let queue = Self.queue(kind)
        for _ in 0..<Self.rounds {
          let (group, seen, over) = (DispatchGroup(), Gate(), Gate())
          queue.async(group: group) {
            queue.async(group: group) {
              group.leave()
              seen.wait()
              group.enter()
              over.open()
            }
          }
          expectEqual(group.wait(timeout: .now() + .seconds(patience)), .success)
          seen.open()
          over.wait()
          expectEqual(group.wait(timeout: .now() + .seconds(patience)), .success)
        }
      }
    }

    @Test("What an item held is destroyed though the next one blocks until then", arguments: queues, [false, true])
    func isDestroyed(_ kind: String, asMember: Bool) async {
      await isolated {
        let queue = Self.queue(kind)
        for _ in 0..<Self.rounds {
          let over = Gate()
          Self.submit(to: queue, asMember: asMember, over)
          over.wait()
        }
      }
    }

    /// An item that alone holds a probe, and one that blocks until the probe is gone.
    static func submit(to queue: DispatchQueue, asMember: Bool, _ over: Gate) {
      let (group, gone) = (DispatchGroup(), Gate())
      let probe = Probe { gone.open() }
      let first: @Sendable () -> Void = {
        probe.touch()
        queue.async(group: group) {
          gone.wait()
          over.open()
        }
      }
      if asMember { queue.async(group: group, execute: first) } else { queue.async(execute: first) }
    }

    @Test("Who waits for an item goes on though the next one blocks until then", arguments: queues)
    func itemIsOver(_ kind: String) async {
      await isolated {
        let queue = Self.queue(kind)
        for _ in 0..<Self.rounds {
          let (known, end, over) = (Gate(), Gate(), Gate())
          let first = DispatchWorkItem {
            queue.async {
              end.wait()
              over.open()
            }
          }
          let item = Shared(first)
          let waiter = onThread {
            known.open()
            expectEqual(item.value.wait(timeout: .now() + .seconds(patience)), .success)
            end.open()
          }
          known.wait()
          queue.async(execute: first)
          over.wait()
          waiter.join()
        }
      }
    }
  }
}
