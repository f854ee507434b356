// GroupLifetimeTests.swift: how long a group lives, and what becomes of one that can never be left.
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("Lifetime of groups") struct GroupLifetimeTests {
  @Test("A notification of the last generation is due at the end of the first one, and not at that of the one before it")
  func generationsWrap() {
    let late = Notification(queue: .global(), slot: Slot(0, 0), generation: 0x7FFF_FFFF)
    #expect(late.isDue(atEndOf: 0) && !late.isDue(atEndOf: 0x7FFF_FFFE))
  }

  final class Capture: Sendable {
    let freed: Count
    init(_ freed: Count) { self.freed = freed }
    deinit { freed.add() }
  }

  @Test("A submitted member keeps its group alive until it has left")
  func membersHold() {
    let (queue, told) = (DispatchQueue(label: "members"), DispatchSemaphore(value: 0))
    queue.suspend()
    weak var seen: DispatchGroup?
    do {
      let group = DispatchGroup()
      seen = group
      queue.async(group: group) {}
      group.notify(queue: .global()) { told.signal() }
    }
    #expect(seen != nil)
    queue.resume()
    #expect(told.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(eventually { seen == nil })
  }

  @Test("A group of C's that is let go of while a notification waits for its end lives until that has come, and no longer")
  func membersHoldForC() {
    let told = DispatchSemaphore(value: 0)
    weak var seen: DispatchGroup?
    do {
      let group = DispatchGroup(holdingItself: ())
      seen = group
      group.enter()
      for _ in 0..<2 { group.notify(queue: .global()) { told.signal() } }
    }
    #expect(seen != nil)
    seen?.leave()
    for _ in 0..<2 { #expect(told.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
    #expect(eventually { seen == nil })
  }

  @Test("A group dropped while entered is freed in silence when nobody waits for its end")
  func droppedQuietly() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let group = DispatchGroup()
      group.enter()
      _ = consume group
    }
    #expect(result?.standardErrorContent == [])
  }

  @Test("A group dropped while entered reports the notifications that can never run, and frees what they hold")
  func droppedWithNotifications() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (freed, ran) = (Count(), Count())
      do {
        let group = DispatchGroup()
        group.enter()
        let capture = Capture(freed)
        group.notify(queue: .global()) { _ = (capture, ran.add()) }
        let held = Capture(freed)
        let item = DispatchWorkItem { _ = (held, ran.add()) }
        group.notify(queue: .global(), work: item)
      }
      #expect(freed.value == 2)
      #expect(ran.value == 0)
    }
    expectReport(
      result, saying: "(1 inside) is freed with 2 notifications that can never run", "balance every enter() with a leave()")
  }
}
