// ForkGuard.swift: in the child of a fork the threads that run everything do not exist: using queues there stops the program.

/// Notices forks, for a library whose threads a child does not have.
public enum ForkGuard {
  /// Arms the guard once: called before each thread is made that serves the program. A child has all it needs until the first of them:
  /// a queue that is only named, or filled on the main thread, has none. Threads of the diagnosis do not count: a child is without.
  public static func arm() { _ = armed }

  /// What a program does that forks past the C library (by `clone`), before its child uses queues. No effect in a child of a process that
  /// never armed the guard.
  public static func markChild() { if isArmed.load() == 1 { Instruments.markForkedChild() } }

  // 1: armed. relaxed: nothing is read through it; stored before the first thread is made, and a child has the copy of its parent's one thread.
  private static let isArmed = Relaxed32(0)

  private static let armed: Void = {
    Misuse.learnOwnName()
    Threads.onForkInChild {
      Threads.restoreSignalsInChild()
      Instruments.markForkedChild()
    }
    isArmed.store(1)
  }()
}
