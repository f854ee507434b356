// PollerTests.swift: waiting for descriptors, and the descriptors of our own that it waits for.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Polling descriptors") struct PollerTests {
  /// One wait of at most `patience`: the tokens and what was seen.
  static func wait(_ poller: Poller, for limit: UInt64 = patience * 1_000_000_000) -> [UInt64: Poller.Events] {
    var seen: [UInt64: Poller.Events] = [:]
    poller.wait(untilUptime: Clock.uptime() + limit) { seen[$0] = $1 }
    return seen
  }
  static let none: [UInt64: Poller.Events] = [:]

  @Test("A signalled event is readable until cleared, and carries its token")
  func readable() throws {
    let (poller, event) = (try Poller(), try EventDescriptor())
    try poller.register(event.descriptor, for: .readable, token: 7)
    #expect(Self.wait(poller, for: 0) == Self.none)
    event.signal()
    event.signal()
    #expect(Self.wait(poller) == [7: .readable])
    #expect(Self.wait(poller) == [7: .readable])
    event.clear()
    event.clear()
    #expect(Self.wait(poller, for: 0) == Self.none)
  }

  @Test("A wake ends the wait under way, or the next one, and passes no event")
  func wake() throws {
    let poller = try Poller()
    poller.wake()
    poller.wake()
    let passed = poller.wait(untilUptime: nil) { _, _ in Issue.record("an event") }
    #expect(passed == 0)
    let done = SharedWord()
    let sleeper = TestThread {
      let passed = poller.wait(untilUptime: nil) { _, _ in Issue.record("an event") }
      #expect(passed == 0)
      done.value.storeRelease(1)
    }
    poller.wake()
    #expect(eventually { done.value.loadAcquire() == 1 })
    sleeper.join()
  }

  @Test("A deadline is never missed early, and a past one polls once")
  func deadline() throws {
    let poller = try Poller()
    for delay in [0, 1, 700, 20_000] as [UInt64] {
      let point = Clock.uptime() + delay * 1_000
      #expect(poller.wait(untilUptime: point) { _, _ in } == 0)
      #expect(Clock.uptime() >= point)
    }
    #expect(poller.wait(untilUptime: 0) { _, _ in } == 0)
  }

  @Test("A poller around another reports its events and wakes as long as they last, and takes none of them")
  func around() throws {
    let inner = try Poller()
    let outer = try Poller(around: inner, token: 9)
    let (event, edge) = (try EventDescriptor(), try EventDescriptor())
    try inner.register(event.descriptor, for: .readable, token: 1)
    try inner.register(edge.descriptor, for: [.readable, .edge], token: 2)
    #expect(Self.wait(outer, for: 0) == Self.none)
    event.signal()
    edge.signal()
    #expect(Self.wait(outer) == [9: .readable])
    #expect(Self.wait(outer) == [9: .readable])
    #expect(Self.wait(inner) == [1: .readable, 2: .readable])
    event.clear()
    #expect(Self.wait(inner, for: 0) == Self.none)
    #expect(Self.wait(outer, for: 0) == Self.none)
    inner.wake()
    #expect(Self.wait(outer) == [9: .readable])
    #expect(Self.wait(inner, for: 0) == Self.none)  // takes the wake
    #expect(Self.wait(outer, for: 0) == Self.none)
  }

  @Test("A removed descriptor is silent; removing it twice, or after its end, is no error")
  func remove() throws {
    let (poller, event) = (try Poller(), try EventDescriptor())
    try poller.register(event.descriptor, for: .readable, token: 1)
    event.signal()
    poller.remove(event.descriptor)
    poller.remove(event.descriptor)
    poller.remove(-1)
    #expect(Self.wait(poller, for: 0) == Self.none)
  }

  @Test("What a poller waits for can be changed, and be for one event only")
  func modify() throws {
    let (poller, event) = (try Poller(), try EventDescriptor())
    event.signal()
    try poller.register(event.descriptor, for: [.readable, .oneShot], token: 1)
    #expect(Self.wait(poller) == [1: .readable])
    #expect(Self.wait(poller, for: 0) == Self.none)
    try poller.modify(event.descriptor, for: [.readable, .writable], token: 2)
    #expect(Self.wait(poller) == [2: [.readable, .writable]])
  }

  @Test("A descriptor that cannot be polled is an error that names the call")
  func refusals() throws {
    let (poller, event) = (try Poller(), try EventDescriptor())
    #expect(throws: SystemError(call: "epoll_ctl", code: EBADF)) { try poller.register(-1, for: .readable, token: 1) }
    try poller.register(event.descriptor, for: .readable, token: 1)
    #expect(throws: SystemError(call: "epoll_ctl", code: EEXIST)) {
      try poller.register(event.descriptor, for: .readable, token: 1)
    }
  }

  @Test("More descriptors than one wait can report are reported by several")
  func many() throws {
    let poller = try Poller()
    let events = try (0..<150).map { _ in try EventDescriptor() }
    for (token, event) in events.enumerated() {
      try poller.register(event.descriptor, for: [.readable, .oneShot], token: UInt64(token))
      event.signal()
    }
    var seen: Set<UInt64> = []
    for _ in 0..<10 where seen.count < 150 { seen.formUnion(Self.wait(poller).keys) }
    #expect(seen.count == 150)
  }

  @Test("A wall alarm is due at its time, at once when that has passed, and silent once cleared")
  func wallAlarm() throws {
    let (poller, alarm) = (try Poller(), try Alarm(.wall))
    try poller.register(alarm.descriptor, for: .readable, token: 3)
    #expect(Self.wait(poller, for: 0) == Self.none)
    for point in [0, 1, Clock.wall() - 1, Clock.wall() + milliseconds(20)] {
      alarm.arm(at: point)
      #expect(Self.wait(poller) == [3: .readable])
      #expect(Clock.wall() >= point)
      alarm.clear()
      #expect(Self.wait(poller, for: 0) == Self.none)
    }
    alarm.arm(at: Clock.wall() + milliseconds(3_600_000))
    #expect(Self.wait(poller, for: milliseconds(1)) == Self.none)
  }

  @Test("Descriptors of ours do not outlive an exec")
  func closedOnExec() throws {
    let (event, alarm) = (try EventDescriptor(), try Alarm(.wall))
    for descriptor in [event.descriptor, alarm.descriptor] { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
  }
}
