// LockState.swift: all state of one lock in one 32-bit word. Pure: no atomics, no I/O. How threads sleep on it is LockCore+Wait.
//
//   31          26   25   24  23           0
//  ┌──────────────┬────┬────┬──────────────┐
//  │      0       │ HO │ PK │    owner     │
//  └──────────────┴────┴────┴──────────────┘
//  owner  thread slot and generation of the holder; 0: nobody
//  PK     somebody may sleep, and whoever unlocks wakes one
//  HO     a sleeper has waited too long: the next holder is one of those, nobody barges
//
//  INV-1  HO ⇒ PK                          whoever asks for the lock sleeps on it
//  INV-2  owner = 0 ∧ PK ⇒ HO              a free lock keeps its sleepers' bit only when it is held for one of them
//  INV-3  all zero ⇔ free for anybody, by one swap

struct LockState: Equatable, Sendable {
  var rawValue: UInt32
  init(rawValue: UInt32) { self.rawValue = rawValue }

  static let ownerMask: UInt32 = 0xFF_FFFF
  static let parked: UInt32 = 1 << 24
  static let handOff: UInt32 = 1 << 25

  var owner: UInt32 { rawValue & Self.ownerMask }
  var isParked: Bool { rawValue & Self.parked != 0 }
  var isHandOff: Bool { rawValue & Self.handOff != 0 }

  /// How urgently a thread wants the lock.
  enum Patience { case fresh, hasSlept, starving }

  /// The state with `me` holding the lock; nil when that must wait.
  func afterTake(_ me: UInt32, _ patience: Patience) -> LockState? {
    guard owner == 0 else { return nil }
    if isHandOff {
      // Others may sleep: the bit stays. Whoever else is starving asks again by himself.
      return patience == .starving ? LockState(rawValue: me | Self.parked) : nil
    }
    // Who has slept cannot know whether others still do.
    return LockState(rawValue: patience == .fresh ? me : me | Self.parked)
  }

  /// The state on which a thread may sleep; equal to this one if it is that already. Only where `afterTake` refused.
  func afterAnnounce(_ patience: Patience) -> LockState {
    LockState(rawValue: rawValue | Self.parked | (patience == .starving ? Self.handOff : 0))
  }

  enum WakeAction { case nobody, one, starving }
  /// The holder goes.
  func afterUnlock() -> (next: LockState, wake: WakeAction) {
    if isHandOff { return (LockState(rawValue: Self.parked | Self.handOff), .starving) }
    return (LockState(rawValue: 0), isParked ? .one : .nobody)
  }

  /// A thread that has slept stops waiting. It may have used up a wake, and it may be the one the lock is kept for.
  func afterGiveUp(_ patience: Patience) -> (next: LockState, wake: WakeAction) {
    if patience == .starving, isHandOff {
      if owner == 0 { return (LockState(rawValue: 0), .one) }
      return (LockState(rawValue: owner | Self.parked), .nobody)
    }
    if owner == 0 { return isHandOff ? (self, .nobody) : (self, .one) }
    return (LockState(rawValue: rawValue | Self.parked), .nobody)
  }

  /// The invariants, for tests.
  var brokenInvariant: String? {
    if isHandOff, !isParked { return "INV-1" }
    if owner == 0, isParked, !isHandOff { return "INV-2" }
    return nil
  }
}
