// Clock.swift: the three clocks. Points in time are nanoseconds; what a deadline means is in Deadline and Parking.swift.
public import CSignalbox
public import Glibc

/// The C structure of seconds and nanoseconds, named here so that upper layers need no C library import.
public typealias timespec = Glibc.timespec

/// Readings of the machine's clocks. Thread safety: any thread. Complexity: O(1), no syscall on common kernels.
public enum Clock {
  /// Nanoseconds since boot while the machine was awake (`CLOCK_MONOTONIC`).
  public static func uptime() -> UInt64 { read(CLOCK_MONOTONIC) }
  /// Nanoseconds since boot, time asleep included (`CLOCK_BOOTTIME`).
  public static func continuous() -> UInt64 { read(CLOCK_BOOTTIME) }
  /// Nanoseconds since 1970-01-01 00:00 UTC (`CLOCK_REALTIME`); steps when the clock is set.
  public static func wall() -> UInt64 { read(CLOCK_REALTIME) &+ wallStep.load() }
  /// Nanoseconds of processor time this process has used.
  public static func processorTime() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }
  /// A processor counter for comparing short spans; its unit is the machine's. Under an explorer, which has a time of its own, it
  /// goes with that time.
  @inlinable @inline(__always) public static func ticks() -> UInt64 {
    _fastPath(Instruments.byte & Instruments.explorer == 0) ? sb_ticks() : exploredTicks()
  }
  @inline(never) @usableFromInline static func exploredTicks() -> UInt64 { ExplorerLink.ticks ?? sb_ticks() }

  /// What the kernel's wall clock shows when ours shows `point`: the same, unless a test has set ours.
  static func kernelWall(of point: UInt64) -> UInt64 {
    let step = wallStep.load()
    return step == 0 ? point : UInt64(clamping: Int128(point) - Int128(Int64(bitPattern: step)))
  }

  /// Sets the wall clock of this process, and of nobody else, forward or back by this many nanoseconds from what it shows.
  package static func testsOnly_stepWall(by nanoseconds: Int64) { wallStep.add(UInt64(bitPattern: nanoseconds)) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = Glibc.timespec()
    let result = clock_gettime(clock, &time)
    // The only documented errors are a bad clock and a bad pointer: a defect of ours, not of the machine.
    precondition(result == 0, "clock_gettime(\(clock)) failed: errno \(errno)")
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}

/// How far tests have set the wall clock of this process.
private let wallStep = Relaxed64(0)  // relaxed: a value by itself
