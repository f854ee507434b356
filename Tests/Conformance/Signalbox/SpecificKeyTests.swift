// SpecificKeyTests.swift: values that queues carry, and items see through target hierarchies.
import Testing

extension Conformance {
  @Suite("Specific values") struct SpecificKeys {
    @Test("A value is what was last set for its key on its queue, until it is removed")
    func setAndRemove() async {
      await isolated {
        let (queue, other) = (DispatchQueue(label: "queue"), DispatchQueue(label: "other"))
        let (number, text) = (DispatchSpecificKey<Int>(), DispatchSpecificKey<String>())
        expectEqual(queue.getSpecific(key: number), nil)
        queue.setSpecific(key: number, value: 1)
        queue.setSpecific(key: text, value: "one")
        expectEqual(queue.getSpecific(key: number), 1)
        expectEqual(queue.getSpecific(key: text), "one")
        expectEqual(other.getSpecific(key: number), nil)
        queue.setSpecific(key: number, value: 2)
        expectEqual(queue.getSpecific(key: number), 2)
        queue.setSpecific(key: number, value: nil)
        expectEqual(queue.getSpecific(key: number), nil)
        expectEqual(queue.getSpecific(key: text), "one")
        queue.setSpecific(key: number, value: 3)
        expectEqual(queue.getSpecific(key: number), 3)
      }
    }

    @Test("Two keys of one type hold two values")
    func keysOfOneType() async {
      await isolated {
        let queue = DispatchQueue(label: "queue")
        let keys = (0..<50).map { _ in DispatchSpecificKey<Int>() }
        for (number, key) in keys.enumerated() { queue.setSpecific(key: key, value: number) }
        expectEqual(keys.map { queue.getSpecific(key: $0) ?? -1 }, Array(0..<50))
      }
    }

    @Test("Items of every kind see their queue's value; a thread outside sees none")
    func seenByItems() async {
      await isolated {
        let queue = DispatchQueue(label: "queue", attributes: .concurrent)
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 5)
        let group = DispatchGroup()
        let see: @Sendable () -> Void = { expectEqual(DispatchQueue.getSpecific(key: key), 5) }
        queue.async(group: group, execute: see)
        queue.async(group: group, flags: .barrier, execute: see)
        queue.async(group: group, execute: DispatchWorkItem(block: see))
        group.enter()
        queue.asyncAfter(deadline: .now()) {
          see()
          group.leave()
        }
        queue.sync(execute: see)
        queue.sync(flags: .barrier, execute: see)
        queue.sync(execute: DispatchWorkItem(block: see))
        group.wait()
        expectEqual(DispatchQueue.getSpecific(key: key), nil)
        DispatchQueue.global().sync { expectEqual(DispatchQueue.getSpecific(key: key), nil) }
      }
    }

    @Test("An item sees the values of its queue's targets, the nearest first; a queue asked directly has only its own")
    func throughAHierarchy() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let middle = DispatchQueue(label: "middle", attributes: .concurrent, target: root)
        let leaf = DispatchQueue(label: "leaf", target: middle)
        let (everywhere, onRoot, onMiddle) = (
          DispatchSpecificKey<String>(), DispatchSpecificKey<String>(), DispatchSpecificKey<String>()
        )
        for (name, queue) in [("root", root), ("middle", middle), ("leaf", leaf)] {
          queue.setSpecific(key: everywhere, value: name)
        }
        root.setSpecific(key: onRoot, value: "root")
        middle.setSpecific(key: onMiddle, value: "middle")
        let see: @Sendable (String, Bool) -> Void = { name, isAboveMiddle in
          expectEqual(DispatchQueue.getSpecific(key: everywhere), name)
          expectEqual(DispatchQueue.getSpecific(key: onRoot), "root")
          expectEqual(DispatchQueue.getSpecific(key: onMiddle), isAboveMiddle ? "middle" : nil)
        }
        for (name, queue) in [("root", root), ("middle", middle), ("leaf", leaf)] {
          queue.sync { see(name, name != "root") }
          let group = DispatchGroup()
          queue.async(group: group) { see(name, name != "root") }
          group.wait()
        }
        expectEqual(leaf.getSpecific(key: onRoot), nil)
      }
    }

    @Test("Inside a nested sync the inner queue's value is seen, and the outer's again after it")
    func nestedSync() async {
      await isolated {
        let (outer, inner) = (DispatchQueue(label: "outer"), DispatchQueue(label: "inner"))
        let (key, onlyOuter) = (DispatchSpecificKey<String>(), DispatchSpecificKey<String>())
        outer.setSpecific(key: key, value: "outer")
        outer.setSpecific(key: onlyOuter, value: "outer")
        inner.setSpecific(key: key, value: "inner")
        outer.sync {
          expectEqual(DispatchQueue.getSpecific(key: key), "outer")
          inner.sync { expectEqual(DispatchQueue.getSpecific(key: key), "inner") }
          inner.sync { expectEqual(DispatchQueue.getSpecific(key: onlyOuter), nil) }
          expectEqual(DispatchQueue.getSpecific(key: key), "outer")
        }
        expectEqual(DispatchQueue.getSpecific(key: key), nil)
      }
    }

    @Test("A value may be changed by its queue's items while others read it")
    func changedByItems() async {
      await isolated {
        let queue = DispatchQueue(label: "queue")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 0)
        onThreads(4) { _ in
          for _ in 0..<200 {
            queue.sync { queue.setSpecific(key: key, value: (DispatchQueue.getSpecific(key: key) ?? 0) + 1) }
          }
        }
        expectEqual(queue.getSpecific(key: key), 800)
      }
    }

    @Test("A value is released when it is replaced and when it is removed")
    func releasedOnReplacement() async {
      await isolated {
        let queue = DispatchQueue(label: "queue")
        let key = DispatchSpecificKey<Probe>()
        let log = Recorder<Int>()
        for number in 0..<3 { queue.setSpecific(key: key, value: Probe { log.add(number) }) }
        log.wait(count: 2)
        expectEqual(log.entries.sorted(), [0, 1])
        expect(queue.getSpecific(key: key) != nil)
        queue.setSpecific(key: key, value: nil)
        log.wait(count: 3)
        expectEqual(log.entries.sorted(), [0, 1, 2])
      }
    }

    @Test("A queue's values are released when the queue is freed, once each")
    func releasedWithTheQueue() async {
      await isolated {
        let log = Recorder<Int>()
        let keys = (0..<5).map { _ in DispatchSpecificKey<Probe>() }
        do {
          let queue = DispatchQueue(label: "queue")
          for (number, key) in keys.enumerated() { queue.setSpecific(key: key, value: Probe { log.add(number) }) }
          queue.sync {}
          expectEqual(log.entries, [])
          withExtendedLifetime(queue) {}
        }
        log.wait(count: 5)
        expectEqual(log.entries.sorted(), [0, 1, 2, 3, 4])
        // A key that dies may lend its identity to the next.
        withExtendedLifetime(keys) {}
      }
    }
  }
}
