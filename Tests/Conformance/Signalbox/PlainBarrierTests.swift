// PlainBarrierTests.swift: where a barrier is just an item: on serial and global queues, and on the target of the queue
// that it was submitted to. Barriers that exclude are in BarrierTests.swift.
import Testing

extension Conformance {
  @Suite("Plain barriers") struct PlainBarriers {
    @Test("A barrier on a serial queue takes its turn like any item")
    func onASerialQueue() async {
      await isolated {
        let queue = DispatchQueue(label: "serial")
        let log = Recorder<Int>()
        for number in 0..<300 {
          switch number % 3 {
          case 0: queue.async { log.add(number) }
          case 1: queue.async(flags: .barrier) { log.add(number) }
          default: queue.sync(flags: .barrier) { log.add(number) }
          }
        }
        queue.sync {}
        expectEqual(log.entries, Array(0..<300))
      }
    }

    @Test("Barriers on a global queue run beside each other")
    func onAGlobalQueue() async {
      await isolated {
        let meeting = Meeting(of: 2)
        let group = DispatchGroup()
        for _ in 0..<2 { DispatchQueue.global().async(group: group, flags: .barrier) { meeting.attend() } }
        group.wait()
      }
    }

    @Test("A sync barrier on a global queue does not wait for its items")
    func syncOnAGlobalQueue() async {
      await isolated {
        let (running, release) = (Gate(), Gate())
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
          running.open()
          release.wait()
        }
        running.wait()
        let caller = currentThread()
        DispatchQueue.global().sync(flags: .barrier) { expectEqual(currentThread(), caller) }
        release.open()
        group.wait()
      }
    }

    @Test("A barrier excludes items of its own queue only, not those of the queue it targets")
    func onTheTargetOfItsQueue() async {
      await isolated {
        let outer = DispatchQueue(label: "outer", attributes: .concurrent)
        let inner = DispatchQueue(label: "inner", attributes: .concurrent, target: outer)
        let meeting = Meeting(of: 2)
        let group = DispatchGroup()
        outer.async(group: group) { meeting.attend() }
        inner.async(group: group, flags: .barrier) { meeting.attend() }
        group.wait()
      }
    }
  }
}
