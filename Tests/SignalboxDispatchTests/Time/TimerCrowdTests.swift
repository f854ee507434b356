// TimerCrowdTests.swift: which timers make a crowd, and where its alarms go. No clock, no thread.
import Testing

@testable import SignalboxDispatch

@Suite("Timers that fire close together") struct TimerCrowdTests {
  /// `count` timers that have fired one by one, `spacing` apart.
  private static func after(_ count: Int, _ spacing: UInt64, from start: UInt64 = 1 << 40) -> (crowd: TimerCrowd, now: UInt64) {
    var crowd = TimerCrowd(), now = start
    for _ in 0..<count {
      now += spacing
      crowd.fired(1, at: now)
    }
    return (crowd, now)
  }

  @Test("Timers a microsecond apart are a crowd after some twenty, a few are none") func microsecondApart() {
    #expect(!Self.after(15, 1_000).crowd.isThere)
    #expect(Self.after(25, 1_000).crowd.isThere)
  }

  @Test("Many that fire at one serving are a crowd at once, a few are none") func atOnce() {
    var crowd = TimerCrowd()
    crowd.fired(Int(TimerCrowd.enough) - 1, at: 1 << 40)
    #expect(!crowd.isThere)
    crowd.fired(1, at: 1 << 40)
    #expect(crowd.isThere)
  }

  @Test("One timer that fires again and again is none, however quick it is", arguments: [5_000, 10_000, 40_000] as [UInt64])
  func repeating(interval: UInt64) { #expect(!Self.after(10_000, interval).crowd.isThere) }

  @Test("Its alarms are a pause apart, unless the next timer is later by itself") func alarms() {
    let (crowd, now) = Self.after(100, 1_000)
    #expect(crowd.alarm(for: now + 1, after: now) == now + TimerCrowd.pause)
    #expect(crowd.alarm(for: now - 1, after: now) == now + TimerCrowd.pause)
    #expect(crowd.alarm(for: now + TimerCrowd.pause + 1, after: now) == now + TimerCrowd.pause + 1)
    #expect(crowd.alarm(for: .max, after: now) == .max)
    #expect(TimerCrowd().alarm(for: now + 1, after: now) == now + 1)
  }

  @Test("It is forgotten within a third of a millisecond, and when the clock is set back") func forgotten() {
    var (crowd, now) = Self.after(1_000, 1_000)
    #expect(crowd.isThere)
    var other = crowd
    crowd.fired(0, at: now + TimerCrowd.spacing * (TimerCrowd.most - TimerCrowd.enough + 1))
    #expect(!crowd.isThere)
    now -= 1_000_000
    other.fired(1, at: now)
    #expect(!other.isThere)
  }
}
