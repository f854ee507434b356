// LockWait.swift: how one thread's wait for a lock goes on: how urgent it is, and whether it asks for its wakes. After
// a while it asks that the lock be kept for it. Pure but for the clock.
//
// Being woken and finding the lock taken again says that the holders come back sooner than a sleeper can wake. Each
// such wake costs its maker a system call of some microseconds, hundreds of short sections. So after the
// first in vain the thread sleeps without announcing it, for a short time; it checks by itself then.
import SignalboxSystem
import SignalboxWords

struct LockWait {
  private(set) var patience = LockPatience.fresh
  private var impatience = Impatience()
  /// Nanoseconds of the next doze; 0 until a wake was in vain.
  private var doze: UInt64 = 0

  /// When the thread will check again by itself at the latest, announced or not: on the uptime clock.
  var due: UInt64 { impatience.due }
  /// Whether the next sleep is not to be announced. The starving do: they want the lock kept.
  var dozes: Bool { doze != 0 && patience == .hasSlept }
  var dozesUntil: UInt64 { min(impatience.due, Clock.uptime() &+ doze) }

  /// From now on other sleepers depend on this thread: it may have used up a wake.
  mutating func hasSlept() { if patience == .fresh { patience = .hasSlept } }

  /// A sleep has ended in this way, and the lock is still held.
  mutating func goOn(after outcome: ParkOutcome) {
    if doze != 0 {
      doze = min(doze << 1, LockTuning.longestDoze)
    } else if outcome != .timedOut {
      doze = LockTuning.shortestDoze
    }
    if outcome == .timedOut, impatience.isDue {
      patience = .starving
      impatience.renew()
    }
  }
}

/// What a thread that polls a lock learns about its sections.
struct SectionPolls {
  enum Advice { case goOn, take, askWhetherItIsWorthIt, leave }

  private var held = 0
  private var hasSeenShort = false

  mutating func afterPoll(isFree: Bool) -> Advice {
    guard isFree else {
      held += 1
      return held % LockTuning.pollsBetweenQuestions == 0 ? .askWhetherItIsWorthIt : .goOn
    }
    defer { held = 0 }
    if held >= LockTuning.pollsOfALongSection { return .take }
    defer { hasSeenShort = true }
    return hasSeenShort ? .leave : .goOn
  }
}

// MARK: when a sleeper asks that the lock be kept for it: after 10 ms, and then more and more rarely

// A starving thread that was passed over while it slept asks again when it is woken, and wakes come in the order of
// arrival. So its own timer is a second way to the same end, and a long wait need not cost a hundred wake-ups a second.
struct Impatience {
  /// On the uptime clock.
  private(set) var due = Clock.uptime() &+ LockTuning.patience
  private var interval = LockTuning.patience

  var isDue: Bool { Clock.uptime() >= due }

  /// The thread has asked; the next time it asks by itself after twice as long, at last every 1.28 s.
  mutating func renew() {
    if interval < LockTuning.patience << 7 { interval <<= 1 }
    interval = max(interval, LockTuning.patience)  // where a test has made patience longer meanwhile
    due = Clock.uptime() &+ interval
  }
}
