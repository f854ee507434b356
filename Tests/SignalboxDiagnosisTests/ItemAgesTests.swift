// ItemAgesTests.swift: for how long an item runs is known from its thread's number, which stays the same meanwhile.
import Testing

@testable import SignalboxDiagnosis

@Suite struct ItemAgesTests {
  private var ages = ItemAges()

  private mutating func sample(at now: UInt64, _ items: [Int32: UInt64]) {
    ages.sample(at: now) { body in for (thread, item) in items { body(thread, item) } }
  }

  @Test("An item is as old as the first sample that has its number, whatever other threads do")
  mutating func same() {
    sample(at: 10, [1: 7])
    sample(at: 20, [1: 7, 2: 3])
    sample(at: 30, [1: 7, 2: 4])
    #expect(ages[1] == .init(item: 7, since: 10) && ages[2] == .init(item: 4, since: 30))
  }

  @Test("A thread that one sample lacks begins anew, with the same number too")
  mutating func gone() {
    sample(at: 10, [1: 7])
    sample(at: 20, [:])
    #expect(ages[1] == nil)
    sample(at: 30, [1: 7])
    #expect(ages[1] == .init(item: 7, since: 30))
  }
}
