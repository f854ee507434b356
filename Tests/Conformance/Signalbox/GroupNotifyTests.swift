// GroupNotifyTests.swift: notifications that a group is empty, once, and how long a group lives. Waiting is in
// GroupWaitTests.swift.
import Testing

extension Conformance {
  @Suite("Notifications of groups") struct GroupNotify {
    @Test("A notification of an empty group comes at once")
    func ofAnEmptyGroup() async {
      await isolated {
        let group = DispatchGroup()
        for queue in [DispatchQueue.global(), DispatchQueue(label: "told")] {
          let told = Gate()
          group.notify(queue: queue) { told.open() }
          told.wait()
        }
      }
    }

    @Test("A notification follows the last member, on the queue that was asked for")
    func afterTheLastMember() async {
      await isolated {
        let group = DispatchGroup()
        let told = DispatchQueue(label: "told")
        let key = DispatchSpecificKey<Int>()
        told.setSpecific(key: key, value: 4)
        let (done, ran) = (Gate(), Counter())
        group.enter()
        for _ in 0..<100 { DispatchQueue.global().async(group: group) { ran.add() } }
        group.notify(queue: told) {
          expectEqual(ran.value, 100)
          expectEqual(DispatchQueue.getSpecific(key: key), 4)
          done.open()
        }
        waitForWhatMustNotCome()
        expect(!done.isOpen)
        group.leave()
        done.wait()
      }
    }

    @Test("A notification may use what only one thread may use at a time: the compiler leaves that to the caller")
    func notSendable() async {
      await isolated {
        let (group, told, done) = (DispatchGroup(), DispatchQueue(label: "told"), Gate())
        let tally = Tally()
        group.notify(queue: told) { tally.count += 1 }
        group.notify(qos: .utility, flags: .barrier, queue: told) { tally.count += 1 }
        let item = DispatchWorkItem {}
        item.perform()
        item.notify(queue: told) {
          tally.count += 1
          done.open()
        }
        done.wait()
        expectEqual(tally.count, 3)
      }
    }

    /// Not for several threads.
    private final class Tally { var count = 0 }

    @Test("Several notifications come once each, in the order in which they were asked for")
    func several() async {
      await isolated {
        let group = DispatchGroup()
        let told = DispatchQueue(label: "told")
        let log = Recorder<Int>()
        group.enter()
        for number in 0..<20 { group.notify(queue: told) { log.add(number) } }
        group.leave()
        log.wait(count: 20)
        group.enter()
        group.leave()
        told.sync {}
        expectEqual(log.entries, Array(0..<20))
      }
    }

    @Test("A notification waits for those who are members when it is asked for, not for later ones")
    func snapshot() async {
      await isolated {
        let group = DispatchGroup()
        let (first, second) = (Gate(), Gate())
        group.enter()
        group.notify(queue: .global()) { first.open() }
        group.leave()
        group.enter()
        first.wait()
        group.notify(queue: .global()) { second.open() }
        waitForWhatMustNotCome()
        expect(!second.isOpen, "told although a member was inside")
        group.leave()
        second.wait()
      }
    }

    @Test("A notification may enter its group again, and a further notification comes")
    func reentry() async {
      await isolated {
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "again")
        let done = Gate()
        @Sendable func round(_ left: Int) {
          if left == 0 { return done.open() }
          group.enter()
          group.notify(queue: queue) { round(left - 1) }
          group.leave()
        }
        round(200)
        done.wait()
      }
    }

    @Test("A notification takes flags and a service, or a work item, cancelled or not")
    func forms() async {
      await isolated {
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "forms", attributes: .concurrent)
        let log = Recorder<String>()
        group.enter()
        let cancelled = DispatchWorkItem { log.add("cancelled") }
        group.notify(queue: queue, work: cancelled)
        group.notify(queue: queue, work: DispatchWorkItem(flags: .barrier) { log.add("item") })
        group.notify(qos: .utility, flags: [.barrier, .enforceQoS], queue: queue) { log.add("closure") }
        cancelled.cancel()
        group.leave()
        cancelled.wait()
        log.wait(count: 2)
        queue.sync(flags: .barrier) {}
        expectEqual(log.entries, ["item", "closure"])
      }
    }

    @Test("Waiting and notification of one group both end, many times over")
    func waitBesideNotify() async {
      await isolated {
        let told = Counter()
        let queue = DispatchQueue(label: "told")
        for _ in 0..<200 {
          let group = DispatchGroup()
          for _ in 0..<2 { DispatchQueue.global().async(group: group) {} }
          group.notify(queue: queue) { told.add() }
          group.wait()
        }
        expectEventually("200 notifications") { told.value == 200 }
      }
    }

    @Test("A group that nobody refers to lives until its members have left, and its notification comes")
    func keptAliveWhileEntered() async {
      await isolated {
        let (release, told, died) = (Gate(), Gate(), Gate())
        weak var remembered: DispatchGroup?
        do {
          let group = DispatchGroup()
          let probe = Probe { died.open() }
          DispatchQueue(label: "member").async(group: group) { release.wait() }
          group.notify(queue: .global()) {
            probe.touch()
            told.open()
          }
          remembered = group
        }
        expect(!told.isOpen)
        expect(!died.isOpen)
        release.open()
        told.wait()
        died.wait()
        expectEventually("the group is freed") { remembered == nil }
      }
    }

    @Test("A group kept only by an entry made by hand lives until the leave")
    func keptAliveByHand() async {
      await isolated {
        let (told, died) = (Gate(), Gate())
        let leave: @Sendable () -> Void = {
          let group = DispatchGroup()
          let probe = Probe { died.open() }
          group.enter()
          group.notify(queue: .global()) {
            probe.touch()
            told.open()
          }
          return { group.leave() }
        }()
        waitForWhatMustNotCome()
        expect(!told.isOpen)
        leave()
        told.wait()
        died.wait()
      }
    }
  }
}
