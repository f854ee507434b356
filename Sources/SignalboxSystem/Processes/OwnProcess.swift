// OwnProcess.swift: this process: what it may ask of the kernel for itself, and its forks, in whose child the threads
// that run everything do not exist. Others are ChildProcess.swift.
import CSignalbox
import Glibc

/// What a process may ask for itself.
public enum OwnProcess {
  /// The process's identifier.
  public static var id: Int32 { getpid() }

  /// This process is killed when the thread that started it ends. For children that might hang.
  public static func endWithParent() { _ = sb_end_with_parent() }  // an old kernel refuses: the parent's deadline remains

  /// This process leaves no core file.
  public static func leaveNoCore() { _ = sb_leave_no_core() }  // may only be lowered, which is always allowed

  /// Programs that this process starts from here on lie at the same addresses each time. False where that is refused.
  public static func fixAddressesOfChildren() -> Bool { sb_fix_addresses() >= 0 }

  /// Whether standard error is a terminal, so that a person may be reading along.
  public static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
  /// The same of standard output.
  public static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes all of `text` to standard output at once, without a buffer in between. False: it could not be written. Mostly whoever reads it
  /// is gone, and SIGPIPE is ignored; nobody is left to tell, but who goes on writing may stop.
  @discardableResult public static func write(_ text: String) -> Bool {
    var copy = text
    return copy.withUTF8 { WholeWrite.write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO, brokenPipe: .signals) == nil }
  }
}

// MARK: the child of a fork: using queues there stops the program

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
