// PressureStateTests.swift: levels of memory pressure from notices, on a clock that the test moves.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite("Memory pressure levels follow the kernel's notices") struct PressureStateTests {
  static let second: UInt64 = 1_000_000_000

  @Test("A notice raises the level at once, and holds for two windows and a half")
  func rise() {
    var state = PressureState()
    #expect(state.takeChange(now: 1) == nil)
    #expect(state.nextCheck(now: 1) == nil, "nobody checks while the level is normal")
    state.notice(.warning, now: 10 * Self.second)
    #expect(state.takeChange(now: 10 * Self.second) == .warning)
    #expect(state.takeChange(now: 11 * Self.second) == nil, "told once")
    #expect(state.nextCheck(now: 11 * Self.second) == 15 * Self.second)
    #expect(state.takeChange(now: 15 * Self.second - 1) == nil)
    #expect(state.takeChange(now: 15 * Self.second) == .normal)
    #expect(state.nextCheck(now: 15 * Self.second) == nil)
  }

  @Test("Notices that go on coming keep the level, and deliver nothing")
  func steady() {
    var state = PressureState()
    for step in 0..<20 as Range<UInt64> {
      state.notice(.warning, now: 2 * step * Self.second)
      #expect(state.takeChange(now: 2 * step * Self.second) == (step == 0 ? .warning : nil))
    }
    #expect(state.takeChange(now: (38 + 5) * Self.second) == .normal)
  }

  @Test("The worse level applies, and the other returns when it ends")
  func levels() {
    var state = PressureState()
    state.notice(.critical, now: 0)
    #expect(state.takeChange(now: 0) == .critical)
    state.notice(.warning, now: 3 * Self.second)
    #expect(state.takeChange(now: 3 * Self.second) == nil)
    #expect(state.nextCheck(now: 3 * Self.second) == 5 * Self.second)
    #expect(state.takeChange(now: 5 * Self.second) == .warning)
    #expect(state.takeChange(now: 8 * Self.second) == .normal)
  }

  @Test("An injected level is the least that holds, until it is taken back")
  func injected() {
    var state = PressureState()
    state.inject(.warning)
    #expect(state.takeChange(now: 0) == .warning)
    #expect(state.nextCheck(now: 0) == nil)
    state.notice(.critical, now: 1)
    #expect(state.takeChange(now: 1) == .critical)
    #expect(state.takeChange(now: 6 * Self.second) == .warning)
    state.inject(.normal)
    #expect(state.takeChange(now: 6 * Self.second) == .normal)
  }

  @Test("With the last listener the notices go, what is injected stays")
  func forgotten() {
    var state = PressureState()
    state.notice(.critical, now: 0)
    state.inject(.warning)
    #expect(state.takeChange(now: 0) == .critical)
    state.forgetNotices()
    #expect(state.takeChange(now: 0) == nil)
    #expect(state.level(now: 0) == .warning)
  }

  @Test("A control group's counters show a squeeze, exhaustion, both or nothing")
  func counters() {
    typealias Counts = MemoryEvents.Counts
    let before = Counts(squeezed: 3, exhausted: 1)
    #expect(PressureLevel.told(by: before, after: before) == [])
    #expect(PressureLevel.told(by: Counts(squeezed: 4, exhausted: 1), after: before) == [.warning])
    #expect(PressureLevel.told(by: Counts(squeezed: 3, exhausted: 2), after: before) == [.critical])
    #expect(PressureLevel.told(by: Counts(squeezed: 9, exhausted: 2), after: before) == [.warning, .critical])
  }
}
