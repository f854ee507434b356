// ForkGuard.swift: in the child of a fork the threads that run everything do not exist: using queues there stops the program.

/// Notices forks, for a library whose threads a child does not have.
public enum ForkGuard {
  /// Arms the guard once: called before each thread is made that serves the program. A child has all it needs until the first of them:
  /// a queue that is only named, or filled on the main thread, has none. Threads of the diagnosis do not count: a child is without.
  public static func arm() { _ = armed }

  /// What a program does that forks past the C library (by `clone`), before its child uses queues. No effect where none were used.
  public static func markChild() { if Threads.haveBeenMade { Instruments.markForkedChild() } }

  private static let armed: Void = {
    Misuse.learnOwnName()
    Threads.onForkInChild {
      Threads.restoreSignalsInChild()
      Instruments.markForkedChild()
    }
  }()
}
