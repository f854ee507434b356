// WorkItemNotifyTests.swift: notifications that a work item has completed. Groups tell in GroupNotifyTests.swift.
import Testing

extension Conformance {
  @Suite("Notifications of work items") struct WorkItemNotify {
    @Test("A notification follows its item, on the queue that was asked for")
    func afterItsItem() async {
      await isolated {
        let queue = DispatchQueue(label: "items")
        let told = DispatchQueue(label: "told")
        let key = DispatchSpecificKey<Int>()
        told.setSpecific(key: key, value: 9)
        let log = Recorder<String>()
        let item = DispatchWorkItem {
          waitForWhatMustNotCome()
          log.add("item")
        }
        item.notify(queue: told) {
          log.add("told")
          expectEqual(DispatchQueue.getSpecific(key: key), 9)
        }
        queue.async(execute: item)
        log.wait(count: 2)
        told.sync {}
        expectEqual(log.entries, ["item", "told"])
      }
    }

    @Test("A notification of an item that has run comes at once")
    func afterCompletion() async {
      await isolated {
        let item = DispatchWorkItem {}
        item.perform()
        let told = Gate()
        item.notify(queue: .global()) { told.open() }
        told.wait()
      }
    }

    @Test("Several notifications of one item each come once, in the order in which they were asked for")
    func several() async {
      await isolated {
        let told = DispatchQueue(label: "told")
        let log = Recorder<Int>()
        let item = DispatchWorkItem {}
        for number in 0..<20 { item.notify(queue: told) { log.add(number) } }
        item.perform()
        log.wait(count: 20)
        item.notify(queue: told) { log.add(20) }
        log.wait(count: 21)
        expectEqual(log.entries, Array(0...20))
      }
    }

    @Test("A notification may be a work item, with flags, a service and a notification of its own")
    func withAWorkItem() async {
      await isolated {
        let queue = DispatchQueue(label: "told", attributes: .concurrent)
        let log = Recorder<String>()
        let first = DispatchWorkItem { log.add("first") }
        let second = DispatchWorkItem(qos: .utility, flags: .barrier) { log.add("second") }
        first.notify(queue: queue, execute: second)
        second.notify(qos: .userInitiated, flags: .enforceQoS, queue: queue) { log.add("third") }
        queue.async(execute: first)
        log.wait(count: 3)
        expectEqual(log.entries, ["first", "second", "third"])
      }
    }

    @Test("A cancelled item still sends its notification")
    func ofACancelledItem() async {
      await isolated {
        let told = Gate()
        let item = DispatchWorkItem { expect(false, "ran although cancelled") }
        item.notify(queue: .global()) { told.open() }
        item.cancel()
        DispatchQueue.global().async(execute: item)
        told.wait()
      }
    }

    @Test("A notification that was cancelled does not run, and others do")
    func cancelledNotification() async {
      await isolated {
        let queue = DispatchQueue(label: "told")
        let log = Recorder<String>()
        let item = DispatchWorkItem {}
        let notification = DispatchWorkItem { log.add("cancelled") }
        item.notify(queue: queue, execute: notification)
        item.notify(queue: queue) { log.add("other") }
        notification.cancel()
        item.perform()
        log.wait(count: 1)
        queue.sync {}
        expectEqual(log.entries, ["other"])
      }
    }

    @Test("No notification comes before the item has completed")
    func notBefore() async {
      await isolated {
        let (started, release, told) = (Gate(), Gate(), Gate())
        let item = DispatchWorkItem {
          started.open()
          release.wait()
        }
        item.notify(queue: .global()) { told.open() }
        waitForWhatMustNotCome()
        expect(!told.isOpen)
        DispatchQueue.global().async(execute: item)
        started.wait()
        waitForWhatMustNotCome()
        expect(!told.isOpen)
        release.open()
        told.wait()
      }
    }
  }
}
