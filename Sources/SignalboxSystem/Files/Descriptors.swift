// Descriptors.swift: open descriptors: what one is, how many bytes it would give or take now, how they are made, and
// whether there is room for more. Reading and writing is Transfers.swift, waiting for a descriptor Poller.swift.
import CSignalbox
import Glibc

/// What an open descriptor names.
public struct DescriptorStatus: Equatable, Sendable {
  /// What kind of file it is.
  public enum Kind: Sendable {
    /// Bytes on a disk or in memory.
    case regular
    /// A pipe, with or without a name.
    case pipe
    /// A socket.
    case socket
    /// The device that takes everything and gives nothing.
    case null
    /// Anything else: terminals, other devices, folders, descriptors for events.
    case other
  }

  /// What kind of file it is.
  public let kind: Kind
  /// Of a regular file: how many bytes it has.
  public let size: Int64
  private let device: UInt64
  private let inode: UInt64

  /// Asks the system; nil when there is no such open descriptor.
  public init?(of descriptor: Int32) {
    var status = sb_status()
    // EBADF: not open. Others (ENOMEM, EOVERFLOW, a broken network disk): nothing is known of the file.
    guard sb_status(descriptor, &status) == 0 else { return nil }
    (device, inode, size) = (status.device, status.inode, status.size)
    kind =
      switch mode_t(status.kind) {
      case S_IFREG: .regular
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      case S_IFCHR where status.special == 0x103: .null
      default: .other
      }
  }

  /// Whether both are the same file, as far as the system tells: all event descriptors seem the same.
  public func isSameFile(as other: DescriptorStatus) -> Bool { device == other.device && inode == other.inode }

  /// Estimates how many bytes can be read. 1 where the system does not count, and something is there.
  public func readableBytes(of descriptor: Int32) -> UInt {
    switch kind {
    case .regular: return UInt(max(0, size - max(0, sb_offset(descriptor))))
    case .null: return 0
    case .pipe, .socket, .other:
      let count = sb_bytes_readable(descriptor)
      return count >= 0 ? UInt(count) : 1  // EINVAL, ENOTTY: a listening socket, a descriptor for events
    }
  }

  /// Estimates how many bytes can be written without waiting. 1 where the system does not count.
  public func writableBytes(of descriptor: Int32) -> UInt {
    let (room, used): (Int32, Int32) =
      switch kind {
      case .pipe: (sb_pipe_capacity(descriptor), sb_bytes_readable(descriptor))
      case .socket: (sb_send_buffer(descriptor), sb_bytes_unsent(descriptor))
      case .regular, .null, .other: (1, 0)
      }
    return room > 0 && used >= 0 && room > used ? UInt(room - used) : 1
  }
}

/// One poll of a descriptor, without waiting.
public enum DescriptorReadiness {
  /// Whether reading would not wait now: bytes, the end of the stream, or an error. False for a number that is no descriptor.
  public static func isReadable(_ descriptor: Int32) -> Bool { look(descriptor, POLLIN) }
  /// Whether writing would not wait now: room, or an error. False for a number that is no descriptor.
  public static func isWritable(_ descriptor: Int32) -> Bool { look(descriptor, POLLOUT) }

  private static func look(_ descriptor: Int32, _ events: Int32) -> Bool {
    // poll's errors are a signal and no memory: not ready then, and asked again at the next event.
    let seen = sb_poll_now(descriptor, Int32(events))
    return seen > 0 && seen & (Int32(events) | Int32(POLLHUP) | Int32(POLLERR)) != 0
  }
}

// MARK: pipes, and how files are opened

/// open(2)'s flags, named here so that upper layers need no C library import. They are added up.
public enum OpenFlag {
  /// To read only.
  public static let read = O_RDONLY
  /// To write only.
  public static let write = O_WRONLY
  /// To read and to write.
  public static let readWrite = O_RDWR
  /// A file that is absent is made.
  public static let create = O_CREAT
}

/// Both ends of a pipe. Whoever has it closes them, each once.
public struct PipeEnds: Sendable {
  /// What was written comes out here.
  public let reading: Int32
  /// Goes in here.
  public let writing: Int32

  /// A new pipe, closed on exec.
  ///
  /// - Throws: `SystemError`: `EMFILE` or `ENFILE` where there are no descriptors left.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try checked("pipe2", sb_pipe(&ends))
    (reading, writing) = (ends[0], ends[1])
  }
}

// MARK: room for more

// Asked before another library's call that opens some and stops the program when it cannot. Signalbox's own calls
// throw or wait instead (EventDescriptors.swift, Poller.swift).

/// Room for descriptors of others.
public enum DescriptorRoom {
  /// More than are asked for, as a rule: another thread would have to take all of them between the check and the call.
  private static let spare = 4

  /// Calls `body`, which opens up to `count` descriptors, unless the process has no such number left.
  ///
  /// The check is one moment's: descriptors are opened for it, and closed just before `body`.
  /// - Throws: `SystemError`, without having called `body`: `EMFILE`, `ENFILE`, `ENOMEM`.
  public static func call(needing count: Int, _ body: () -> Void) throws(SystemError) {
    var taken: [Int32] = []
    taken.reserveCapacity(count + spare)
    var refusal: SystemError?
    while refusal == nil, taken.count < count + spare {
      do { taken.append(try checked("eventfd", sb_eventfd())) } catch { refusal = error }
    }
    for descriptor in taken { close(descriptor) }
    if taken.count < count, let refusal { throw refusal }
    body()
  }
}
