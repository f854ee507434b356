// LockPatience.swift: what steps of a lock's word go by of the thread that wants it, and which sleeping thread they say is to be woken.

/// How urgently a thread wants a lock.
@usableFromInline package enum LockPatience: Sendable { case fresh, hasSlept, starving }

/// Which sleeping thread is to be woken by a thread that unlocks a lock, or stops waiting for it.
@usableFromInline package enum LockWake: Sendable { case nobody, one, starving }
