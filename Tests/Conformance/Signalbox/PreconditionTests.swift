// PreconditionTests.swift: conditions on the current queue, where they hold; each would stop the program if it did not
// pass. That they stop it where they do not hold is tested with the misuse messages.
import Testing

extension Conformance {
  @Suite("Preconditions") struct Preconditions {
    @Test("An item is on its queue, by sync and by async, and a thread outside is not")
    func ownQueue() async {
      await isolated {
        let queues = [
          DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent), .global(),
        ]
        let other = DispatchQueue(label: "other")
        let group = DispatchGroup()
        for queue in queues {
          dispatchPrecondition(condition: .notOnQueue(queue))
          queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
          queue.sync { dispatchPrecondition(condition: .notOnQueue(other)) }
          queue.async(group: group) {
            dispatchPrecondition(condition: .onQueue(queue))
            dispatchPrecondition(condition: .notOnQueue(other))
          }
          dispatchPrecondition(condition: .notOnQueue(queue))
        }
        group.wait()
      }
    }

    @Test("An item with a class of its own is on the queue that it was submitted to")
    func ownClass() async {
      await isolated {
        let group = DispatchGroup()
        for queue in [DispatchQueue.global(), .global(qos: .utility), DispatchQueue(label: "own")] {
          @Sendable func check() { dispatchPrecondition(condition: .onQueue(queue)) }
          for qos in [DispatchQoS.userInteractive, .userInitiated, .default, .background] {
            queue.async(group: group, qos: qos) { check() }
            queue.async(group: group, qos: qos, flags: .enforceQoS) { check() }
            queue.async(group: group, execute: DispatchWorkItem(qos: qos) { check() })
            queue.async(group: group, execute: DispatchWorkItem(qos: qos, flags: .enforceQoS) { check() })
            group.enter()
            queue.asyncAfter(deadline: .now() + .milliseconds(1), qos: qos) {
              check()
              group.leave()
            }
          }
        }
        group.wait()
      }
    }

    @Test("Barriers and items of serial queues are on their queue as barriers")
    func barriers() async {
      await isolated {
        let serial = DispatchQueue(label: "serial")
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let group = DispatchGroup()
        serial.sync { dispatchPrecondition(condition: .onQueueAsBarrier(serial)) }
        serial.async(group: group) { dispatchPrecondition(condition: .onQueueAsBarrier(serial)) }
        concurrent.sync(flags: .barrier) { dispatchPrecondition(condition: .onQueueAsBarrier(concurrent)) }
        concurrent.async(group: group, flags: .barrier) {
          dispatchPrecondition(condition: .onQueueAsBarrier(concurrent))
          dispatchPrecondition(condition: .onQueue(concurrent))
        }
        group.wait()
      }
    }

    @Test("An item is also on every target of its queue, but not on a queue that shares the target")
    func targets() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let middle = DispatchQueue(label: "middle", target: root)
        let (leaf, sibling) = (DispatchQueue(label: "leaf", target: middle), DispatchQueue(label: "sibling", target: middle))
        let check: @Sendable () -> Void = {
          for queue in [leaf, middle, root] { dispatchPrecondition(condition: .onQueue(queue)) }
          dispatchPrecondition(condition: .notOnQueue(sibling))
        }
        let group = DispatchGroup()
        leaf.async(group: group, execute: check)
        leaf.sync(execute: check)
        middle.sync {
          dispatchPrecondition(condition: .onQueue(root))
          dispatchPrecondition(condition: .notOnQueue(leaf))
        }
        group.wait()
      }
    }

    @Test("Inside a nested sync the caller is still on the outer queue, and after it no longer on the inner")
    func nestedSync() async {
      await isolated {
        let (outer, inner) = (DispatchQueue(label: "outer"), DispatchQueue(label: "inner"))
        outer.sync {
          inner.sync {
            dispatchPrecondition(condition: .onQueue(inner))
            dispatchPrecondition(condition: .onQueue(outer))
          }
          dispatchPrecondition(condition: .notOnQueue(inner))
          dispatchPrecondition(condition: .onQueue(outer))
        }
      }
    }

    @Test("An item that another queue's item submitted is not on the submitter's queue")
    func asyncIsNotNested() async {
      await isolated {
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        let group = DispatchGroup()
        first.async(group: group) {
          second.async(group: group) {
            dispatchPrecondition(condition: .onQueue(second))
            dispatchPrecondition(condition: .notOnQueue(first))
          }
        }
        group.wait()
      }
    }
  }
}
