// DestructionTests.swift: when an item's captures die: before anybody can learn that the item is over. When queues die
// is in QueueLifetimeTests.swift.
import Testing

extension Conformance {
  @Suite("Destruction of captures") struct Destruction {
    @Test("An item's captures die before the next item of its serial queue starts")
    func beforeTheNextItem() async {
      await isolated {
        let queue = DispatchQueue(label: "serial")
        let log = Recorder<String>()
        queue.suspend()
        for number in 0..<100 {
          let probe = Probe { log.add("dead \(number)") }
          queue.async(flags: number % 2 == 0 ? [] : .barrier) {
            probe.touch()
            log.add("ran \(number)")
          }
        }
        queue.resume()
        queue.sync {}
        expectEqual(log.entries, (0..<100).flatMap { ["ran \($0)", "dead \($0)"] })
      }
    }

    @Test("A barrier's captures die before the readers behind it start")
    func beforeReadersBehindABarrier() async {
      await isolated {
        let queue = DispatchQueue(label: "wide", attributes: .concurrent)
        let group = DispatchGroup()
        for _ in 0..<100 {
          let dead = Gate()
          do {
            let probe = Probe { dead.open() }
            queue.async(group: group, flags: .barrier) { probe.touch() }
          }
          for _ in 0..<2 { queue.async(group: group) { expect(dead.isOpen, "a reader met the captures of a barrier") } }
        }
        group.wait()
      }
    }

    @Test("A reader's captures die before the barrier behind it starts")
    func beforeABarrierBehindReaders() async {
      await isolated {
        let queue = DispatchQueue(label: "wide", attributes: .concurrent)
        let group = DispatchGroup()
        for _ in 0..<100 {
          let dead = Counter()
          for _ in 0..<2 {
            let probe = Probe { dead.add() }
            queue.async(group: group) { probe.touch() }
          }
          queue.async(group: group, flags: .barrier) { expectEqual(dead.value, 2) }
        }
        group.wait()
      }
    }

    @Test("A member's captures die before its group is left, on every kind of queue")
    func beforeTheGroupIsLeft() async {
      await isolated {
        let queues = [
          DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent), .global(),
        ]
        for queue in queues {
          for round in 0..<100 {
            let group = DispatchGroup()
            let (waited, told) = (Gate(), Gate())
            do {
              let probe = Probe { waited.open() }
              let work: @Sendable () -> Void = { probe.touch() }
              switch round % 3 {
              case 0: queue.async(group: group, execute: work)
              case 1: queue.async(group: group, qos: .utility, flags: .barrier, execute: work)
              default: queue.async(group: group, execute: DispatchWorkItem(block: work))
              }
            }
            group.notify(queue: .global()) {
              expect(waited.isOpen, "told before the captures died")
              told.open()
            }
            group.wait()
            expect(waited.isOpen, "left before the captures died")
            told.wait()
          }
        }
      }
    }

    @Test("A delayed item's captures die before the next item of its serial queue starts")
    func delayedItems() async {
      await isolated {
        let queue = DispatchQueue(label: "delayed")
        let log = Recorder<String>()
        queue.suspend()
        do {
          let probe = Probe { log.add("dead") }
          queue.asyncAfter(deadline: .now()) {
            probe.touch()
            log.add("ran")
          }
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(40)) { log.add("next") }
        queue.resume()
        log.wait(count: 3)
        expectEqual(log.entries, ["ran", "dead", "next"])
      }
    }

    @Test("A notification's captures die once it has run")
    func notifications() async {
      await isolated {
        let queue = DispatchQueue(label: "told")
        let log = Recorder<String>()
        do {
          let probe = Probe { log.add("dead") }
          DispatchGroup().notify(queue: queue) {
            probe.touch()
            log.add("group")
          }
        }
        log.wait(count: 2)
        do {
          let probe = Probe { log.add("dead") }
          let item = DispatchWorkItem {}
          item.notify(queue: queue) {
            probe.touch()
            log.add("item")
          }
          item.perform()
        }
        log.wait(count: 4)
        expectEqual(log.entries, ["group", "dead", "item", "dead"])
      }
    }

    @Test("A work item that nobody keeps dies, with its captures, before the next item of its serial queue starts")
    func workItems() async {
      await isolated {
        let queue = DispatchQueue(label: "items")
        let log = Recorder<String>()
        queue.suspend()
        for number in 0..<50 {
          let probe = Probe { log.add("dead \(number)") }
          let item = DispatchWorkItem {
            probe.touch()
            log.add("ran \(number)")
          }
          queue.async(execute: item)
          if number % 5 == 0 { item.cancel() }
        }
        queue.resume()
        queue.sync {}
        expectEqual(
          log.entries, (0..<50).flatMap { $0 % 5 == 0 ? ["dead \($0)"] : ["ran \($0)", "dead \($0)"] })
      }
    }

    // The toolchain's library lets the waiter go before its worker gives up the item.
    @Test("When a wait for a work item returns, its queue no longer keeps the item", .enabled(if: engineIsOurs))
    func beforeAWaitReturns() async {
      await isolated {
        let queue = DispatchQueue(label: "waited")
        for _ in 0..<500 {
          let dead = Gate()
          var item: DispatchWorkItem? = {
            let probe = Probe { dead.open() }
            return DispatchWorkItem { probe.touch() }
          }()
          queue.async(execute: item!)
          item?.wait()
          item = nil
          expect(dead.isOpen, "the queue still keeps the item")
        }
      }
    }

    @Test("A destructor may submit to the very queue whose item it dies with, and to others")
    func destructorsThatSubmit() async {
      await isolated {
        let queue = DispatchQueue(label: "own")
        let log = Recorder<String>()
        let group = DispatchGroup()
        queue.suspend()
        do {
          let probe = Probe {
            queue.async(group: group) { log.add("from the destructor") }
            DispatchQueue.global().sync {}
            DispatchQueue(label: "other").sync { log.add("destructor") }
          }
          queue.async(group: group) {
            probe.touch()
            log.add("item")
          }
        }
        queue.resume()
        group.wait()
        expectEqual(log.entries, ["item", "destructor", "from the destructor"])
      }
    }

    @Test("A chain of destructors that submit items whose captures' destructors submit runs to its end")
    func chainOfDestructors() async {
      await isolated {
        let queue = DispatchQueue(label: "chain")
        let done = Gate()
        @Sendable func link(_ left: Int) {
          if left == 0 { return done.open() }
          let probe = Probe { link(left - 1) }
          queue.async { probe.touch() }
        }
        link(300)
        done.wait()
      }
    }
  }
}
