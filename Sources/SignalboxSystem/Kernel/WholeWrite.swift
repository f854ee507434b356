// WholeWrite.swift: writing until all is written: the one loop of it. One attempt, and what may come of it, is Transfers.swift.
import CSignalbox
import Glibc

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
