// WheelLayoutTests.swift: in which list of a wheel a key lies. How the wheel moves keys is TimerWheelTests.swift.
import Testing

@testable import SignalboxWords

@Suite("The lists of timer wheels") struct WheelLayoutTests {
  @Test("A key lies on the level of the highest six bits in which it differs from the base, in the slot that they name")
  func lists() {
    let base: UInt64 = 5 << 40
    #expect(WheelLayout.list(of: base + 1, after: base) == 0)
    #expect(WheelLayout.list(of: base + 3 << 10, after: base) == 3)
    for level in 0..<9 as Range<UInt64> {
      let unit: UInt64 = 1 << (10 + 6 * level)
      for slot: UInt64 in [1, 2, level == 8 ? 3 : 63] {
        #expect(WheelLayout.list(of: slot * unit, after: 0) == Int(level * 64 + slot), "\(level) \(slot)")
        #expect(WheelLayout.list(of: slot * unit + unit - 1, after: 0) == Int(level * 64 + slot), "\(level) \(slot)")
      }
    }
  }

  @Test("A key that is not after the base lies in no slot, and any other in one that there is")
  func bounds() {
    for (key, base) in [(0, 0), (7, 7), (7, 8), (0, .max)] as [(UInt64, UInt64)] {
      #expect(WheelLayout.list(of: key, after: base) == nil)
    }
    for bit in 0..<64 as Range<UInt64> {
      #expect(WheelLayout.list(of: 1 << bit, after: 0).map { $0 < WheelLayout.opened } == true, "\(bit)")
    }
    #expect(WheelLayout.list(of: .max, after: 0) == 8 * 64 + 63 && WheelLayout.opened == 576)
  }
}
