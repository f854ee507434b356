// HierarchyTests.swift: queues that target queues: what the target forbids, its sources cannot do. Values that are seen
// through a hierarchy are in SpecificKeyTests.swift.
import Testing

extension Conformance {
  @Suite("Target hierarchies") struct Hierarchies {
    @Test("Two queues onto one serial queue exclude each other and it, and each keeps its order")
    func twoQueuesOntoOne() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let queues = [
          DispatchQueue(label: "left", target: root), DispatchQueue(label: "right", attributes: .concurrent, target: root),
          root,
        ]
        let room = Room()
        let logs = (0..<3).map { _ in Recorder<Int>() }
        onThreads(3) { index in
          for number in 0..<400 {
            let item: @Sendable () -> Void = {
              room.write()
              logs[index].add(number)
            }
            if number % 4 == 3 { queues[index].sync(execute: item) } else { queues[index].async(execute: item) }
          }
        }
        for queue in queues { queue.sync(flags: .barrier) {} }
        expectEqual(room.visits, 1200)
        expectEqual(room.intrusions, 0)
        for log in logs { expectEqual(log.entries, Array(0..<400)) }
      }
    }

    @Test("A concurrent queue onto a serial queue runs one item at a time, in order")
    func concurrentOntoSerial() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let queue = DispatchQueue(label: "wide", attributes: .concurrent, target: root)
        let room = Room()
        let log = Recorder<Int>()
        let group = DispatchGroup()
        for number in 0..<1000 {
          queue.async(group: group, flags: number % 10 == 0 ? .barrier : []) {
            room.write()
            log.add(number)
          }
        }
        group.wait()
        expectEqual(log.entries, Array(0..<1000))
        expectEqual(room.intrusions, 0)
      }
    }

    @Test("Sync through a hierarchy runs on the caller's thread and excludes the items of every queue on the way")
    func syncThroughAHierarchy() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let middle = DispatchQueue(label: "middle", target: root)
        let leaves = (0..<2).map { DispatchQueue(label: "leaf \($0)", target: middle) }
        let queues = leaves + [middle, root]
        let room = Room()
        let group = DispatchGroup()
        onThreads(4) { index in
          let caller = currentThread()
          for _ in 0..<200 {
            queues[index].sync {
              room.write()
              expectEqual(currentThread(), caller)
            }
            queues[index].async(group: group) { room.write() }
          }
        }
        group.wait()
        expectEqual(room.visits, 1600)
        expectEqual(room.intrusions, 0)
      }
    }

    @Test("Sync from an item of one hierarchy into another, and back to the caller")
    func syncAcrossHierarchies() async {
      await isolated {
        let roots = (0..<2).map { DispatchQueue(label: "root \($0)") }
        let leaves = roots.map { DispatchQueue(label: "leaf", target: $0) }
        let log = Recorder<String>()
        leaves[0].async {
          log.add("outer")
          leaves[1].sync { roots[0].async { log.add("later") } }
          waitForWhatMustNotCome()
          log.add("outer again")
        }
        log.wait(count: 3)
        expectEqual(log.entries, ["outer", "outer again", "later"])
      }
    }

    @Test("Sync waits while the target runs an item of another queue")
    func syncWaitsForTheTarget() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let other = DispatchQueue(label: "other", target: root)
        let queue = DispatchQueue(label: "queue", target: root)
        let (started, release) = (Gate(), Gate())
        let log = Recorder<String>()
        other.async {
          started.open()
          release.wait()
          log.add("other")
        }
        started.wait()
        let caller = onThread { queue.sync { log.add("sync") } }
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        release.open()
        caller.join()
        expectEqual(log.entries, ["other", "sync"])
      }
    }

    @Test("Two serial queues onto a concurrent queue run beside each other, each in order")
    func serialOntoConcurrent() async {
      await isolated {
        let root = DispatchQueue(label: "root", attributes: .concurrent)
        let meeting = Meeting(of: 2)
        let group = DispatchGroup()
        let logs = (0..<2).map { _ in Recorder<Int>() }
        for index in 0..<2 {
          let queue = DispatchQueue(label: "serial \(index)", target: root)
          queue.async(group: group) { meeting.attend() }
          for number in 0..<500 { queue.async(group: group) { logs[index].add(number) } }
        }
        group.wait()
        for log in logs { expectEqual(log.entries, Array(0..<500)) }
      }
    }

    @Test("A barrier of the target keeps out the items of the queues that target it")
    func barrierOfTheTarget() async {
      await isolated {
        let root = DispatchQueue(label: "root", attributes: .concurrent)
        let queues = (0..<2).map { DispatchQueue(label: "wide \($0)", attributes: .concurrent, target: root) }
        let room = Room()
        let group = DispatchGroup()
        for round in 0..<300 {
          queues[round % 2].async(group: group) { room.read() }
          queues[(round + 1) % 2].sync { room.read() }
          if round % 3 == 0 { root.async(group: group, flags: .barrier) { room.write() } }
          if round % 7 == 0 { root.sync(flags: .barrier) { room.write() } }
        }
        group.wait()
        expectEqual(room.visits, 600 + 100 + 43)
        expectEqual(room.intrusions, 0)
      }
    }

    @Test("A queue ten targets above its root still runs its items, alone under that root")
    func tenDeep() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let leaf = (0..<10).reduce(root) { DispatchQueue(label: "level \($1)", target: $0) }
        let room = Room()
        let group = DispatchGroup()
        for _ in 0..<200 {
          leaf.async(group: group) { room.write() }
          root.async(group: group) { room.write() }
          leaf.sync { room.write() }
        }
        group.wait()
        expectEqual(room.visits, 600)
        expectEqual(room.intrusions, 0)
      }
    }

    @Test("Queues that target global queues run their items in order")
    func ontoGlobalQueues() async {
      await isolated {
        for service in [DispatchQoS.QoSClass.background, .utility, .default, .userInitiated, .userInteractive] {
          let queue = DispatchQueue(label: "on global", target: .global(qos: service))
          let log = Recorder<Int>()
          for number in 0..<100 { queue.async { log.add(number) } }
          queue.sync {}
          expectEqual(log.entries, Array(0..<100))
        }
      }
    }
  }
}
