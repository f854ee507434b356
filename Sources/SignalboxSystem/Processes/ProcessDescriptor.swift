// ProcessDescriptor.swift: a process held by a descriptor, which names it and no other when its number is given to somebody else.
import CSignalbox
import Glibc

/// A process of this machine, ours or not: tells when it has ended, and leaves its status to whoever waits for it.
///
/// Thread safety: any thread. The descriptor closes on exec and with the object.
public final class ProcessDescriptor: Sendable {
  /// For a poller: readable from the process's end on, before and after it has been waited for. Not to be read or closed.
  public let descriptor: Int32
  /// The process's number when it was opened.
  public let id: Int32

  /// Opens the process of that number, which may have ended already unless it was waited for.
  ///
  /// - Returns: nil if there is no process of that number: it is gone, or there never was one, or the number is a thread's.
  /// - Throws: `SystemError` when there is no descriptor or no memory, or the kernel lacks the call (before Linux 5.3) or a
  ///   filter refuses it.
  public static func open(_ id: Int32) throws(SystemError) -> ProcessDescriptor? {
    let descriptor = sb_pidfd_open(id)
    switch -descriptor {
    case ...0: return ProcessDescriptor(descriptor, id)
    // EINVAL and, on newer kernels, ENOENT: a thread that is not its process's first, or no number of a process at all.
    case ESRCH, EINVAL, ENOENT: return nil
    default: throw SystemError(call: "pidfd_open", code: -descriptor)
    }
  }

  private init(_ descriptor: Int32, _ id: Int32) {
    self.descriptor = descriptor
    self.id = id
  }

  deinit { close(descriptor) }

  /// Whether all of its threads have ended. Its status may still be waiting for its parent.
  public var hasEnded: Bool { sb_poll_now(descriptor, Int32(POLLIN)) & Int32(POLLIN) != 0 }

  /// Waits until all of its threads have ended, at most so long. False: it has not ended yet.
  public func awaitEnd(milliseconds: Int32) -> Bool {
    var descriptors: [Int32] = [descriptor, -1]
    return sb_poll_readable(&descriptors, milliseconds) > 0
  }

  /// The number of the calling process.
  public static var own: Int32 { getpid() }
}
