// WidthTests.swift: concurrent queues that run a limited number of items at once, and C functions as items.
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct WidthTests {
    /// Runs items on a queue of a width while the most of them that ran at once are counted.
    final class Gauge: Sendable {
      let inside = Count()
      let most = Atomic64(0)
      func pass(_ body: () -> Void) {
        let now = inside.add()
        var old = most.loadRelaxed()
        while old < now {
          let swap = most.casAcqRel(old, now)
          if swap.exchanged { break }
          old = swap.original
        }
        body()
        inside.add(~0)
      }
    }

    @Test("No more than `width` items run at once, although they block and threads are to be had", arguments: [1, 2, 5])
    func blockingItems(width: Int) async {
      await #expect(processExitsWith: .success) { [width] in
        killOnHang()
        let (queue, all, gauge) = (DispatchQueue(label: "narrow", attributes: .concurrent), DispatchGroup(), Gauge())
        queue.setWidth(width)
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<40 { queue.async(group: all) { gauge.pass { gate.wait() } } }
        #expect(eventually { gauge.inside.value == UInt64(width) })
        for _ in 0..<40 { gate.signal() }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(gauge.most.loadRelaxed() == UInt64(width))
      }
    }

    @Test("Many small items from several threads all run, and the width holds", arguments: [1, 2, 3])
    func storm(width: Int) async {
      await #expect(processExitsWith: .success) { [width] in
        killOnHang()
        let (queue, all, gauge) = (DispatchQueue(label: "narrow", attributes: .concurrent), DispatchGroup(), Gauge())
        queue.setWidth(width)
        let ran = Count()
        DispatchQueue.concurrentPerform(iterations: 4) { producer in
          for index in 0..<20_000 {
            // Barriers and readers between them: they need no place.
            switch (index + producer) % 97 {
            case 0: queue.async(group: all, flags: .barrier) { ran.add() }
            case 1: queue.sync { _ = ran.add() }
            default: queue.async(group: all) { gauge.pass { ran.add() } }
            }
          }
        }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(ran.value == 80_000)
        #expect(gauge.most.loadRelaxed() <= UInt64(width))
        #expect(eventually { queue.widthInUse.loadSeqCst() == 0 })
      }
    }

    @Test("Queues that target a narrow queue share its places")
    func nested() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let narrow = DispatchQueue(label: "narrow", attributes: .concurrent)
        narrow.setWidth(2)
        let queues = (0..<8).map { DispatchQueue(label: "inner.\($0)", target: narrow) }
        let (all, gauge, ran) = (DispatchGroup(), Gauge(), Count())
        DispatchQueue.concurrentPerform(iterations: 4) { producer in
          for index in 0..<5_000 {
            let queue = queues[(index + producer) % 8]
            if index % 61 == 0 {
              queue.sync { gauge.pass { ran.add() } }
            } else {
              queue.async(group: all) { gauge.pass { ran.add() } }
            }
          }
        }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(ran.value == 20_000)
        #expect(eventually { narrow.widthInUse.loadSeqCst() == 0 })
      }
    }

    @Test("An item for which no further reader fits gives its place back, and runs alone when the readers have left")
    func fullOfReaders() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (queue, ran) = (DispatchQueue(label: "narrow", attributes: .concurrent), Count())
        queue.setWidth(2)
        // As if as many threads as the field can count were inside by `sync`.
        queue.set { $0.with(QueueState.width, QueueState.width.mask) }
        queue.async { ran.add() }
        #expect(eventually { queue.state.hint()[QueueState.barrierPending] == 1 })
        #expect(queue.widthInUse.loadSeqCst() == 0 && ran.value == 0)
        queue.set { $0.with(QueueState.width, 1) }
        queue.leaveOneShared()
        #expect(eventually { ran.value == 1 })
      }
    }

    @Test("C functions run like closures, in order, as members, barriers and notifications")
    func functions() {
      let (queue, group, count) = (DispatchQueue(label: "c"), DispatchGroup(), Count())
      let argument = UnsafeMutableRawPointer(Unmanaged.passUnretained(count).toOpaque())
      let bump: CFunction = { Unmanaged<Count>.fromOpaque($0!).takeUnretainedValue().add() }
      let double: CFunction = {
        let count = Unmanaged<Count>.fromOpaque($0!).takeUnretainedValue()
        count.value *= 2
      }
      queue.async(CWork(bump, argument))
      queue.async(CWork(double, argument), group: group, isBarrier: false)
      queue.async(CWork(bump, argument), group: nil, isBarrier: true)
      queue.async(CWork(double, argument), group: group, isBarrier: true)
      #expect(group.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      #expect(queue.sync { count.value } == 6)
      group.enter()
      group.notify(queue: queue, CWork(bump, argument))
      #expect(queue.sync { count.value } == 6)
      group.leave()
      #expect(queue.sync { count.value } == 7)
    }
  }
}
