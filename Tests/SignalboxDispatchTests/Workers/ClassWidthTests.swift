// ClassWidthTests.swift: items that compute run on as many threads as there are processors, of each class, whoever waits for them and wherever
// their queue was retargeted; one more while a wait moves them to a more urgent band.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct ClassWidthTests {
    enum Kind: String, CaseIterable, Codable { case global, concurrent, retargeted }
    enum Wait: String, CaseIterable, Codable { case none, group, item, barrier, asyncAndWait }

    static func queue(_ kind: Kind, _ qos: DispatchQoS.QoSClass) -> DispatchQueue {
      let own = DispatchQoS(qosClass: qos, relativePriority: 0)
      switch kind {
      case .global: return .global(qos: qos)
      case .concurrent: return DispatchQueue(label: "concurrent", qos: own, attributes: .concurrent)
      case .retargeted:
        let queue = DispatchQueue(label: "retargeted", attributes: [.concurrent, .initiallyInactive])
        queue.setTarget(queue: .global(qos: qos))
        queue.activate()
        return queue
      }
    }

    /// Submits `count` items that compute, waits, and returns how many ran at once at most.
    static func most(_ count: Int, on queue: DispatchQueue, _ wait: Wait) -> UInt64 {
      let (inside, most, all) = (Count(), (0..<1_024).map { _ in Count() }, DispatchGroup())
      let last = DispatchWorkItem {}
      for _ in 0..<count {
        queue.async(group: all) {
          let now = inside.add()
          most[Int(now)].add()
          let end = Clock.uptime() + 3_000_000
          while Clock.uptime() < end {}
          inside.add(~0)
        }
      }
      switch wait {
      case .none: break
      case .group: all.wait()
      case .item:
        queue.async(execute: last)
        last.wait()
      case .barrier: queue.sync(flags: .barrier) {}
      case .asyncAndWait: queue.asyncAndWait {}
      }
      // Not by the group: that would be a wait that raises the queue.
      #expect(eventually { inside.value == 0 && all.wait(timeout: .now()) == .success })
      return UInt64(most.lastIndex { $0.value > 0 } ?? 0)
    }

    @Test("Items that compute run on no more threads than the processors, and one", arguments: Kind.allCases)
    func width(kind: Kind) async {
      await #expect(processExitsWith: .success) { [kind] in
        beginMeasured()
        for qos in [.utility, .background, .default, .userInitiated] as [DispatchQoS.QoSClass] {
          for wait in Wait.allCases {
            for count in [48, 300] where count == 48 || wait == .group {
              let most = Self.most(count, on: Self.queue(kind, qos), wait)
              #expect(most <= UInt64(Tuning.processors + 1), "\(count) items, \(qos), \(wait): \(most) at once")
            }
          }
        }
      }
    }
  }
}
