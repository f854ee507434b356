// Transfers.swift: reading and writing descriptors of others, and opening files for them. What a descriptor is and how much it
// holds is Descriptors.swift; files of our own are Files.swift.
import CSignalbox
public import Glibc

/// A position in a file, named here so that upper layers need no C library import.
public typealias off_t = Glibc.off_t
/// The permission bits of a file, named here so that upper layers need no C library import.
public typealias mode_t = Glibc.mode_t

/// What a descriptor leads to, as far as reading and writing differ.
public enum DescriptorKind: Sendable, Equatable {
  /// A file or block device: always ready, has positions.
  case file
  /// A folder: neither read nor written.
  case folder
  /// A socket.
  case socket
  /// A pipe, a terminal, a device, a descriptor of an event: ready when somebody has done something.
  case stream
}

/// What one attempt to read or write gave.
public enum Transfer: Sendable, Equatable {
  /// The number of bytes moved: at least one, or 0 for an empty write.
  case moved(Int)
  /// Nothing is there, or there is no room: the descriptor will tell (`EAGAIN`).
  case wouldBlock
  /// There will be no more bytes.
  case end
  /// It failed with this `errno` value.
  case failed(Int32)
}

/// Calls on descriptors. Thread safety: any thread.
public enum Descriptors {
  /// Bytes to be written that lie in one place; as many as `pieceLimit` go into one call.
  public typealias Piece = sb_piece
  /// The most pieces of one write.
  public static let pieceLimit = Int(SB_PIECES)

  /// What it leads to.
  ///
  /// - Throws: `SystemError`, `EBADF` for a number that is no descriptor.
  public static func kind(of descriptor: Int32) throws(SystemError) -> DescriptorKind {
    var status = sb_status()
    try checked("fstat", sb_status(descriptor, &status))
    return switch mode_t(status.kind) {
    case S_IFREG, S_IFBLK: .file
    case S_IFDIR: .folder
    case S_IFSOCK: .socket
    default: .stream
    }
  }

  /// The file pointer.
  ///
  /// - Throws: `SystemError`: `EBADF`, `ESPIPE` where there are no positions.
  public static func position(of descriptor: Int32) throws(SystemError) -> Int64 {
    let position = sb_offset(descriptor)
    guard position >= 0 else { throw SystemError(call: "lseek", code: Int32(-position)) }
    return position
  }

  /// Opens a file; `flags` and `mode` are open(2)'s, and nothing is added to them. May wait as long as open(2) may.
  ///
  /// - Throws: `SystemError` with any error of open(2) but `EINTR`, after which it is tried again.
  public static func open(_ path: RawString, flags: Int32, mode: mode_t) throws(SystemError) -> Int32 {
    while true {
      let descriptor = path.withCString { sb_open($0, flags, mode) }
      if descriptor == -EINTR { continue }
      return try checked("open", descriptor)
    }
  }

  /// Closes it. Errors are those of earlier writes, or the caller's number was wrong: the descriptor is gone in either case.
  public static func close(_ descriptor: Int32) { _ = sb_close(descriptor) }

  /// Has reads and writes answer at once (`O_NONBLOCK`) for everybody who shares the open file.
  ///
  /// - Returns: whether that was changed; false as well where the flags cannot be changed.
  public static func stopBlocking(_ descriptor: Int32) -> Bool {
    let flags = sb_status_flags(descriptor)
    guard flags >= 0, flags & O_NONBLOCK == 0 else { return false }
    return sb_set_status_flags(descriptor, flags | O_NONBLOCK) >= 0
  }

  /// Takes `stopBlocking` back; no effect on a descriptor that is closed.
  public static func blockAgain(_ descriptor: Int32) {
    let flags = sb_status_flags(descriptor)
    if flags >= 0 { _ = sb_set_status_flags(descriptor, flags & ~O_NONBLOCK) }
  }

  /// One read of at most `count` bytes, at least one, from `offset`, or from the file pointer on.
  public static func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, count: Int, offset: Int64?
  ) -> Transfer {
    outcome { sb_read_at(descriptor, buffer, count, offset ?? -1) }
  }

  /// One write of at most `pieceLimit` pieces to `offset`, or to the file pointer. Raises no SIGPIPE: a peer that is gone is
  /// `EPIPE`.
  public static func write(
    _ descriptor: Int32, _ kind: DescriptorKind, _ pieces: UnsafeBufferPointer<Piece>, offset: Int64?
  ) -> Transfer {
    guard let base = pieces.baseAddress, !pieces.isEmpty else { return .moved(0) }
    let how =
      switch kind {
      case .file, .folder: SB_WRITE_PLAIN
      case .socket: SB_WRITE_SOCKET
      case .stream: SB_WRITE_QUIET
      }
    let transfer = outcome {
      sb_write_pieces(descriptor, base, Int32(pieces.count), offset ?? -1, Int32(how))
    }
    // A device that takes no byte and names no error: there is no room, as far as anybody can tell.
    return transfer == .end ? .failed(ENOSPC) : transfer
  }

  /// The sorts of result: bytes, none, an error that passes, an error that stays. After a signal it is tried again.
  @inline(__always) private static func outcome(_ attempt: () -> Int64) -> Transfer {
    while true {
      let result = attempt()
      if result > 0 { return .moved(Int(result)) }
      switch Int32(truncatingIfNeeded: -result) {
      case 0: return .end
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      case let code: return .failed(code)
      }
    }
  }
}

extension ErrorNumber {
  /// `ECANCELED`: given up before it was done.
  public static let cancelled = ECANCELED
  /// `EINVAL`: no such position, no such kind.
  public static let invalid = EINVAL
  /// `EISDIR`: a folder has no bytes.
  public static let isFolder = EISDIR
  /// `ENOMEM`: no memory for the bytes.
  public static let noMemory = ENOMEM
}
