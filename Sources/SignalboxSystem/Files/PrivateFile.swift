// PrivateFile.swift: writing evidence to a file that the user named: nobody else may read it, no link is followed, and nothing that
// could make the writer wait is taken for a file.
import CSignalbox
import Glibc

/// Files of our own, mode 0600.
public enum PrivateFile {
  /// Appends `text` to the file at `path`, which is made if it is absent. The file is this user's alone afterwards, whatever its mode
  /// was before.
  ///
  /// `path` must not be a symbolic link, a pipe or a device, nor another user's file, nor a file with a second name: what is written
  /// would be somebody else's to read, or nobody's for as long as no reader comes.
  ///
  /// - Throws: a `Refusal`, or `SystemError` when the file cannot be opened or written whole.
  public static func append(_ text: String, to path: String) throws {
    let saved = errno
    defer { errno = saved }
    // O_NONBLOCK: opening a pipe without a reader fails instead of waiting for one. Regular files know nothing of it.
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw errno == ENXIO ? Refusal.noFile : SystemError(call: "open", code: errno) }
    defer { close(descriptor) }
    try makePrivate(descriptor)
    var copy = text
    if let error = copy.withUTF8({ WholeWrite.write(UnsafeRawBufferPointer($0), to: descriptor) }) { throw error }
  }

  /// Writes what `body` hands over, piece by piece, in place of what the file at `path` holds; under the same conditions as `append`.
  ///
  /// `body` is given a function that says whether there is use in going on.
  public static func replace(_ path: String, _ body: (_ write: @escaping ([UInt8]) -> Bool) -> Void) throws {
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw errno == ENXIO ? Refusal.noFile : SystemError(call: "open", code: errno) }
    defer { close(descriptor) }
    try makePrivate(descriptor)
    // A recording that is being written lies in somebody's memory, and must not be cut.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw GrowingFile.Refusal.inUse }
    try checkedErrno("ftruncate", ftruncate(descriptor, 0))
    var failure: SystemError?
    body { bytes in
      failure = bytes.withUnsafeBytes { WholeWrite.write($0, to: descriptor) }
      return failure == nil
    }
    if let failure { throw failure }
  }

  /// Why a file is not written to.
  public enum Refusal: Error, CustomStringConvertible {
    /// A pipe, a device, a socket.
    case noFile
    /// Another user's.
    case anothers(UInt32)
    /// There are other names for it, in folders that others may read.
    case otherNames

    /// In words that follow "because".
    public var description: String {
      switch self {
      case .noFile: "it is no regular file"
      case .anothers(let user): "it belongs to user \(user)"
      case .otherNames: "it has more than one name (hard links)"
      }
    }
  }

  static func makePrivate(_ descriptor: Int32) throws {
    var status = stat()
    try checkedErrno("fstat", fstat(descriptor, &status))
    guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal.noFile }
    guard status.st_uid == geteuid() else { throw Refusal.anothers(status.st_uid) }
    guard status.st_nlink <= 1 else { throw Refusal.otherNames }
    if status.st_mode & 0o7777 != 0o600 { try checkedErrno("fchmod", fchmod(descriptor, 0o600)) }
  }
}
