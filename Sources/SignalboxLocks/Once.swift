// Once.swift: running something once, whoever comes first; the others wait for its end. As a C word: OnceToken in SignalboxDispatch.
//
//   0 not yet   ~0 done   owner << 2 | 1 running   owner << 2 | 3 running, and somebody may sleep
// Sleepers sleep on the low half, which holds all of it but the ones above, and wakes reach all of them.
import SignalboxDiagnosis
public import SignalboxSystem

/// Something that is to be done once.
///
/// - Note: Thread safety: any thread. Eight bytes; never allocates; when it is done, one load, and the look at the
///   instruments' byte that every lock has.
public struct Once: ~Copyable, Sendable {
  @usableFromInline let word = Atomic64(0)
  /// Not done yet.
  public init() {}

  private static var running: UInt64 { 1 }
  private static var awaited: UInt64 { 2 }

  /// Whether it has been done; what that wrote is visible then.
  @inlinable public var isDone: Bool {
    // acquire O1: pairs with O2.
    word.loadAcquire() == ~0
  }

  /// Runs `body` if nobody has yet, or waits until the one who does has ended: on return it has been done.
  ///
  /// If `body` throws it has not been done: the error leaves, and whoever waits or comes later runs its own.
  ///
  /// - Precondition: `body` does not come back here on the same thread; the program is stopped otherwise.
  @inlinable
  public borrowing func run<E: Error>(_ body: () throws(E) -> Void) throws(E) {
    // With instruments on also once it has run: in another run of the program this caller may come first.
    if _fastPath(Instruments.areOff && isDone) { return }
    guard begin() else { return }
    do throws(E) { try body() } catch {
      end(0)
      throw error
    }
    end(~0)
  }

  // SAFETY: an atomic does not move once another thread may reach it.
  private var address: UInt { withUnsafePointer(to: word) { UInt(bitPattern: $0) } }

  /// Makes the calling thread the runner, or waits until somebody else has done it: false.
  @inline(never) @usableFromInline borrowing func begin() -> Bool {
    let me = ThreadSlot.owner()
    let hooks = LockHooks.begin(.lock, .once, address)
    var seen: UInt64 = 0
    while true {
      switch seen {
      case 0:
        let swap = word.casAcquire(0, me << 2 | Self.running)
        if swap.exchanged {
          hooks.acquired()
          return true
        }
        seen = swap.original
      case ~0:
        _ = word.loadAcquire()  // acquire O1
        return false
      default:
        if seen >> 2 == me { stopRecursion() }
        if !spin(seen), seen & Self.awaited != 0 || word.casAcqRel(seen, seen | Self.awaited).exchanged {
          sleep(seen | Self.awaited)
        }
        seen = word.loadAcquire()  // acquire O1
      }
    }
  }

  /// Looks for a while whether the runner gets through; false when it is time to sleep.
  private borrowing func spin(_ seen: UInt64) -> Bool {
    for round in 0..<LockTuning.rounds {
      if WaitRecord.isWaiting(seen >> 2) { return false }
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
      if word.loadRelaxed() != seen { return true }  // relaxed: the caller looks again
    }
    return false
  }

  /// The runner is through: done, or free for another.
  // release O2: publishes what the body wrote; pairs with O1.
  @inline(never) @usableFromInline borrowing func end(_ value: UInt64) {
    LockHooks.released(.once, address)
    guard word.exchangeAcqRel(value) & Self.awaited != 0 else { return }
    withUnsafePointer(to: word) { _ = Parking.wake(Parking.lowHalf($0), count: .max) }
  }

  /// One sleep while the word is `seen`. The record stands only for that long: after it this thread may be the runner itself.
  private borrowing func sleep(_ seen: UInt64) {
    withUnsafePointer(to: word) { address in
      let object = UInt(bitPattern: address)
      BlockingHook.around(longWait: true) {
        Waiting.begin(.once, object: object, isTimed: false, .init(OwnerWord(object, .once)))
        _ = Parking.park(Parking.lowHalf(address), expected: UInt32(truncatingIfNeeded: seen))
        WaitRecord.withdraw()
      }
    }
  }

  private borrowing func stopRecursion() -> Never {
    Misuse.stop(
      "deadlock of one thread: the body of the \(LockMisuse.name(.once, address)) asks for that same once, and would wait for "
        + "itself for ever; let the body call what it needs directly")
  }
}
