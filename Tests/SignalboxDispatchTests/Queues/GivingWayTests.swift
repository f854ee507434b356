// GivingWayTests.swift: queues inside others that never run dry, where the toolchain's library keeps the others out forever. What
// both libraries do is the conformance tests' TurnTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct GivingWayTests {
    /// An item that submits its own successor until told to stop, and ends by itself.
    private final class Feeder: Sendable {
      let stop = Count()
      let ran = Count()
      let all = DispatchGroup()

      func feed(_ queue: DispatchQueue, _ flags: DispatchWorkItemFlags = [], spin: UInt64 = 0) {
        queue.async(group: all, flags: flags) {
          self.ran.add()
          let end = Clock.uptime() + spin
          while Clock.uptime() < end {}
          if self.stop.value == 0 { self.feed(queue, flags, spin: spin) }
        }
      }
      func end() {
        stop.value = 1
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    enum Inner: String, CaseIterable, Codable { case serial, concurrent, barriers, grandchild }

    private static func inner(_ kind: Inner, _ root: DispatchQueue) -> (DispatchQueue, DispatchWorkItemFlags) {
      switch kind {
      case .serial: (DispatchQueue(label: "inner", target: root), [])
      case .concurrent: (DispatchQueue(label: "inner", attributes: .concurrent, target: root), [])
      case .barriers: (DispatchQueue(label: "inner", attributes: .concurrent, target: root), .barrier)
      case .grandchild:
        (DispatchQueue(label: "inner", target: DispatchQueue(label: "middle", attributes: .concurrent, target: root)), [])
      }
    }

    @Test("An item that waits for a serial queue comes right after the one that runs inside it", arguments: Inner.allCases)
    func itemsOfTheTarget(kind: Inner) async {
      await #expect(processExitsWith: .success) { [kind] in
        killOnHang()
        let (root, feeder, marks) = (DispatchQueue(label: "root"), Feeder(), DispatchGroup())
        let (queue, flags) = GivingWayTests.inner(kind, root)
        root.suspend()
        feeder.feed(queue, flags)
        let before = Count()
        for _ in 0..<5 { root.async(group: marks) { before.value = feeder.ran.value } }
        root.resume()
        #expect(marks.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(before.value == 1)
        feeder.end()
      }
    }

    @Test("A thread gets the target's turn, too, whatever feeds itself inside", arguments: Inner.allCases)
    func turnOfTheTarget(kind: Inner) async {
      await #expect(processExitsWith: .success) { [kind] in
        killOnHang()
        for spin in [0, 20_000, 1_000_000] as [UInt64] {
          let (root, feeder) = (DispatchQueue(label: "root"), Feeder())
          let (queue, flags) = GivingWayTests.inner(kind, root)
          feeder.feed(queue, flags, spin: spin)
          #expect(eventually { feeder.ran.value > 2 })
          for _ in 0..<3 { root.sync {} }
          for _ in 0..<3 { queue.sync(flags: .barrier) {} }
          feeder.end()
        }
      }
    }

    @Test("Suspending a target stops a queue that feeds itself on it, and resuming continues it", arguments: Inner.allCases)
    func suspendedTarget(kind: Inner) async {
      await #expect(processExitsWith: .success) { [kind] in
        killOnHang()
        let (root, feeder) = (DispatchQueue(label: "root"), Feeder())
        let (queue, flags) = GivingWayTests.inner(kind, root)
        feeder.feed(queue, flags)
        #expect(eventually { feeder.ran.value > 2 })
        root.suspend()
        #expect(eventually { !root.state.load().isOwned })
        let ran = feeder.ran.value
        waitForWhatMustNotCome()
        #expect(feeder.ran.value == ran)
        root.resume()
        #expect(eventually { feeder.ran.value > ran + 2 })
        feeder.end()
      }
    }

    @Test("A barrier of a concurrent queue runs although a serial queue on it feeds itself")
    func barrierOfTheTarget() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let root = DispatchQueue(label: "root", attributes: .concurrent)
        let (inner, feeder, ran) = (DispatchQueue(label: "inner", target: root), Feeder(), DispatchGroup())
        feeder.feed(inner)
        #expect(eventually { feeder.ran.value > 2 })
        for _ in 0..<20 { root.async(group: ran, flags: .barrier) {} }
        #expect(ran.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        root.sync(flags: .barrier) {}
        feeder.end()
      }
    }

    @Test("Queues that feed themselves take turns on a target of width one")
    func onePlace() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let root = DispatchQueue(label: "root", attributes: .concurrent)
        root.setWidth(1)
        let feeders = (0..<3).map { _ in Feeder() }
        for (index, feeder) in feeders.enumerated() { feeder.feed(DispatchQueue(label: "inner \(index)", target: root)) }
        #expect(eventually { feeders.allSatisfy { $0.ran.value > 1_000 } })
        for feeder in feeders { feeder.end() }
      }
    }

    @Test("A drain inside another that is asked to yield before its first item runs it all the same")
    func askedBeforeTheFirst() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        // Long items make the sampler ask; the ask stands for the whole job, work in the pool comes and goes.
        let (root, ran, load) = (DispatchQueue(label: "root"), DispatchGroup(), Feeder())
        for _ in 0..<(2 * Tuning.processors) { load.feed(.global(), spin: milliseconds(1)) }
        for attributes in [[], .concurrent] as [DispatchQueue.Attributes] {
          let queue = DispatchQueue(label: "inner", attributes: attributes, target: root)
          for _ in 0..<40 {
            queue.async(group: ran) {
              let end = Clock.uptime() + milliseconds(2)
              while Clock.uptime() < end {}
            }
          }
        }
        #expect(ran.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        load.end()
      }
    }
  }
}
