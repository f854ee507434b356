// Misuse.swift: the words with which a program is stopped for using Signalbox wrongly, or in which something is merely
// reported; and how they are written: until all is written. The evidence that follows them, and so the way to stop for
// all layers above this one, is SignalboxDiagnosis's (Misuse+Stop.swift).
import CSignalbox
import Glibc

/// Stopping and warning, in one form.
public enum Misuse {
  /// Says what was done wrong, on standard error; what has said it stops the program.
  ///
  /// - Parameter message: what happened, to which object (by label), where, and how to mend it.
  public static func say(_ message: String) { StandardError.write("\(speaker): misuse: \(message)\n") }

  /// Ends the program after one message, without evidence: for this layer.
  static func stopHere(_ message: String) -> Never {
    say(message)
    abortNow()
  }

  /// Ends the program by SIGABRT, after a message was printed. Cores work, and so do the program's crash handlers; the Swift runtime's
  /// backtrace is left out, since the report says more.
  public static func abortNow() -> Never { sb_end() }

  /// Writes one line on standard error and goes on.
  public static func report(_ message: String) { StandardError.write("\(speaker): \(message)\n") }

  /// Finds out who we are, for messages in the child of a fork, where the loader may not be asked any more.
  public static func learnOwnName() { _ = sb_own_library() }

  /// Who speaks: a process may hold two copies of us, a program's own and the library it runs on; the latter gives its name.
  /// No generic code: in the child of a fork another thread may have left the runtime's locks held.
  private static var speaker: String {
    let name = String(cString: sb_own_library())
    return name.isEmpty ? "signalbox" : "signalbox (" + name + ")"
  }
}

/// Raw standard error: no buffer, no allocation beyond the text, survives a closed descriptor.
public enum StandardError {
  /// Writes `text` whole, retrying after signals; an unwritable descriptor is ignored, there is nobody left to tell.
  public static func write(_ text: String) {
    let saved = errno
    defer { errno = saved }
    var copy = text
    copy.withUTF8 { _ = WholeWrite.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }
}

// MARK: writing until all is written

// The one loop of it, for files as well. One attempt, and what may come of it, is Transfers.swift.

/// Writing all bytes to a descriptor that takes them, however often that has to be tried.
///
/// No generic code and no allocation: in the child of a fork another thread may have left the runtime's locks held.
enum WholeWrite {
  /// What happens if whoever reads the other end is gone.
  enum BrokenPipe {
    /// SIGPIPE, as for any program that writes.
    case signals
    /// Only the error EPIPE.
    case fails
  }

  /// Writes all of `bytes`; the error that stopped it, nil if they are written. After a signal it is tried again. For a descriptor that
  /// blocks, or whose EAGAIN is an end.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, brokenPipe: BrokenPipe = .fails) -> SystemError? {
    var written = 0
    while written < bytes.count {
      let (start, count) = (bytes.start + written, bytes.count - written)
      let result = brokenPipe == .fails ? sb_write_quiet(descriptor, start, count) : sb_write(descriptor, start, count)
      if result == Int64(-EINTR) { continue }
      // A device that takes no byte and names no error: there is no room, as far as anybody can tell.
      guard result > 0 else { return SystemError(call: "write", code: result == 0 ? ENOSPC : Int32(-result)) }
      written += Int(result)
    }
    return nil
  }
}
