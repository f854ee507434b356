// SleepDuty.swift: something that threads asleep in the seam do now and then, while there is no thread of ours that could. Who sets
// it, and when it is taken away, is the pool's business.
import Synchronization

/// One duty for the whole process.
///
/// Thread safety: any thread. Threads that sleep already when it is set go on sleeping; those that fall asleep later wake up for it.
public enum SleepDuty {
  // The function's address; 0: none. Not a word of the seam: an explorer has nothing to choose here.
  private static let bits = Atomic<UInt>(0)
  private static let isUnderWay = Atomic32(0)

  /// How long a thread sleeps before it does the duty, and again afterwards: 10 ms, in nanoseconds.
  public static let interval: UInt64 = 10_000_000

  /// Sets the duty. It is called on any thread that waits, whatever lock of the program's that one holds; but not on one that waits
  /// for a lock of the engine's, so it may take those.
  public static func set(_ duty: @escaping @convention(c) () -> Void) {
    // relaxed: the function reads nothing that its setter wrote for it.
    bits.store(UInt(bitPattern: unsafeBitCast(duty, to: UnsafeRawPointer.self)), ordering: .relaxed)
  }
  /// Takes it away.
  public static func clear() {
    // relaxed: a thread that misses it does the duty once more, as if it had come earlier.
    if isSet { bits.store(0, ordering: .relaxed) }
  }

  /// Whether there is one.
  public static var isSet: Bool { bits.load(ordering: .relaxed) != 0 }  // relaxed: a hint; `perform` reads it again

  /// Does the duty, unless another thread is at it or it was taken away.
  public static func perform() {
    // relaxed: the function reads nothing that its setter wrote for it. acquire D1 in the exchange: pairs with D2.
    guard let raw = UnsafeRawPointer(bitPattern: bits.load(ordering: .relaxed)), isUnderWay.exchangeAcqRel(1) == 0 else {
      return
    }
    // SAFETY: the inverse of `set`.
    unsafeBitCast(raw, to: (@convention(c) () -> Void).self)()
    isUnderWay.storeRelease(0)  // release D2: pairs with D1
  }
}

extension Parking {
  /// Sleeps as `park`, and does the duty meanwhile.
  @inline(never)
  static func parkOnDuty(
    _ address: UnsafePointer<Atomic32>, _ expected: UInt32, _ deadline: ParkDeadline, _ set: UInt32
  ) -> ParkOutcome {
    while SleepDuty.isSet {
      let next = Clock.uptime() &+ SleepDuty.interval
      if case .uptime(let end) = deadline, end <= next { break }
      if case .wall(let end) = deadline, end <= Clock.wall() &+ SleepDuty.interval { break }
      let outcome = sleep(address, expected, .uptime(next), set)
      guard outcome == .timedOut else { return outcome }
      SleepDuty.perform()
    }
    return sleep(address, expected, deadline, set)
  }
}
