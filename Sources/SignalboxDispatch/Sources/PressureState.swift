// PressureState.swift: which level of memory pressure holds, from single notices of stalls. Pure: time is given. Where notices
// come from is MemoryPressure.swift.
import SignalboxSystem

/// The levels, each worse than the one before.
enum PressureLevel: UInt8, Comparable, Sendable {
  case normal, warning, critical
  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// What is to be noticed when a control group's counters were `old` and are `new`.
  static func told(by new: MemoryEvents.Counts, after old: MemoryEvents.Counts) -> [PressureLevel] {
    (new.squeezed != old.squeezed ? [.warning] : []) + (new.exhausted != old.exhausted ? [.critical] : [])
  }
}

/// The kernel tells that tasks have waited, at most once per window of two seconds, and never that they wait no longer. So a
/// notice holds for two windows and a half; when it has not come again by then, it is over.
struct PressureState: Equatable, Sendable {
  /// Nanoseconds that one notice holds.
  static let holdTime: UInt64 = 5_000_000_000

  private var warningUntil: UInt64 = 0
  private var criticalUntil: UInt64 = 0
  private(set) var injected = PressureLevel.normal
  /// What was reported last.
  private(set) var told = PressureLevel.normal

  /// A notice came: `level` holds for a while.
  mutating func notice(_ level: PressureLevel, now: UInt64) {
    switch level {
    case .normal: break
    case .warning: warningUntil = now + PressureState.holdTime
    case .critical: criticalUntil = now + PressureState.holdTime
    }
  }

  /// The level is at least this one until it is injected anew.
  mutating func inject(_ level: PressureLevel) { injected = level }

  /// Nobody listens any more: what was noticed is forgotten, what was injected stays.
  mutating func forgetNotices() {
    (warningUntil, criticalUntil) = (0, 0)
    told = injected
  }

  /// The level at this time.
  func level(now: UInt64) -> PressureLevel {
    max(injected, now < criticalUntil ? .critical : now < warningUntil ? .warning : .normal)
  }

  /// The level, if it is not the one that was reported last. It counts as reported then.
  mutating func takeChange(now: UInt64) -> PressureLevel? {
    let level = level(now: now)
    if level == told { return nil }
    told = level
    return level
  }

  /// When to check again because a notice ends; nil while none holds, so that nobody checks in normal times.
  func nextCheck(now: UInt64) -> UInt64? { [warningUntil, criticalUntil].filter { $0 > now }.min() }
}
