// GrowingFile.swift: a file of our own that lies in memory and grows while it is written: what is in it outlives the process, however
// that ends. Whole texts are appended by PrivateFile.swift.
import CSignalbox
import Glibc

/// A private file, mapped for as long as the process lives.
///
/// Only what `grow` has got may be touched: the file system has set those bytes aside, so that a full disk is a refusal there and
/// never a signal here.
public struct GrowingFile: Sendable {
  /// Why a file is not taken, beside the reasons that any private file has.
  public enum Refusal: Error, CustomStringConvertible {
    /// A symbolic link.
    case link
    /// Another process has it, or this one.
    case inUse
    /// There is something in it that is not ours.
    case holdsOther

    /// In words that follow "because".
    public var description: String {
      switch self {
      case .link: "it is a symbolic link"
      case .inUse: "it is in use, by another process, or in this one by another copy of Signalbox or an earlier recording"
      case .holdsOther: "it holds something else already: name a file that does not exist, or remove that one"
      }
    }
  }

  // SAFETY: mapped for the life of the process; who may touch which bytes when is its users' business.
  /// Where its first byte lies.
  public nonisolated(unsafe) let start: UnsafeMutableRawPointer
  /// The most bytes it may have.
  public let room: Int
  private let descriptor: Int32
  /// It lies in memory alone, by single pages.
  private let isInMemory: Bool

  /// What the file is called now; nil if it has no name any more, or the system does not say.
  public var name: RawString? {
    guard FileFacts(descriptor: descriptor)?.links ?? 0 > 0 else { return nil }
    let name = FileFacts.name(of: descriptor)
    return name.bytes.isEmpty ? nil : name
  }

  /// What is in the file, to be read while it is written: not from memory, so that nobody races with who writes there.
  public func bytes() throws(SystemError) -> FileBytes { try FileBytes(RawString("/proc/self/fd/\(descriptor)")) }

  /// Makes the file at `path`, or takes one that is there and empties it: if it is a regular one, this user's alone, used by nobody, and
  /// empty or `mayReplace` says so of its first eight bytes.
  ///
  /// - Throws: a `Refusal`, a `PrivateFile.Refusal`, or a `SystemError`.
  public init(_ path: String, room: Int, mayReplace: (UInt64) -> Bool) throws {
    let saved = errno
    defer { errno = saved }
    let descriptor = try Self.open(path, mayReplace)
    do {
      guard let start = mmap(nil, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0), start != MAP_FAILED
      else { throw SystemError(call: "mmap", code: errno) }
      (self.start, self.room, self.descriptor) = (start, room, descriptor)
      isInMemory = sb_is_in_memory(descriptor) != 0
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Writes what `body` hands over, piece by piece, into the file at `path`, which is made or emptied under the same conditions.
  ///
  /// `body` is given a function that says whether there is use in going on. A file that could not be written whole is emptied.
  public static func write(
    _ path: String, mayReplace: (UInt64) -> Bool, _ body: (_ write: @escaping ([UInt8]) -> Bool) -> Void
  ) throws {
    let saved = errno
    defer { errno = saved }
    let descriptor = try open(path, mayReplace)
    defer { close(descriptor) }
    var failure: SystemError?
    var size = 0
    let limit = Self.limit
    body { bytes in
      size += bytes.count
      // What goes beyond the limit would be a signal, which ends the program.
      guard size <= limit else {
        failure = SystemError(call: "write", code: EFBIG)
        return false
      }
      failure = bytes.withUnsafeBytes { WholeWrite.write($0, to: descriptor) }
      return failure == nil
    }
    guard let failure else { return }
    _ = ftruncate(descriptor, 0)
    throw failure
  }

  /// Opens the file, which is empty then and used by nobody else.
  private static func open(_ path: String, _ mayReplace: (UInt64) -> Bool) throws -> Int32 {
    // O_NONBLOCK: a pipe without a reader, and a device, are to be refused rather than waited for.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      switch errno {
      case ELOOP: throw Refusal.link
      case ENXIO, EISDIR: throw PrivateFile.Refusal.noFile
      default: throw SystemError(call: "open", code: errno)
      }
    }
    do {
      try PrivateFile.makePrivate(descriptor)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw Refusal.inUse }
      var first: UInt64 = 0
      let count = pread(descriptor, &first, 8, 0)
      guard count == 0 || count == 8 && mayReplace(first) else { throw Refusal.holdsOther }
      try checkedErrno("ftruncate", ftruncate(descriptor, 0))
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Gets `count` bytes from `offset` on, which read as zeros. False: there is no room for them, on the disk or by a limit of the process's.
  public func grow(_ offset: Int, _ count: Int) -> Bool {
    guard offset + count <= room, offset + count <= Self.limit else { return false }
    let saved = errno
    defer { errno = saved }
    var result = posix_fallocate(descriptor, offset, count)
    while result == EINTR { result = posix_fallocate(descriptor, offset, count) }
    guard result == 0 else { return false }
    // Zeros over what reads as zeros, and all pages at once: file systems make few large pieces of what is written in one, and take
    // several times as long over single pages. Where all pages are single anyway, the zeros would cost half a microsecond a page for
    // nothing. Whether it succeeds does not matter.
    var written = isInMemory ? count : 0
    while written < count {
      let more = pwrite(descriptor, Self.zeros, min(count - written, Self.zeroCount), offset + written)
      if more <= 0 { break }
      written += more
    }
    _ = madvise(start + offset, count, 23)  // MADV_POPULATE_WRITE: kernels before 5.14 do not know it
    return true
  }

  // SAFETY: for the life of the process; nobody writes there.
  private static nonisolated(unsafe) let zeros = calloc(1, zeroCount)
  private static let zeroCount = 262_144

  /// How long a file may become: writing beyond is a signal.
  private static var limit: Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(1), &limits) == 0 else { return .max }  // RLIMIT_FSIZE
    return limits.rlim_cur > UInt64(Int.max) ? .max : Int(limits.rlim_cur)
  }
}
