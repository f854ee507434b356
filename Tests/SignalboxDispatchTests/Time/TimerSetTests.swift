// TimerSetTests.swift: windows, alarms and order of one clock's timers against a plain list. No clock, no thread.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("A clock's timers agree with a plain list") struct TimerSetTests {
  /// Entries of a set under test, freed at the end.
  final class Entries {
    let all: [TimerEntryPointer]
    init(_ count: Int) {
      all = (0..<count).map { _ in
        let entry = TimerEntryPointer.allocate(capacity: 1)
        entry.initialize(to: TimerEntry())
        return entry
      }
    }
    deinit { for entry in all { entry.deallocate() } }
    func arm(_ index: Int, _ window: TimerWindow, in set: inout TimerSet) {
      if all[index].isArmed { set.remove(all[index]) }
      all[index].setWindow(window)
      all[index].pointee.task = Self.task(index)
      set.insert(all[index])
    }

    /// A task that carries a number, and is not performed.
    static func task(_ index: Int) -> TimerTask { .item(.passUnretained(DispatchQueue.global()), Slot(UInt64(index), 0)) }
  }

  /// Which are due at `now`, in the order of firing.
  static func fire(_ set: inout TimerSet, at now: UInt64, budget: Int = 5) -> [Int] {
    set.turn(to: now)
    var (due, spent) = ([DueTimer](), [TimerEntryPointer]())
    while !set.collect(into: &due, spent: &spent, budget: budget) {}
    #expect(spent.isEmpty)
    due.putInOrder()
    return due.map { timer in
      guard case .item(_, let slot) = timer.task else { return -1 }
      return Int(slot.first)
    }
  }

  struct Plain {
    var window: TimerWindow
    var order: Int
  }

  @Test("Alarms keep every window, nobody fires early, and the order is that of deadlines", arguments: 0..<16)
  func model(seed: Int) {
    var random = SmallRandom(seed: UInt64(seed) + 5)
    let entries = Entries(200)
    var (now, order) = (UInt64(1) << 40, 0)
    var set = TimerSet(now: now)
    var plain: [Int: Plain] = [:]
    for _ in 0..<3_000 {
      let index = Int(random.next() % 200)
      switch random.next() % 6 {
      case 0...2:
        let leeway = seed % 2 == 0 || random.next() % 2 == 0 ? 0 : TimerWheelTests.distance(&random) >> 20
        let deadline = random.next() % 10 == 0 ? now - 5 : now + (TimerWheelTests.distance(&random) >> 16)
        let window = TimerWindow(deadline, leeway: leeway)
        order += 1
        entries.arm(index, window, in: &set)
        plain[index] = Plain(window: window, order: order)
      case 3:
        if plain.removeValue(forKey: index) != nil { set.remove(entries.all[index]) }
      default:
        guard let alarm = set.alarm else { continue }
        let ends = plain.values.map(\.window.latest).min()!
        #expect(alarm <= ends)
        now = max(now, random.next() % 3 == 0 ? now + (alarm - min(alarm, now)) / 2 : alarm)
        let due = plain.filter { $0.value.window.deadline <= now }
        let expected = due.sorted {
          ($0.value.window.deadline, $0.value.order) < ($1.value.window.deadline, $1.value.order)
        }
        #expect(Self.fire(&set, at: now) == expected.map(\.key))
        for key in due.keys { plain[key] = nil }
      }
      #expect(set.count == plain.count)
    }
  }

  @Test("The alarm fires at the earliest end of a window, and serves all timers that are due")
  func coalescing() {
    let entries = Entries(4)
    var set = TimerSet(now: 0)
    entries.arm(0, TimerWindow(10_000, leeway: 90_000), in: &set)
    entries.arm(1, TimerWindow(50_000, leeway: 40_000), in: &set)
    #expect(set.alarm == 90_000)
    entries.arm(2, TimerWindow(70_000), in: &set)
    entries.arm(3, TimerWindow(70_001), in: &set)
    #expect(set.alarm == 70_000)
    #expect(Self.fire(&set, at: 69_999) == [0, 1])
    entries.arm(1, TimerWindow(50_000, leeway: 40_000), in: &set)
    entries.arm(0, TimerWindow(10_000, leeway: 90_000), in: &set)
    #expect(Self.fire(&set, at: 70_000) == [0, 1, 2])
    #expect(set.alarm == 70_001 && set.count == 1)
  }

  @Test("A window without end is no window forever")
  func saturation() {
    #expect(TimerWindow(5, leeway: .max).latest == .max)
    #expect(TimerWindow(5).latest == 5)
  }

  @Test("When the clock is set back, what was far is far again, and new timers are not lost behind the old time")
  func setBack() {
    let entries = Entries(3)
    var set = TimerSet(now: 1_000_000_000)
    entries.arm(0, TimerWindow(2_000_000_000), in: &set)
    entries.arm(1, TimerWindow(600_000_000), in: &set)  // behind the base: set back, but no code has told the set yet
    #expect(set.alarm == 600_000_000)
    #expect(Self.fire(&set, at: 500_000_000).isEmpty)
    #expect(set.alarm == 600_000_000)
    entries.arm(2, TimerWindow(700_000_000), in: &set)
    #expect(Self.fire(&set, at: 650_000_000) == [1])
    #expect(set.alarm == 700_000_000)
    #expect(Self.fire(&set, at: 5_000_000_000) == [2, 0])
    #expect(set.count == 0 && set.alarm == nil)
  }

  @Test("A million timers are armed and cancelled with a step each")
  func million() {
    let count = 1_000_000
    let entries = Entries(count)
    var random = SmallRandom(seed: 3)
    var set = TimerSet(now: 0)
    for index in 0..<count { entries.arm(index, TimerWindow(random.next() >> 24), in: &set) }
    #expect(set.count == count && set.moves == UInt64(count))
    for entry in entries.all { set.remove(entry) }
    #expect(set.count == 0 && set.moves == UInt64(count) && set.alarm == nil)
  }
}
