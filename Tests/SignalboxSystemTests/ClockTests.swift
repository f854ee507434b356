// ClockTests.swift: the three clocks run forward and stand in the right relation; random numbers can be had again.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Clocks") struct ClockTests {
  @Test("No reading is earlier than the one before")
  func monotonic() {
    var (uptime, continuous, processor, ticks) = (Clock.uptime(), Clock.continuous(), Clock.processorTime(), Clock.ticks())
    for _ in 0..<20_000 {
      let next = (Clock.uptime(), Clock.continuous(), Clock.processorTime(), Clock.ticks())
      #expect(next.0 >= uptime && next.1 >= continuous && next.2 >= processor)
      // A thread may move between processors whose counters differ a little.
      #expect(next.3 &+ 1_000_000 > ticks)
      (uptime, continuous, processor, ticks) = next
    }
  }

  @Test("Continuous time includes what uptime does, and the wall clock is the system's")
  func relations() {
    let uptime = Clock.uptime()
    #expect(Clock.continuous() >= uptime)
    let before = UInt64(time(nil))
    let wall = Clock.wall() / 1_000_000_000
    #expect(wall + 1 >= before && wall <= UInt64(time(nil)) + 1)
  }

  @Test("Working uses processor time, sleeping does not")
  func processorTime() async {
    await #expect(processExitsWith: .success) {
      let start = Clock.processorTime()
      while Clock.processorTime() < start + milliseconds(20) {}
      let worked = Clock.processorTime()
      sleepPlainly(milliseconds: 100)  // what must not count as work
      #expect(Clock.processorTime() - worked < milliseconds(50))
    }
  }
}

@Suite("Random numbers from a seed") struct SmallRandomTests {
  private static func numbers(_ seed: UInt64, _ count: Int = 1_000) -> [UInt64] {
    var random = SmallRandom(seed: seed)
    return (0..<count).map { _ in random.next() }
  }

  @Test("The same seed gives the same numbers, everywhere and always")
  func reproducible() {
    #expect(Self.numbers(42) == Self.numbers(42))
    #expect(Self.numbers(42) != Self.numbers(43))
    #expect(Self.numbers(1, 2) == [0xBAFA_CF62_4F01_C45D, 0x02DA_6891_E507_685D])
  }

  @Test("Numbers do not repeat soon, and zero is a seed like any other")
  func spread() {
    for seed in [0, 1, .max] as [UInt64] {
      #expect(Set(Self.numbers(seed)).count == 1_000)
      let ones = Self.numbers(seed).reduce(0) { $0 + $1.nonzeroBitCount }
      #expect((30_000...34_000).contains(ones))
    }
  }

  @Test("Without a seed generators differ")
  func seeded() {
    var (one, two) = (SmallRandom(), SmallRandom())
    #expect(one.next() != two.next())
  }
}
