// Descriptors.swift: what an open descriptor is, and how many bytes it would give or take now. Waiting for it is Poller.swift.
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
