// OwnProcess.swift: what this process may ask of the kernel for itself. Others are ChildProcess.swift.
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
