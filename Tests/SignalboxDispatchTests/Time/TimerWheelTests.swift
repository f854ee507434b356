// TimerWheelTests.swift: the timer wheel against a sorted array, and the work it does. No clock, no thread.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite("The timer wheel agrees with a sorted array") struct TimerWheelTests {
  /// Links of a wheel under test, freed at the end; an index names each.
  final class Links {
    let base: TimerLinkPointer
    init(_ count: Int) {
      base = .allocate(capacity: count)
      base.initialize(repeating: TimerLink(), count: count)
    }
    deinit { base.deallocate() }
    subscript(index: Int) -> TimerLinkPointer { base + index }
    func index(of link: TimerLinkPointer) -> Int { link - base }
  }

  /// Everything that is due once the wheel is turned to `now`.
  static func due(_ wheel: inout TimerWheel, at now: UInt64, _ links: Links, budget: Int = 7) -> [Int] {
    wheel.turn(to: now)
    var due: [Int] = []
    while true {
      var budget = budget
      while true {
        switch wheel.popDue(budget: &budget) {
        case .due(let link): due.append(links.index(of: link))
        case .done: return due
        case .pause:
          #expect(budget == 0)
          break
        }
        if budget == 0 { break }
      }
    }
  }

  /// A distance of any magnitude: as many near keys as far ones.
  static func distance(_ random: inout SmallRandom) -> UInt64 { random.next() >> (random.next() % 63 + 2) }

  @Test("Whatever is inserted, removed and turned, the wheel agrees with a plain list", arguments: 0..<24)
  func model(seed: Int) {
    var random = SmallRandom(seed: UInt64(seed) + 77)
    let total = 400
    let links = Links(total)
    var now = seed % 3 == 0 ? 0 : random.next() >> 8
    var wheel = TimerWheel(base: now)
    var keys: [Int: UInt64] = [:]
    for _ in 0..<6_000 {
      switch random.next() % 8 {
      case 0...3:
        let index = Int(random.next() % UInt64(total))
        if keys[index] != nil { wheel.remove(links[index]) }
        let key = Self.key(&random, now, nearest: keys.values.min() ?? now)
        links[index].pointee.key = key
        keys[index] = key
        wheel.insert(links[index])
      case 4:
        let index = Int(random.next() % UInt64(total))
        guard keys[index] != nil else { continue }
        wheel.remove(links[index])
        keys[index] = nil
      case 5 where seed % 4 == 1:
        now -= min(now, Self.distance(&random))  // a clock set back
        Self.check(&wheel, at: now, links, &keys)
      default:
        let nearest = keys.values.min() ?? now
        now = random.next() % 2 == 0 && nearest < .max / 2 ? max(now, nearest) : now &+ Self.distance(&random) / 4
        if now > .max / 2 { now = .max / 2 }
        Self.check(&wheel, at: now, links, &keys)
      }
      #expect(wheel.count == keys.count)
      let bound = wheel.earliest()
      #expect((bound == nil) == keys.isEmpty)
      if let bound, let least = keys.values.min() { #expect(bound <= least) }
    }
  }

  /// Mostly some way off; sometimes like another one, in the past, or the largest there is.
  static func key(_ random: inout SmallRandom, _ now: UInt64, nearest: UInt64) -> UInt64 {
    switch random.next() % 9 {
    case 0, 1: nearest
    case 2: now - min(now, distance(&random))
    case 3: .max
    default: now &+ distance(&random)
    }
  }

  static func check(_ wheel: inout TimerWheel, at now: UInt64, _ links: Links, _ keys: inout [Int: UInt64]) {
    let due = Self.due(&wheel, at: now, links)
    #expect(Set(due).count == due.count)
    #expect(Set(due) == Set(keys.filter { $0.value <= now }.keys))
    for index in due {
      #expect(!links[index].isLinked)
      keys[index] = nil
    }
  }

  @Test("Without removals the bound is the earliest key itself, on every level")
  func exact() {
    let links = Links(2_000)
    var random = SmallRandom(seed: 5)
    var wheel = TimerWheel(base: 1_000_000)
    var keys: [UInt64] = []
    for index in 0..<2_000 {
      let key = 1_000_000 + Self.distance(&random) / 2
      keys.append(key)
      links[index].pointee.key = key
      wheel.insert(links[index])
      #expect(wheel.earliest() == keys.min())
    }
    keys.sort()
    var next = 0
    while next < keys.count {
      #expect(wheel.earliest() == keys[next])
      if keys[next] > 0 { #expect(Self.due(&wheel, at: keys[next] - 1, links).isEmpty) }
      let due = Self.due(&wheel, at: keys[next], links)
      #expect(due.allSatisfy { links[$0].pointee.key == keys[next] } && !due.isEmpty)
      next += due.count
    }
    #expect(wheel.isEmpty && wheel.earliest() == nil)
  }

  @Test("Equal keys come out in the order they were put in, whatever lies between")
  func order() {
    let links = Links(1_000)
    var wheel = TimerWheel(base: 0)
    for index in 0..<1_000 {
      links[index].pointee.key = 50_000_000_000
      wheel.insert(links[index])
      // Turned towards the key while more come in: they meet on every level.
      let now: UInt64 = 50_000_000_000 - 50_000_000_000 >> UInt64(index / 30)
      if index % 100 == 99 { #expect(Self.due(&wheel, at: now, links).isEmpty) }
    }
    #expect(Self.due(&wheel, at: 50_000_000_000, links) == Array(0..<1_000))
  }

  @Test("The work grows with the number of timers, not faster", arguments: [1_000, 10_000, 100_000])
  func work(count: Int) {
    let links = Links(count)
    var random = SmallRandom(seed: 9)
    var wheel = TimerWheel(base: 123_456_789)
    let base = wheel.base
    for index in 0..<count {
      links[index].pointee.key = base + random.next() % 60_000_000_000
      wheel.insert(links[index])
    }
    // Armed and moved: one step each.
    #expect(wheel.moves == UInt64(count))
    for index in 0..<count {
      wheel.remove(links[index])
      links[index].pointee.key = base + random.next() % 60_000_000_000
      wheel.insert(links[index])
    }
    #expect(wheel.moves == 2 * UInt64(count))
    // Fired one alarm after the other: a few steps down the levels each, though every alarm is exact.
    var fired = 0
    while let next = wheel.earliest() { fired += Self.due(&wheel, at: next, links, budget: 1_000).count }
    #expect(fired == count)
    #expect(wheel.moves < 10 * UInt64(count))
  }

  @Test("A hundred thousand on one instant, and a storm of removals, take a step or two each")
  func storms() {
    let count = 100_000
    let links = Links(count)
    var wheel = TimerWheel(base: 0)
    for index in 0..<count {
      links[index].pointee.key = 3_600_000_000_000
      wheel.insert(links[index])
    }
    for index in 0..<count where index % 2 == 0 { wheel.remove(links[index]) }
    #expect(wheel.moves == UInt64(count))
    #expect(Self.due(&wheel, at: 3_600_000_000_000, links, budget: 1_000).count == count / 2)
    #expect(wheel.moves == UInt64(count + count / 2))
    // The earliest is removed each time and the bound asked for: it need not be searched for.
    for index in 0..<count {
      links[index].pointee.key = 4_000_000_000_000 + UInt64(index)
      wheel.insert(links[index])
    }
    let before = wheel.moves
    for index in 0..<count {
      #expect(wheel.earliest()! <= 4_000_000_000_000 + UInt64(index))
      wheel.remove(links[index])
    }
    #expect(wheel.moves == before && wheel.earliest() == nil)
  }
}
