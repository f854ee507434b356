// TimerScheduleTests.swift: starts, intervals and leeways of timer sources. No clock but for "now", no thread.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite("Starts, intervals and leeways of timers") struct TimerScheduleTests {
  static let second: UInt64 = 1_000_000_000

  @Test("Points lie on the grid of the start, however late the clock is read")
  func grid() throws {
    var schedule = try #require(TimerSchedule(start: 1_000, interval: 300, leeway: 0))
    #expect(schedule.advance(to: 999) == 0 && schedule.next == 1_000)
    #expect(schedule.advance(to: 1_000) == 1 && schedule.next == 1_300)
    #expect(schedule.advance(to: 1_299) == 0)
    #expect(schedule.advance(to: 2_199) == 3 && schedule.next == 2_200)
    #expect(schedule.advance(to: 2_200) == 1 && schedule.next == 2_500)
    var random = SmallRandom(seed: 2)
    var (now, total) = (UInt64(2_200), UInt(0))
    for _ in 0..<1_000 {
      now += random.next() % 5_000
      total += schedule.advance(to: now)
      let next = try #require(schedule.next)
      #expect(next > now && next <= now + 300 && (next - 1_000) % 300 == 0)
    }
    #expect(total == UInt((now - 1_000) / 300) - 4)
  }

  @Test("Without an interval it fires once, also if the interval is longer than time")
  func once() throws {
    for interval in [UInt64.max, UInt64(Int64.max), UInt64.max - 1] {
      var schedule = try #require(TimerSchedule(start: 5, interval: interval, leeway: 0))
      #expect(schedule.interval == nil)
      #expect(schedule.advance(to: 50) == 1)
      #expect(schedule.next == nil && schedule.window == nil && schedule.advance(to: 60) == 0)
    }
  }

  @Test("An interval of nothing is a nanosecond; the count of what passed has no limit of its own")
  func tiny() throws {
    var schedule = try #require(TimerSchedule(start: 1, interval: 0, leeway: 0))
    #expect(schedule.interval == 1)
    #expect(schedule.advance(to: 1_000_000_000_000) == 1_000_000_000_000)
    #expect(schedule.next == 1_000_000_000_001)
  }

  @Test("A point past the end of time is none")
  func huge() throws {
    var schedule = try #require(TimerSchedule(start: 5, interval: UInt64(Int64.max) - 1, leeway: 0))
    #expect(schedule.advance(to: 6) == 1)
    #expect(schedule.next == nil)
  }

  @Test("The leeway counts in full for the start, and as half the interval at most after it")
  func leeway() throws {
    var schedule = try #require(TimerSchedule(start: 1_000, interval: 300, leeway: 500))
    #expect(schedule.window == TimerWindow(1_000, leeway: 500))
    _ = schedule.advance(to: 1_000)
    #expect(schedule.window == TimerWindow(1_300, leeway: 150))
    var small = try #require(TimerSchedule(start: 1_000, interval: 300, leeway: 40))
    _ = small.advance(to: 1_000)
    #expect(small.window == TimerWindow(1_300, leeway: 40))
  }

  @Test("A leeway without limit delays by a second", arguments: [UInt64.max, UInt64(Int64.max)])
  func unlimited(leeway: UInt64) throws {
    let schedule = try #require(TimerSchedule(start: 1_000, interval: .max, leeway: leeway))
    #expect(schedule.window == TimerWindow(1_000, leeway: Self.second))
  }

  @Test("The start says which clock, a start that never comes gives no schedule")
  func clocks() throws {
    #expect(TimerSchedule(start: RawTime.forever, interval: 1, leeway: 0) == nil)
    let before = (Clock.uptime(), Clock.continuous(), Clock.wall())
    let uptime = try #require(TimerSchedule(start: RawTime.now, interval: 1, leeway: 0))
    let continuous = try #require(TimerSchedule(start: 1 << 63, interval: 1, leeway: 0))
    let wall = try #require(TimerSchedule(start: RawTime.wallNow, interval: 1, leeway: 0))
    #expect(uptime.clock == .uptime && uptime.next! >= before.0)
    #expect(continuous.clock == .continuous && continuous.next! >= before.1)
    #expect(wall.clock == .wall && wall.next! >= before.2)
    let later = try #require(TimerSchedule(start: RawTime.adding(5, to: RawTime.wallNow), interval: 1, leeway: 0))
    #expect(later.clock == .wall)
  }
}
