// SmallLockState.swift: all state of a lock of four bytes in its word. Pure: no atomics, no I/O. The larger lock's is CrowdState.
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

@usableFromInline package struct SmallLockState: WordState {
  @usableFromInline package var rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Free for anybody.
  @inlinable package static var free: SmallLockState { SmallLockState(rawValue: 0) }

  @inlinable package static var ownerMask: UInt32 { UInt32(OwnerValue.mask) }
  @inlinable package static var parked: UInt32 { 1 << 24 }
  @inlinable package static var handOff: UInt32 { 1 << 25 }

  @inlinable package var owner: UInt32 { rawValue & Self.ownerMask }
  @inlinable package var isParked: Bool { rawValue & Self.parked != 0 }
  @inlinable package var isHandOff: Bool { rawValue & Self.handOff != 0 }

  /// The state with `me` holding the lock; nil when that must wait.
  @inlinable package func afterTake(_ me: UInt32, _ patience: LockPatience) -> SmallLockState? {
    guard owner == 0 else { return nil }
    if isHandOff {
      // Others may sleep: the bit stays. Whoever else is starving asks again by himself.
      return patience == .starving ? SmallLockState(rawValue: me | Self.parked) : nil
    }
    // Who has slept cannot know whether others still do.
    return SmallLockState(rawValue: patience == .fresh ? me : me | Self.parked)
  }

  /// The state on which a thread may sleep; equal to this one if it is that already. Only where `afterTake` refused.
  @inlinable package func afterAnnounce(_ patience: LockPatience) -> SmallLockState {
    SmallLockState(rawValue: rawValue | Self.parked | (patience == .starving ? Self.handOff : 0))
  }

  /// The holder goes.
  @inlinable package func afterUnlock() -> (next: SmallLockState, wake: LockWake) {
    if isHandOff { return (SmallLockState(rawValue: Self.parked | Self.handOff), .starving) }
    return (SmallLockState(rawValue: 0), isParked ? .one : .nobody)
  }

  /// The invariants, for tests and debug builds.
  @usableFromInline package var brokenInvariant: String? {
    if isHandOff, !isParked { return "INV-1" }
    if owner == 0, isParked, !isHandOff { return "INV-2" }
    return nil
  }
}
