// InactiveQueueTests.swift: queues made inactive: they keep what they are given, and may change their target, until
// they are activated. Suspending active queues is in SuspensionTests.swift.
import Testing

extension Conformance {
  @Suite("Inactive queues") struct InactiveQueues {
    @Test("An inactive queue keeps its items until it is activated")
    func keepsItems() async {
      await isolated {
        for attributes in [DispatchQueue.Attributes.initiallyInactive, [.initiallyInactive, .concurrent]] {
          let queue = DispatchQueue(label: "inactive", attributes: attributes)
          let log = Recorder<Int>()
          for number in 0..<10 { queue.async { log.add(number) } }
          waitForWhatMustNotCome()
          expectEqual(log.entries, [])
          queue.activate()
          queue.sync(flags: .barrier) {}
          expectEqual(log.entries.sorted(), Array(0..<10))
        }
      }
    }

    @Test("A sync onto an inactive queue waits for its activation")
    func syncWaits() async {
      await isolated {
        let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
        let log = Recorder<String>()
        let caller = onThread { queue.sync { log.add("sync") } }
        waitForWhatMustNotCome()
        log.add("activate")
        queue.activate()
        caller.join()
        expectEqual(log.entries, ["activate", "sync"])
      }
    }

    @Test("Activating an active queue does nothing")
    func activatingTwice() async {
      await isolated {
        let queue = DispatchQueue(label: "active", attributes: .initiallyInactive)
        for _ in 0..<3 { queue.activate() }
        expectEqual(queue.sync { 1 }, 1)
        let other = DispatchQueue(label: "always active")
        other.activate()
        other.suspend()
        other.activate()
        let ran = Gate()
        other.async { ran.open() }
        waitForWhatMustNotCome()
        expect(!ran.isOpen)
        other.resume()
        ran.wait()
      }
    }

    @Test("A queue suspended while inactive needs both its activation and its resume")
    func suspendedWhileInactive() async {
      await isolated {
        let queue = DispatchQueue(label: "both", attributes: .initiallyInactive)
        let ran = Gate()
        queue.suspend()
        queue.async { ran.open() }
        queue.activate()
        waitForWhatMustNotCome()
        expect(!ran.isOpen)
        queue.resume()
        ran.wait()
      }
    }

    @Test("An inactive queue takes a new target, and serves it once active")
    func newTarget() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let key = DispatchSpecificKey<String>()
        root.setSpecific(key: key, value: "root")
        let queue = DispatchQueue(label: "moved", attributes: [.initiallyInactive, .concurrent])
        queue.async { expectEqual(DispatchQueue.getSpecific(key: key), "root") }
        queue.setTarget(queue: DispatchQueue(label: "not this"))
        queue.setTarget(queue: root)
        queue.activate()
        let room = Room()
        let group = DispatchGroup()
        for _ in 0..<300 {
          queue.async(group: group) { room.write() }
          root.async(group: group) { room.write() }
        }
        group.wait()
        expectEqual(room.intrusions, 0)
        expectEqual(queue.sync { DispatchQueue.getSpecific(key: key) }, "root")
      }
    }

    @Test("An inactive queue may replace the target that it was made with")
    func replacedTarget() async {
      await isolated {
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        let queue = DispatchQueue(label: "moved", attributes: .initiallyInactive, target: first)
        queue.setTarget(queue: second)
        queue.activate()
        first.suspend()
        expectEqual(queue.sync { 1 }, 1)
        first.resume()
      }
    }

    @Test("An inactive target holds back the queues that target it until it is activated")
    func inactiveTarget() async {
      await isolated {
        let target = DispatchQueue(label: "target", attributes: .initiallyInactive)
        let queue = DispatchQueue(label: "source", target: target)
        let ran = Gate()
        queue.async { ran.open() }
        waitForWhatMustNotCome()
        expect(!ran.isOpen)
        target.activate()
        ran.wait()
      }
    }
  }
}
