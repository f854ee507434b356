// WholeFiles.swift: a program's own files, read and written whole: who opens one finds the old contents or the new, nothing between.
import Glibc

extension Files {
  /// All bytes of a regular file.
  public static func contents(_ path: RawString) throws(SystemError) -> [UInt8] {
    let file = try FileBytes(path)
    let status = try FileStatus(of: path)
    guard status.kind == .regular else { throw SystemError(call: "read", code: EINVAL) }
    return file.read(at: 0, count: Int(status.identity.size))
  }

  /// Gives the file these contents in one step, or makes it. An existing file keeps its permissions, and its owner and group where the
  /// user may give files to them; a new one is for all to read.
  ///
  /// `path` must not be a symbolic link: the link would be replaced.
  public static func write(_ bytes: [UInt8], to path: RawString) throws(SystemError) {
    let before = try? FileStatus(of: path)
    let (descriptor, made) = fresh(path + ".", mkstemp)
    guard descriptor >= 0 else { throw SystemError(call: "mkstemp", code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    do throws(SystemError) {
      if let error = bytes.withUnsafeBytes({ WholeWrite.write($0, to: descriptor) }) { throw error }
      // Before the permissions: a change of owner takes some of them away.
      if let before { _ = fchown(descriptor, before.owner, before.group) }
      try checkedErrno("fchmod", fchmod(descriptor, before?.permissions ?? 0o644))
      try rename(made, to: path)
      close(descriptor)
    } catch {
      close(descriptor)
      try? removeFile(made)
      throw error
    }
  }
}
