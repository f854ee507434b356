// DelayTests.swift: delays, timers and timeouts in virtual time: what Conformance's tests of them show with milliseconds and margins, here
// with hours and none, because no machine is too busy.
import SignalboxExplore
import SignalboxFoundation
import Testing

@Suite("Delays, timers and timeouts, to the millisecond", .serialized) struct DelayTests {
  private static let hour: UInt64 = 3_600_000_000_000
  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
  /// Whether it is this many hours since `begin`, and not a millisecond more.
  private static func isHours(_ hours: Double, since begin: UInt64) -> Bool {
    let exact = begin + UInt64(hours * Double(hour)), now = now()
    return now >= exact && now - exact < 1_000_000
  }

  @Test("An item runs at its deadline, on either clock, in the order of deadlines and not of submission") func deadlines()
    throws
  {
    let order = try withVirtualTime {
      let queue = DispatchQueue(label: "order"), done = DispatchSemaphore(value: 0)
      let order = Shared<[String]>([]), begin = Self.now()
      let (uptime, wall) = (DispatchTime.now(), DispatchWallTime.now())
      for hours in [12, 2, 6] {
        queue.asyncAfter(deadline: uptime + .seconds(hours * 3600)) {
          order.value.append("\(hours) \(Self.isHours(Double(hours), since: begin))")
          done.signal()
        }
        queue.asyncAfter(wallDeadline: wall + .seconds(hours * 3600 + 1800)) {
          order.value.append("\(hours).5 \(Self.isHours(Double(hours) + 0.5, since: begin))")
          done.signal()
        }
      }
      for _ in 0..<6 { done.wait() }
      return order.value
    }
    #expect(order == ["2 true", "2.5 true", "6 true", "6.5 true", "12 true", "12.5 true"])
  }

  @Test("An item whose deadline is past runs at once, on either clock") func past() throws {
    let took = try withVirtualTime {
      let queue = DispatchQueue(label: "past"), begin = Self.now(), group = DispatchGroup()
      for _ in 0..<4 { group.enter() }
      queue.asyncAfter(deadline: .now()) { group.leave() }
      queue.asyncAfter(deadline: .now() - .seconds(10)) { group.leave() }
      queue.asyncAfter(wallDeadline: .now()) { group.leave() }
      queue.asyncAfter(wallDeadline: .now() - .seconds(10)) { group.leave() }
      group.wait()
      return Self.now() - begin
    }
    #expect(took < 1_000_000)
  }

  @Test("A delayed work item that is cancelled in time does not run, and completes at its deadline") func cancelled() throws {
    let (ran, isOnTime) = try withVirtualTime {
      let ran = Shared(false), begin = Self.now()
      let item = DispatchWorkItem { ran.value = true }
      DispatchQueue(label: "cancelled").asyncAfter(deadline: .now() + 3600, execute: item)
      item.cancel()
      item.wait()
      return (ran.value, Self.isHours(1, since: begin))
    }
    #expect(!ran && isOnTime)
  }

  @Test(
    "A repeating timer fires on the grid of its start, and points that pass while its handler runs are counted by the next event"
  )
  func busyHandler() throws {
    let (counts, isOnGrid) = try withVirtualTime {
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "busy"))
      let counts = Shared<[UInt]>([]), isOnGrid = Shared(true), enough = DispatchSemaphore(value: 0)
      let begin = Self.now()
      timer.setEventHandler {
        let points = counts.value.reduce(0, +) + timer.data
        counts.value.append(timer.data)
        // The second handler takes five hours and a half.
        if counts.value.count == 2 { Thread.sleep(forTimeInterval: 5.5 * 3600) }
        if counts.value.count == 1 { isOnGrid.value = Self.isHours(Double(points), since: begin) }
        if counts.value.count == 4 { isOnGrid.value = isOnGrid.value && Self.isHours(Double(points), since: begin) }
        if counts.value.count == 4 { enough.signal() }
      }
      timer.schedule(deadline: .now() + 3600, repeating: 3600)
      timer.activate()
      enough.wait()
      let ended = DispatchSemaphore(value: 0)
      timer.setCancelHandler { ended.signal() }
      timer.cancel()
      ended.wait()
      return (counts.value, isOnGrid.value)
    }
    #expect(counts == [1, 1, 5, 1])
    #expect(isOnGrid)
  }

  @Test("Waits for semaphores, groups and work items end at their limits, on either clock, and not before") func limits() throws
  {
    let ends = try withVirtualTime {
      var ends: [Bool] = []
      let semaphore = DispatchSemaphore(value: 0), group = DispatchGroup(), item = DispatchWorkItem {}
      group.enter()
      func check(_ wait: () -> DispatchTimeoutResult) {
        let begin = Self.now()
        ends.append(wait() == .timedOut && Self.isHours(1, since: begin))
      }
      check { semaphore.wait(timeout: .now() + 3600) }
      check { semaphore.wait(wallTimeout: .now() + 3600) }
      check { group.wait(timeout: .now() + 3600) }
      check { group.wait(wallTimeout: .now() + 3600) }
      check { item.wait(timeout: .now() + 3600) }
      check { item.wait(wallTimeout: .now() + 3600) }
      group.leave()
      return ends
    }
    #expect(ends == Array(repeating: true, count: 6))
  }

  @Test("A timer that is suspended fires when it is resumed, once for all points that passed") func suspended() throws {
    let counts = try withVirtualTime {
      let queue = DispatchQueue(label: "suspended"), timer = DispatchSource.makeTimerSource(queue: queue)
      let counts = Shared<[UInt]>([])
      timer.setEventHandler { counts.value.append(timer.data) }
      timer.schedule(deadline: .now() + 3600, repeating: 3600)
      timer.activate()
      timer.suspend()
      Thread.sleep(forTimeInterval: 4.5 * 3600)
      let before = queue.sync { counts.value }
      timer.resume()
      Thread.sleep(forTimeInterval: 1)
      let after = queue.sync { counts.value }
      timer.cancel()
      return [before, after]
    }
    #expect(counts == [[], [4]])
  }
}
