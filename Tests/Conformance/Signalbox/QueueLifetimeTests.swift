// QueueLifetimeTests.swift: a queue lives as long as somebody refers to it or it has items, and no longer. A value set
// on the queue tells when it dies.
import Testing

/// A queue that logs its death.
private func mortal(
  _ label: String, _ log: Recorder<String>, attributes: DispatchQueue.Attributes = [], target: DispatchQueue? = nil
) -> DispatchQueue {
  let queue = DispatchQueue(label: label, attributes: attributes, target: target)
  queue.setSpecific(key: DispatchSpecificKey<Probe>(), value: Probe { log.add(label + " died") })
  return queue
}

extension Conformance {
  @Suite("Lifetime of queues") struct QueueLifetime {
    @Test("An unused queue dies with its last reference", arguments: Kind.allCases)
    func unused(_ kind: Kind) async {
      await isolated {
        let log = Recorder<String>()
        do {
          let queue = mortal("unused", log, attributes: kind.attributes)
          let second = queue
          waitForWhatMustNotCome()
          expectEqual(log.entries, [])
          withExtendedLifetime((queue, second)) {}
        }
        log.wait(count: 1)
      }
    }

    @Test("A queue dropped right after async still runs its items, and dies after the last", arguments: Kind.allCases)
    func droppedWithItems(_ kind: Kind) async {
      await isolated {
        let log = Recorder<String>()
        let (started, release) = (Gate(), Gate())
        do {
          let queue = mortal("dropped", log, attributes: kind.attributes)
          queue.async {
            started.open()
            release.wait()
          }
          for _ in 0..<3 { queue.async(flags: .barrier) { log.add("item") } }
        }
        started.wait()
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        release.open()
        log.wait(count: 4)
        expectEqual(log.entries, ["item", "item", "item", "dropped died"])
      }
    }

    @Test("A queue whose last reference its own item holds dies after that item")
    func ownedByItsItem() async {
      await isolated {
        let log = Recorder<String>()
        do {
          let queue = mortal("owned", log)
          queue.async {
            queue.async { log.add("second \(queue.label)") }
            log.add("first")
          }
        }
        log.wait(count: 3)
        expectEqual(log.entries, ["first", "second owned", "owned died"])
      }
    }

    @Test("A target lives as long as the queues that target it")
    func targets() async {
      await isolated {
        let log = Recorder<String>()
        var leaf: DispatchQueue? = {
          let root = mortal("root", log)
          let middle = mortal("middle", log, attributes: .concurrent, target: root)
          return mortal("leaf", log, target: middle)
        }()
        leaf?.sync { log.add("sync") }
        let ran = Gate()
        leaf?.async { ran.open() }
        ran.wait()
        waitForWhatMustNotCome()
        expectEqual(log.entries, ["sync"])
        leaf = nil
        log.wait(count: 4)
        expectEqual(log.entries.sorted(), ["leaf died", "middle died", "root died", "sync"])
      }
    }

    @Test("A queue retargeted while inactive lets its old target die")
    func retargeted() async {
      await isolated {
        let log = Recorder<String>()
        let queue = DispatchQueue(label: "moved", attributes: .initiallyInactive, target: mortal("old", log))
        queue.setTarget(queue: mortal("new", log))
        queue.activate()
        queue.sync { log.add("sync") }
        log.wait(count: 2)
        expectEqual(log.entries.sorted(), ["old died", "sync"])
        withExtendedLifetime(queue) {}
      }
    }

    @Test("A suspended queue whose items are pending lives on, resumed by one of its own references")
    func suspended() async {
      await isolated {
        let log = Recorder<String>()
        do {
          let queue = mortal("suspended", log)
          queue.suspend()
          queue.async { log.add("item") }
          waitForWhatMustNotCome()
          expectEqual(log.entries, [])
          queue.resume()
        }
        log.wait(count: 2)
        expectEqual(log.entries, ["item", "suspended died"])
      }
    }

    @Test("A queue dropped by a thread that only synced onto it dies")
    func afterSync() async {
      await isolated {
        let log = Recorder<String>()
        do {
          let queue = mortal("synced", log, attributes: .concurrent)
          queue.sync {}
          queue.sync(flags: .barrier) {}
          onThreads(4) { _ in for _ in 0..<50 { queue.sync {} } }
        }
        log.wait(count: 1)
      }
    }

    @Test("A thousand queues made, used and dropped all run their item and die")
    func many() async {
      await isolated {
        let (ran, log) = (Counter(), Recorder<String>())
        onThreads(4) { _ in
          for number in 0..<250 {
            let queue = mortal("one of many", log, attributes: number % 2 == 0 ? [] : .concurrent)
            queue.async { ran.add() }
          }
        }
        log.wait(count: 1000)
        expectEqual(ran.value, 1000)
        expectEqual(log.count, 1000)
      }
    }
  }
}
