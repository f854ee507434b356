// Poller.swift: readiness of descriptors (epoll) and a way to interrupt the wait (eventfd). Who owns a poller is decided in the layers above.
import CSignalbox
import Glibc

/// One epoll instance with a wake-up event. One thread waits; any thread may register, remove and wake.
public final class Poller: Sendable {
  /// The events to monitor, and those that occurred.
  public struct Events: OptionSet, Sendable {
    /// The epoll bits.
    public let rawValue: UInt32
    /// Creates the set from epoll bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Bytes to read, or the end of the stream.
    public static let readable = Events(rawValue: 0x001)
    /// Room to write.
    public static let writable = Events(rawValue: 0x004)
    /// Something out of turn: of the kernel's own files, that they have changed.
    public static let urgent = Events(rawValue: 0x002)
    /// An error is pending; always monitored.
    public static let error = Events(rawValue: 0x008)
    /// The other side is gone; always monitored.
    public static let hangUp = Events(rawValue: 0x010)
    /// The other side sends no more; monitored if asked for.
    public static let readHangUp = Events(rawValue: 0x2000)
    /// An event when something happens, not as long as it is so.
    public static let edge = Events(rawValue: 1 << 31)
    /// One event, then silence until registered again.
    public static let oneShot = Events(rawValue: 1 << 30)
  }

  /// The token that the poller uses for its own wake-ups; not to be registered by others.
  public static let wakeToken = UInt64.max
  private let epoll: Int32
  private let event: Int32

  /// Opens both descriptors, closed on exec.
  public init() throws(SystemError) {
    let epoll = try checked("epoll_create1", sb_epoll_create())
    let event = sb_eventfd()
    guard event >= 0 else {
      close(epoll)
      throw SystemError(call: "eventfd", code: -event)
    }
    let added = sb_epoll_control(epoll, Int32(SB_EPOLL_ADD), event, Events.readable.rawValue, Poller.wakeToken)
    guard added >= 0 else {
      close(event)
      close(epoll)
      throw SystemError(call: "epoll_ctl", code: -added)
    }
    self.epoll = epoll
    self.event = event
  }

  /// Contains another poller, which carries `token` as long as it has events. Is not woken: the other one is.
  ///
  /// Polling a poller from outside asks its files once more, and files whose events are `urgent` tell each only once: such are
  /// to be monitored by the outer one.
  public init(around other: Poller, token: UInt64) throws(SystemError) {
    epoll = try checked("epoll_create1", sb_epoll_create())
    event = -1
    let added = sb_epoll_control(epoll, Int32(SB_EPOLL_ADD), other.epoll, Events.readable.rawValue, token)
    guard added >= 0 else {
      close(epoll)
      throw SystemError(call: "epoll_ctl", code: -added)
    }
  }

  deinit {
    if event >= 0 { close(event) }
    close(epoll)
  }

  /// Monitors `descriptor`; its events carry `token`.
  public func register(_ descriptor: Int32, for events: Events, token: UInt64) throws(SystemError) {
    try checked("epoll_ctl", sb_epoll_control(epoll, Int32(SB_EPOLL_ADD), descriptor, events.rawValue, token))
  }
  /// Changes the events monitored for a registered descriptor.
  public func modify(_ descriptor: Int32, for events: Events, token: UInt64) throws(SystemError) {
    try checked("epoll_ctl", sb_epoll_control(epoll, Int32(SB_EPOLL_MODIFY), descriptor, events.rawValue, token))
  }
  /// Stops monitoring. False when there was nothing to stop: the descriptor was closed meanwhile.
  @discardableResult
  public func remove(_ descriptor: Int32) -> Bool { sb_epoll_control(epoll, Int32(SB_EPOLL_REMOVE), descriptor, 0, 0) >= 0 }

  /// The set itself, readable while one of its descriptors is, or a wake-up is pending: for poll loops, which only poll it.
  public var descriptor: Int32 { epoll }

  /// Takes back the wake-ups until now.
  public func clearWake() {
    var counter: UInt64 = 0
    _ = sb_read(event, &counter, 8)  // EAGAIN: none was pending
  }

  /// Ends a wait under way, or the next one.
  public func wake() {
    var one: UInt64 = 1
    // EAGAIN means the counter is full, so a wake-up is already pending.
    _ = sb_write(event, &one, 8)
  }

  /// Sleeps until an event, a wake-up or the uptime `deadline` (nil: no limit); passes each event to `body`.
  ///
  /// - Returns: how many events were passed; 0 after a wake-up, a signal or the deadline.
  @discardableResult
  public func wait(untilUptime deadline: UInt64?, _ body: (UInt64, Events) -> Void) -> Int {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { tokens in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { events in
        let count = wait(deadline, tokens.start, events.start)
        guard count > 0 else { return 0 }  // 0: the deadline; EINTR: the caller checks again
        var passed = 0
        for index in 0..<count {
          if tokens[index] == Poller.wakeToken {
            var counter: UInt64 = 0
            _ = sb_read(event, &counter, 8)
          } else {
            passed += 1
            body(tokens[index], Events(rawValue: events[index]))
          }
        }
        return passed
      }
    }
  }

  private func wait(
    _ deadline: UInt64?, _ tokens: UnsafeMutablePointer<UInt64>, _ events: UnsafeMutablePointer<UInt32>
  ) -> Int {
    while SleepDuty.isSet {
      let next = Clock.uptime() &+ SleepDuty.interval
      if let deadline, deadline <= next { break }
      let count = sleep(next, tokens, events)
      if count != 0 { return count }
      SleepDuty.perform()
    }
    return sleep(deadline, tokens, events)
  }

  private func sleep(
    _ deadline: UInt64?, _ tokens: UnsafeMutablePointer<UInt64>, _ events: UnsafeMutablePointer<UInt32>
  ) -> Int {
    let result: Int32
    if let deadline {
      let now = Clock.uptime()
      let rest = deadline > now ? deadline - now : 0
      var timeout = Glibc.timespec(
        tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
      result = sb_epoll_wait(epoll, tokens, events, 64, &timeout)
    } else {
      result = sb_epoll_wait(epoll, tokens, events, 64, nil)
    }
    switch -result {
    case ...0: return Int(result)
    case EINTR: return 0
    default: fatalError("epoll wait ended with errno \(-result)")
    }
  }
}
