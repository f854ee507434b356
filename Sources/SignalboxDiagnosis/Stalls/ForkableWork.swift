// ForkableWork.swift: a fork waits until a thread of the diagnosis rests: what that thread holds would stay held in the child for good.
import SignalboxSystem

/// One thread's work, and the forks of all threads: never at once, unless the work goes on for too long.
///
/// The word: bit 0 is set while the thread works; above it, the number of forks under way. The thread begins only at 0, and a fork waits for
/// bit 0 to be clear. A fork that has waited for a tenth of a second goes on; its child learns that from bit 0, and has no such thread then.
struct ForkableWork: ~Copyable, Sendable {
  private let word = Atomic32(0)
  private static let patience: UInt64 = 100_000_000
  private static let fork: UInt32 = 2

  // MARK: the thread

  /// Waits for forks to be over, and begins.
  func begin() {
    // acquire, both: what the work reads was written before the last rest
    while !word.casAcquire(0, 1).exchanged {
      let seen = word.loadAcquire()
      if seen != 0 { word.park(expected: seen, deadline: .never) }
    }
  }

  /// Calls once, while it works, what runs while it rests: where code is not optimised Swift makes the types of a generic call when that first
  /// runs, under a lock that a fork in between would leave held in the child.
  func prepare() {
    word.wake(count: .max)
    // Bit 0 is set: they return at once.
    for deadline in [.never, .uptime(1)] as [ParkDeadline] { word.park(expected: 0, deadline: deadline) }
  }

  /// The work is over; forks may go on.
  func rest() {
    // seq_cst: publishes the work to the child of a fork that waits for this
    _ = word.addSeqCst(~0)
    word.wake(count: .max)
  }

  // MARK: a thread that forks

  /// Waits for the thread to rest, for a tenth of a second at most.
  func beginFork() {
    let end = Clock.uptime() &+ Self.patience
    while true {
      let seen = word.loadAcquire()  // acquire: pairs with `rest`
      if seen & 1 == 0 {
        // acquire-release: pairs with `begin`, which fails from now on
        if word.casAcqRel(seen, seen + Self.fork).exchanged { return }
      } else if word.park(expected: seen, deadline: .uptime(end)) == .timedOut || Clock.uptime() >= end {
        _ = word.addSeqCst(Self.fork)  // seq_cst: as the swap above; bit 0 stays set
        return
      }
    }
  }

  /// In the parent: the fork is over.
  func endFork() {
    _ = word.addSeqCst(0 &- Self.fork)  // seq_cst: pairs with `begin`
    word.wake(count: .max)
  }

  /// In the child, which has one thread: whether the parent's thread rested. Nothing is under way from now on.
  func isAtRestInChild() -> Bool {
    let seen = word.loadAcquire()  // acquire: pairs with `rest`, in the parent
    word.storeRelease(0)  // release: nothing is published, since the child has one thread
    return seen & 1 == 0
  }
}
