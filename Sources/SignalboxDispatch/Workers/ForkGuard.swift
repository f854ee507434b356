// ForkGuard.swift: in the child of a fork the threads that run everything do not exist: using queues there stops the program.
import SignalboxSystem

package enum ForkGuard {
  /// Arms the guard once; called before the first thread of ours is made, and when the main queue is first used.
  static func arm() { _ = armed }

  /// What a program does that forks past the C library (by `clone`), before its child uses queues. No effect where none were used.
  package static func markChild() { if Threads.haveBeenMade { Instruments.markForkedChild() } }

  private static let armed: Void = {
    Misuse.learnOwnName()
    Threads.onForkInChild {
      Threads.restoreSignalsInChild()
      Instruments.markForkedChild()
    }
  }()
}
