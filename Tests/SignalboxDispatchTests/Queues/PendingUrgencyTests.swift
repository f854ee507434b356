// PendingUrgencyTests.swift: what is known of urgent items that lie behind others: closures, work items, in and out of
// groups, on several pages.
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxView
@testable import SignalboxWords

@Suite("Urgent items behind others") struct PendingUrgencyTests {
  typealias Class = GivenClass

  @Test(
    "The most urgent counts, and what is less urgent before it; no class is the default one",
    arguments: [
      ([], nil, 0), ([Class.interactive], nil, 0), ([.background, .interactive], .interactive, 1),
      ([.background, .unspecified], .standard, 1), ([.unspecified, .background, .standard], nil, 0),
      ([.utility, .unspecified, .initiated, .background], .initiated, 2),
    ] as [([Class], Class?, Int)])
  func classes(classes: [Class], urgent: Class?, behind: Int) {
    let found = PendingUrgency(classes)
    #expect(found?.given == urgent && (found?.behind ?? 0) == behind)
  }

  /// A suspended queue with these items in it.
  private func found(in queue: DispatchQueue = DispatchQueue(label: "urgency"), _ fill: (DispatchQueue) -> Void)
    -> PendingUrgency?
  {
    queue.suspend()
    fill(queue)
    defer {
      queue.resume()
      queue.sync(flags: .barrier) {}
    }
    let given = GivenClass(number: UInt8(queue.qos.qosClass.rawValue))
    return PendingUrgency(inQueue: UInt64(queue.address), of: given, by: .own)
  }

  @Test("Classes are read from closures, work items and members of groups", arguments: 0..<4)
  func kinds(way: Int) {
    let group = DispatchGroup()
    let urgency = found { queue in
      queue.async {}
      for _ in 0..<2 { queue.async(qos: .background) {} }
      switch way {
      case 0: queue.async(qos: .userInitiated) {}
      case 1: queue.async(group: group, qos: .userInitiated) {}
      case 2: queue.async(execute: DispatchWorkItem(qos: .userInitiated) {})
      default: queue.async(group: group, execute: DispatchWorkItem(qos: .userInitiated) {})
      }
    }
    #expect(urgency?.given == .initiated && urgency?.behind == 3)
  }

  @Test("As far as 64 items are read, over the end of a page; a queue's own class is that of its items")
  func limits() {
    func fill(_ count: Int) -> (DispatchQueue) -> Void {
      { queue in
        for _ in 0..<count { queue.async(qos: .background) {} }
        queue.async(qos: .userInteractive) {}
      }
    }
    #expect(found(fill(63))?.behind == 63)
    #expect(found(fill(64)) == nil)
    #expect(found(in: DispatchQueue(label: "urgency", qos: .utility), fill(3)) == nil)
    #expect(found(in: DispatchQueue(label: "urgency", attributes: .concurrent), fill(3))?.behind == 3)
    #expect(found { _ in } == nil)
  }
}
