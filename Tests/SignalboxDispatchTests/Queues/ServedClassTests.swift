// ServedClassTests.swift: the conformance table of classes: on whose threads an item runs, for every class and flag of an item, every class
// of a queue, and every way to submit. The rule alone is ItemClassTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct ServedClassTests {
    typealias Standing = BandTests.Standing

    /// The ways in which an item with a class of its own gets into a queue.
    enum Way: String, CaseIterable, Codable {
      case closure, inGroup, workItem, workItemInGroup, after, workItemAfter, groupNotify, itemNotify
    }

    static func submit(
      _ way: Way, _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags, to queue: DispatchQueue,
      _ body: @escaping @Sendable () -> Void
    ) {
      let group = DispatchGroup()
      switch way {
      case .closure: queue.async(qos: qos, flags: flags, execute: body)
      case .inGroup: queue.async(group: group, qos: qos, flags: flags, execute: body)
      case .workItem: queue.async(execute: DispatchWorkItem(qos: qos, flags: flags, block: body))
      case .workItemInGroup: queue.async(group: group, execute: DispatchWorkItem(qos: qos, flags: flags, block: body))
      case .after: queue.asyncAfter(deadline: .now() + .microseconds(10), qos: qos, flags: flags, execute: body)
      case .workItemAfter:
        queue.asyncAfter(deadline: .now() + .microseconds(10), execute: DispatchWorkItem(qos: qos, flags: flags, block: body))
      case .groupNotify: group.notify(qos: qos, flags: flags, queue: queue, execute: body)
      case .itemNotify:
        let first = DispatchWorkItem {}
        first.notify(qos: qos, flags: flags, queue: queue, execute: body)
        first.perform()
      }
    }

    /// The queues of a class: a serial one, a concurrent one, one inside another, and the global one.
    static func queues(_ qos: DispatchQoS.QoSClass) -> [DispatchQueue] {
      let root = DispatchQueue.global(qos: qos)
      let own = DispatchQoS(qosClass: qos, relativePriority: 0)
      return [
        DispatchQueue(label: "serial", qos: own), DispatchQueue(label: "concurrent", qos: own, attributes: .concurrent),
        DispatchQueue(label: "inner", qos: own, target: DispatchQueue(label: "outer", target: root)), root,
      ]
    }

    /// How much niceness the threads have that serve a class.
    static func niceness(of qos: DispatchQoS.QoSClass) -> Int {
      switch qos {
      case .background: Standing.background
      case .utility: Standing.utility
      default: 0
      }
    }

    @Test(
      "A queue's class wins, and an enforced item's if it is more urgent: on whose threads items run", arguments: Way.allCases)
    func table(way: Way) async {
      await #expect(processExitsWith: .success) { [way] in
        killOnHang()
        let own = Standing.own.niceness
        for queueClass in ItemClassTests.classes {
          for itemClass in ItemClassTests.classes {
            for flags in ItemClassTests.flags + [.assignCurrentContext] {
              let isEnforced = flags == .enforceQoS && queueClass != .unspecified && itemClass.rawValue > queueClass.rawValue
              let expected = min(19, own + Self.niceness(of: isEnforced ? itemClass : queueClass))
              for queue in Self.queues(queueClass) {
                let done = DispatchSemaphore(value: 0)
                nonisolated(unsafe) var found = 0  // SAFETY: read after the semaphore's wait
                Self.submit(way, DispatchQoS(qosClass: itemClass, relativePriority: 0), flags, to: queue) {
                  found = Standing.own.niceness
                  done.signal()
                }
                #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
                #expect(found == expected, "\(itemClass) \(flags) on \(queue.label) of \(queueClass)")
              }
            }
          }
        }
      }
    }
  }
}
