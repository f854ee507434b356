// OwnProcess.swift: what this process may ask of the kernel for itself. Others are ChildProcess.swift.
import CSignalbox
import Glibc

/// What a process may ask for itself.
public enum OwnProcess {
  /// This process is killed when the thread that started it ends. For children that might hang.
  public static func endWithParent() { _ = sb_end_with_parent() }  // an old kernel refuses: the parent's deadline remains

  /// This process leaves no core file.
  public static func leaveNoCore() { _ = sb_leave_no_core() }  // may only be lowered, which is always allowed

  /// Programs that this process starts from here on lie at the same addresses each time. False where that is refused.
  public static func fixAddressesOfChildren() -> Bool { sb_fix_addresses() >= 0 }

  /// Writes all of `text` to standard output at once, without a buffer in between.
  public static func write(_ text: String) {
    var copy = text
    copy.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let base = rest.baseAddress, !rest.isEmpty {
        let written = sb_write(STDOUT_FILENO, base, rest.count)
        if written == Int64(-EINTR) { continue }
        guard written > 0 else { return }  // whoever reads it is gone: nobody left to tell
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(written)))
      }
    }
  }
}
