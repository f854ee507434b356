// SharedHoldsTests.swift: the list of what a thread holds for reading, up to its end and beyond.
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import Testing

@Suite("The list of a thread's read locks") struct SharedHoldsTests {
  private static var count: UInt64 { ThreadSlot.current.pointee.shared_count }

  @Test("Holds are known until they are given back, twice if they were taken twice")
  func list() {
    onAnotherThread {
      SharedHolds.add(16)
      SharedHolds.add(32)
      SharedHolds.add(16)
      #expect(SharedHolds.remove(16) && SharedHolds.contains(16) && SharedHolds.contains(32))
      #expect(SharedHolds.remove(16) && !SharedHolds.contains(16))
      #expect(!SharedHolds.remove(16))
      #expect(SharedHolds.remove(32) && !SharedHolds.contains(32) && Self.count == 0)
    }
  }

  @Test("A full list of holds still counts those it does not name, which may be given back as often as taken")
  func overflow() {
    onAnotherThread {
      for address in 1...10 { SharedHolds.add(UInt(address) * 16) }
      #expect(SharedHolds.contains(8 * 16) && !SharedHolds.contains(9 * 16) && Self.count == 10)
      #expect(SharedHolds.remove(3 * 16))
      SharedHolds.add(11 * 16)
      #expect(SharedHolds.contains(11 * 16))
      #expect(SharedHolds.remove(9 * 16) && SharedHolds.remove(10 * 16))
      #expect(!SharedHolds.remove(10 * 16))
      for address in [1, 2, 4, 5, 6, 7, 8, 11] { #expect(SharedHolds.remove(UInt(address) * 16)) }
      #expect(Self.count == 0)
    }
  }
}
