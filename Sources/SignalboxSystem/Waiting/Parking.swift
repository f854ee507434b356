// Parking.swift: how a thread sleeps until a word changes. Who wakes it and why nothing is lost is described where the word lives.
import CSignalbox
import Glibc

/// A point in time at which a park gives up.
public enum ParkDeadline: Equatable, Sendable {
  case never
  /// Nanoseconds on the uptime clock.
  case uptime(UInt64)
  /// Nanoseconds since 1970 on the wall clock: follows steps of that clock.
  case wall(UInt64)
}

/// Why a park ended.
public enum ParkOutcome: Equatable, Sendable {
  /// Woken, possibly for no reason: check the word again.
  case woken
  /// The word did not hold the expected value.
  case changed
  /// The deadline has passed.
  case timedOut
}

/// Sleeping on words.
public enum Parking {
  /// Sleeps while the word at `address` holds `expected`, at most until `deadline`.
  ///
  /// - Returns: why it ended; `.woken` may be spurious, callers loop.
  /// - Note: errno is left as it was. One syscall; functions of this name are where threads sleep, in every profile.
  ///
  /// - Parameter set: the sleeper's own bits, not empty: a `wake` that names others passes it by.
  public static func park(
    _ address: UnsafePointer<Atomic32>, expected: UInt32, deadline: ParkDeadline = .never, set: UInt32 = .max
  ) -> ParkOutcome {
    if let outcome = exploredPark(address, expected, deadline, set) { return outcome }
    ExplorerLink.touch(word: UInt(bitPattern: address))
    return explored {
      _slowPath(SleepDuty.isSet) ? parkOnDuty(address, expected, deadline, set) : sleep(address, expected, deadline, set)
    }
  }

  /// The same without limit, for the engine's own locks: their holders need a few instructions.
  public static func parkBriefly(_ address: UnsafePointer<Atomic32>, expected: UInt32) -> ParkOutcome {
    if let outcome = exploredPark(address, expected, .never, .max) { return outcome }
    if _slowPath(ExplorerLink.isCallerExplored) {
      // Whoever holds such a lock passes no point: it is a thread that no explorer directs, and is about to give the lock back.
      let outcome = ExplorerLink.unseen { sleep(address, expected, .uptime(Clock.uptime() &+ 20_000_000), .max) }
      if outcome != .timedOut { return outcome }
      ExplorerLink.expectsWake(UInt(bitPattern: address))
    }
    ExplorerLink.touch(word: UInt(bitPattern: address))
    return explored { sleep(address, expected, .never, .max) }
  }

  private static func explored(_ park: () -> ParkOutcome) -> ParkOutcome {
    explorePoint(.park)
    let saved = errno
    defer {
      exploreWoken()
      errno = saved
    }
    return park()
  }

  static func sleep(
    _ address: UnsafePointer<Atomic32>, _ expected: UInt32, _ deadline: ParkDeadline, _ set: UInt32
  ) -> ParkOutcome {
    let word = UnsafeRawPointer(address).assumingMemoryBound(to: UInt32.self)
    let result: Int32
    switch deadline {
    case .never: result = sb_futex_wait(word, expected, nil, 0, set)
    case .uptime(let nanoseconds): result = wait(word, expected, nanoseconds, realtime: 0, set)
    case .wall(let nanoseconds): result = wait(word, expected, nanoseconds, realtime: 1, set)
    }
    switch -result {
    case 0: return .woken
    case EAGAIN: return .changed
    case EINTR: return .woken  // a signal: the caller checks again
    case ETIMEDOUT: return .timedOut
    case EINVAL, EFAULT, ENOSYS, EPERM: fatalError("futex wait refused (errno \(-result)): Signalbox cannot wait here")
    default: fatalError("futex wait ended with the undocumented errno \(-result)")
    }
  }

  private static func wait(
    _ word: UnsafePointer<UInt32>, _ expected: UInt32, _ nanoseconds: UInt64, realtime: Int32, _ set: UInt32
  ) -> Int32 {
    var time = Glibc.timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    return sb_futex_wait(word, expected, &time, realtime, set)
  }

  /// Wakes at most `count` threads parked on the word at `address` with a bit of `set`, those that slept first.
  ///
  /// - Returns: how many were woken. The address is only a name to the kernel: the word may be gone by now.
  @discardableResult
  public static func wake(_ address: UnsafePointer<Atomic32>, count: Int32 = 1, set: UInt32 = .max) -> Int {
    ExplorerLink.touch(word: UInt(bitPattern: address))
    explorePoint(.wake)
    if let woken = exploredWake(address, count, set) { return woken }
    let saved = errno
    defer { errno = saved }
    let result = sb_futex_wake(UnsafeRawPointer(address).assumingMemoryBound(to: UInt32.self), count, set)
    switch -result {
    case ...0: return Int(result)
    case EFAULT: return 0  // the sleeper's stack is already unmapped: it saw the word change by itself
    default: fatalError("futex wake ended with errno \(-result)")
    }
  }

  /// The half of a 64-bit word that has its low bits: what a thread can park on.
  @inlinable @inline(__always)
  public static func lowHalf(_ address: UnsafePointer<Atomic64>) -> UnsafePointer<Atomic32> {
    // SAFETY: the half lies inside the word; only the kernel reads it as 32 bits, and only to compare.
    let offset = 1.littleEndian == 1 ? 0 : 4
    return (UnsafeRawPointer(address) + offset).assumingMemoryBound(to: Atomic32.self)
  }

  /// Lets other threads of this processor run once.
  public static func yield() { sched_yield() }
}

extension Atomic32 {
  /// Sleeps while the word holds `expected`, as `Parking.park`. The word's owner keeps it in its place meanwhile.
  @discardableResult @inline(__always)
  public func park(expected: UInt32, deadline: ParkDeadline = .never, set: UInt32 = .max) -> ParkOutcome {
    withUnsafePointer(to: self) { Parking.park($0, expected: expected, deadline: deadline, set: set) }
  }

  /// The same without limit, as `Parking.parkBriefly`.
  @discardableResult @inline(__always)
  public func parkBriefly(expected: UInt32) -> ParkOutcome {
    withUnsafePointer(to: self) { Parking.parkBriefly($0, expected: expected) }
  }

  /// Wakes at most `count` threads that sleep on the word, as `Parking.wake`.
  @discardableResult @inline(__always)
  public func wake(count: Int32 = 1, set: UInt32 = .max) -> Int {
    withUnsafePointer(to: self) { Parking.wake($0, count: count, set: set) }
  }
}

extension Atomic64 {
  /// Sleeps while the low half of the word holds `expected`, as `Parking.park`. The word's owner keeps it in its place meanwhile.
  @discardableResult @inline(__always)
  public func parkOnLowHalf(expected: UInt32, deadline: ParkDeadline = .never, set: UInt32 = .max) -> ParkOutcome {
    withUnsafePointer(to: self) { Parking.park(Parking.lowHalf($0), expected: expected, deadline: deadline, set: set) }
  }

  /// Wakes at most `count` threads that sleep on the low half of the word, as `Parking.wake`.
  @discardableResult @inline(__always)
  public func wakeLowHalf(count: Int32 = 1, set: UInt32 = .max) -> Int {
    withUnsafePointer(to: self) { Parking.wake(Parking.lowHalf($0), count: count, set: set) }
  }
}

extension Atomic32 {
  /// Where the word is. SAFETY: an atomic does not move once another thread may reach it; before that the address is worth nothing.
  @inlinable @inline(__always) public var address: UInt { withUnsafePointer(to: self) { UInt(bitPattern: $0) } }
}

extension Atomic64 {
  /// Where the word is. SAFETY: as `Atomic32.address`.
  @inlinable @inline(__always) public var address: UInt { withUnsafePointer(to: self) { UInt(bitPattern: $0) } }
}
