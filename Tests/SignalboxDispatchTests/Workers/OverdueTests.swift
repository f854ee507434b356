// OverdueTests.swift: items of a class that is less urgent than others have their turn, although the more urgent ones never run out.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("What has waited for long comes before what is more urgent", .serialized) struct OverdueTests {
  @Test("An item of the least urgent class, and a queue of it, run beside urgent items without end")
  func leastUrgent() {
    let isOver = Count(), ran = Count(), urgent = DispatchGroup()
    @Sendable func goOn() {
      DispatchQueue.global(qos: .userInteractive).async(group: urgent) {
        let end = Clock.uptime() + 20_000
        while Clock.uptime() < end {}
        if isOver.value == 0 { goOn() }
      }
    }
    for _ in 0..<8 * Tuning.processors { goOn() }
    for _ in 0..<10 {
      let before = ran.value
      DispatchQueue.global(qos: .background).async { ran.add() }
      DispatchQueue(label: "background", qos: .background).async { ran.add() }
      #expect(eventually { ran.value == before + 2 })
    }
    isOver.value = 1
    urgent.wait()
  }
}
