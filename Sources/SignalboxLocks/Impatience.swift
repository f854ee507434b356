// Impatience.swift: when a sleeper asks that the lock be kept for it: after 10 ms, and then more and more rarely.
//
// A starving thread that was passed over while it slept asks again when it is woken, and wakes come in the order of arrival. So
// its own timer is a second way to the same end, and a long wait need not cost a hundred wake-ups a second.
import SignalboxSystem

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
