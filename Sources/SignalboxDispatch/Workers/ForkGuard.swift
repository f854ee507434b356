// ForkGuard.swift: in the child of a fork the threads that run everything do not exist: using queues there stops the program.
import SignalboxSystem

enum ForkGuard {
  /// Arms the guard once; called before the first thread of ours is made, and when the main queue is first used.
  static func arm() { _ = armed }

  private static let armed: Void = {
    Misuse.learnOwnName()
    Threads.onForkInChild {
      Threads.restoreSignalsInChild()
      Instruments.markForkedChild()
    }
  }()
}
