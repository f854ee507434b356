// PrivateFile.swift: writing evidence to a file that the user named: nobody else may read it, and no link is followed.
import CSignalbox
import Glibc

/// Files of our own, mode 0600.
public enum PrivateFile {
  /// Appends `text` to the file at `path`, which is made if it is absent; `path` itself must not be a symbolic link.
  ///
  /// - Throws: `SystemError` when the file cannot be opened or written whole.
  public static func append(_ text: String, to path: String) throws(SystemError) {
    let saved = errno
    defer { errno = saved }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw SystemError(call: "open", code: errno) }
    defer { close(descriptor) }
    let bytes = [UInt8](text.utf8)
    var sent = 0
    while sent < bytes.count {
      let result = bytes.withUnsafeBytes { sb_write_quiet(descriptor, $0.baseAddress! + sent, bytes.count - sent) }
      if result == Int64(-EINTR) { continue }
      guard result > 0 else { throw SystemError(call: "write", code: Int32(-result)) }
      sent += Int(result)
    }
  }
}
