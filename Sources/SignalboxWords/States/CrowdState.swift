// CrowdState.swift: who sleeps at a lock, in the word beside its owner. Pure: no atomics, no I/O. The four-byte lock: SmallLockState.
//
//   31                           2   1    0
//  ┌──────────────────────────────┬────┬────┐
//  │            ticket            │ HO │ PK │
//  └──────────────────────────────┴────┴────┘
//  PK      somebody may sleep, and whoever unlocks wakes one
//  HO      a sleeper has waited too long: the next holder is one of those, nobody barges
//  ticket  another one after every wake, so that nobody falls asleep on what was true before it
//
//  INV-1  HO ⇒ PK      whoever asks for the lock sleeps on it

@usableFromInline package struct CrowdState: WordState {
  @usableFromInline package var rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nobody sleeps, and nobody has.
  @inlinable package static var empty: CrowdState { CrowdState(rawValue: 0) }

  @inlinable package static var parked: UInt32 { 1 }
  @inlinable package static var handOff: UInt32 { 2 }
  /// What the ticket counts in.
  @inlinable package static var ticket: UInt32 { 4 }

  @inlinable package var isParked: Bool { rawValue & Self.parked != 0 }
  @inlinable package var isHandOff: Bool { rawValue & Self.handOff != 0 }

  /// Whether such a thread may take the lock if nobody holds it.
  @inlinable package func mayTake(_ patience: LockPatience) -> Bool { !isHandOff || patience == .starving }

  /// The crowd on which a thread may sleep; equal to this one if it is that already.
  @inlinable package func afterAnnounce(_ patience: LockPatience) -> CrowdState {
    CrowdState(rawValue: rawValue | Self.parked | (patience == .starving ? Self.handOff : 0))
  }

  /// A thread has taken the lock. Who has slept cannot know whether others still do; whoever else is starving asks again by himself.
  @inlinable package func afterTake(_ patience: LockPatience) -> CrowdState {
    switch patience {
    case .fresh: self
    case .hasSlept: CrowdState(rawValue: rawValue | Self.parked)
    case .starving: CrowdState(rawValue: rawValue & ~Self.handOff | Self.parked)
    }
  }

  /// The lock has become free: whom to wake for it.
  @inlinable package func afterUnlock() -> (next: CrowdState, wake: LockWake) {
    guard isParked else { return (self, .nobody) }
    if isHandOff { return (CrowdState(rawValue: rawValue &+ Self.ticket), .starving) }
    return (CrowdState(rawValue: (rawValue & ~Self.parked) &+ Self.ticket), .one)
  }

  /// A thread that has slept stops waiting. It may have used up a wake, so the holder has to make another; and it may be the one
  /// the lock is kept for.
  @inlinable package func afterGiveUp(_ patience: LockPatience) -> CrowdState {
    CrowdState(rawValue: (patience == .starving ? rawValue & ~Self.handOff : rawValue) | Self.parked)
  }

  /// The invariant, for tests and debug builds.
  @usableFromInline package var brokenInvariant: String? { isHandOff && !isParked ? "INV-1" : nil }
}

/// How urgently a thread wants a lock.
@usableFromInline package enum LockPatience: Sendable { case fresh, hasSlept, starving }

/// Which sleeping thread is to be woken by a thread that unlocks a lock, or stops waiting for it.
@usableFromInline package enum LockWake: Sendable { case nobody, one, starving }
