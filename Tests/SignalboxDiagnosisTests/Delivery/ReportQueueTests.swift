// ReportQueueTests.swift: every way in which reports may be added, missed, taken and handed over.
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("Reports on their way to handlers") struct ReportQueueTests {
  /// What happens to the queue.
  private enum Step: CaseIterable { case add, addLast, take, end }

  /// A queue, and what it must have done.
  private struct World {
    var queue: ReportQueue<Int>
    var next = 1
    /// What was accepted and not taken, what is being handed over, and what was missed since the last was taken.
    var waiting: [Int] = []
    var taken: Int?
    var missed = 0
    var accepted: UInt64 = 0
    var ended: UInt64 = 0

    var key: [UInt64] {
      [UInt64(waiting.count), taken == nil ? 0 : 1, UInt64(missed), accepted - ended]
    }

    mutating func add(last: Bool) {
      let hasRoom = waiting.count < queue.room || last && waiting.count == queue.room
      let number = queue.add(next, stopsProgram: last)
      if hasRoom {
        accepted += 1
        waiting.append(next)
        #expect(number == accepted)
      } else {
        missed += 1
        #expect(number == nil)
      }
      next += 1
    }

    mutating func take() {
      let found = queue.take()
      guard taken == nil, !waiting.isEmpty else {
        #expect(found == nil)
        return
      }
      taken = waiting.removeFirst()
      #expect(found?.report == taken && found?.missed == missed, "in order, with what was missed")
      missed = 0
    }

    mutating func end() {
      queue.ended()
      taken = nil
      ended += 1
    }

    func check() {
      #expect(queue.waiting == waiting && queue.missed == missed && queue.isHandingOver == (taken != nil))
      #expect(queue.added == accepted && queue.done == ended && queue.isIdle == (accepted == ended))
      #expect(queue.added - queue.done == UInt64(waiting.count) + (taken == nil ? 0 : 1), "INV-2")
      #expect(waiting.count <= queue.room + 1, "INV-3")
    }
  }

  @Test("Each step from every state keeps order, numbers and counts", arguments: [0, 1, 2, 3])
  func everyState(room: Int) {
    var seen: Set<[UInt64]> = []
    var open = [World(queue: ReportQueue(room: room))]
    while let world = open.popLast() {
      guard seen.insert(world.key).inserted else { continue }
      for step in Step.allCases where step != .end || world.taken != nil {
        var after = world
        switch step {
        case .add: after.add(last: false)
        case .addLast: after.add(last: true)
        case .take: after.take()
        case .end: after.end()
        }
        after.check()
        if after.missed <= 3 { open.append(after) }
      }
    }
    // Waiting 0...room + 1, one in the hand or none, missed 0...3.
    #expect(seen.count > (room + 1) * 4)
  }
}
