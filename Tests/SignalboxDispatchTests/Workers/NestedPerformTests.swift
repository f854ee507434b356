// NestedPerformTests.swift: a perform inside a perform: alone on its thread while that is best, helped when it is not.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct NestedPerformTests {
    @Test("Every index of every level of a nested perform runs once")
    func complete() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        for inner in [1, 2, 3, 16, 63, 64, 65, 1_000] {
          let marks = (0..<8 * inner).map { _ in Count() }
          DispatchQueue.concurrentPerform(iterations: 8) { row in
            DispatchQueue.concurrentPerform(iterations: inner) { marks[row * inner + $0].add() }
          }
          #expect(marks.allSatisfy { $0.value == 1 })
        }
      }
    }

    @Test("Inner bodies that wait for one another end, though the outer perform has every processor")
    func innerBodiesThatMeet() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let outer = Tuning.processors
        let arrived = Count()
        DispatchQueue.concurrentPerform(iterations: outer) { _ in
          arrived.add()
          while arrived.value < UInt64(outer) { spinPause() }  // so all processors are taken
          let doors = (0..<4).map { _ in DispatchSemaphore(value: 0) }
          // Each opens the door of its predecessor: the first to run waits for one that has not begun.
          DispatchQueue.concurrentPerform(iterations: 4) { index in
            if index > 0 { doors[index - 1].signal() }
            if index < 3 { doors[index].wait() }
          }
        }
        #expect(arrived.value == UInt64(outer))
      }
    }

    @Test("Inner bodies that sleep in `sync` behind one another end")
    func innerBodiesThatQueue() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (queue, sum) = (DispatchQueue(label: "shared"), ContentionTests.Sum())
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
          DispatchQueue.concurrentPerform(iterations: 200) { _ in queue.sync { sum.value += 1 } }
        }
        #expect(sum.value == 1_600)
      }
    }

    @Test("Slow inner bodies are shared with threads that have nothing to do")
    func slowBodiesAreShared() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        guard Tuning.processors > 1 else { return }
        // One inner body takes a while; each of the others then waits until it is not alone.
        let (crowd, underway, met) = (Count(), Count(), Count())
        DispatchQueue.concurrentPerform(iterations: Tuning.processors) { outer in
          crowd.add()
          while crowd.value < UInt64(Tuning.processors) { spinPause() }
          guard outer == 0 else { return }
          DispatchQueue.concurrentPerform(iterations: 8) { inner in
            let start = Clock.uptime()
            if inner == 0 {
              while Clock.uptime() - start < milliseconds(1) { spinPause() }
              return
            }
            underway.add()
            if eventually({ underway.value > 1 || met.value == 1 }) { met.value = 1 }
            underway.add(~0)
          }
        }
        #expect(met.value == 1)
      }
    }
  }
}
