// StallTrigger.swift: descriptors that tell when tasks wait for memory: the kernel's pressure stall information, and counters
// of a control group. What level that makes is decided above.
import CSignalbox
import Glibc

/// The kernel tells when tasks have waited for memory for a share of a time window: at most once per window.
///
/// Closes on exec and with the object. Thread safety: any thread.
public final class StallTrigger: Sendable {
  /// Who waited.
  public enum Share: String, Sendable {
    /// At least one task, while others may have run.
    case some
    /// All tasks that had something to do.
    case full
  }

  /// For a poller: urgent (`Poller.Events.urgent`) when it happened. At an error the file has gone with its group.
  public let descriptor: Int32

  /// Asks for notices when the waiting in a window reaches `stall`.
  ///
  /// - Parameter path: `/proc/pressure/memory`, or a control group's `memory.pressure`.
  /// - Throws: `SystemError`: ENOENT and EOPNOTSUPP without pressure information, EACCES and EPERM where the user may not ask
  ///   (before Linux 6.6 everybody but root), EINVAL for a window that is no multiple of two seconds without CAP_SYS_RESOURCE,
  ///   EMFILE, ENFILE, ENOMEM.
  public init(_ path: RawString, _ share: Share, stall: Duration, window: Duration) throws(SystemError) {
    descriptor = try checked("open", path.withCString { sb_open_private($0, 1) })
    let order = RawString("\(share.rawValue) \(Self.microseconds(stall)) \(Self.microseconds(window))")
    // The kernel takes the last byte for the text's end: the zero is written as well.
    let written = order.withCString { sb_write(descriptor, $0, strlen($0) + 1) }
    guard written >= 0 else { throw SystemError(call: "write", code: Int32(-written)) }
  }

  deinit { close(descriptor) }

  private static func microseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}

/// How often a control group has met its bounds of memory: `memory.events`.
public final class MemoryEvents: Sendable {
  /// The counters that matter.
  public struct Counts: Equatable, Sendable {
    /// Reclaim because of the soft bound `memory.high`, or the hard one `memory.max`.
    public var squeezed: UInt64
    /// The hard bound could not be kept.
    public var exhausted: UInt64
    /// Counts with these values.
    public init(squeezed: UInt64 = 0, exhausted: UInt64 = 0) {
      self.squeezed = squeezed
      self.exhausted = exhausted
    }
    /// Reads the file's text; what is not in it counts as zero.
    public init(_ text: String) {
      self.init()
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count == 2, let value = UInt64(words[1]) else { continue }
        switch words[0] {
        case "high", "max": squeezed &+= value
        case "oom": exhausted &+= value
        default: break
        }
      }
    }
  }

  /// For a poller: urgent when a counter has changed since it was read.
  public let descriptor: Int32

  /// Opens the file. Throws `SystemError`: ENOENT without such a group, EACCES, EMFILE, ENFILE, ENOMEM.
  public init(_ path: RawString) throws(SystemError) {
    descriptor = try checked("open", path.withCString { sb_open_private($0, 0) })
  }
  deinit { close(descriptor) }

  /// The counters now; silences the descriptor until they change. Nil when the group is gone: then it is never silent.
  public func read() -> Counts? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    return count < 0 ? nil : Counts(String(decoding: buffer.prefix(count), as: UTF8.self))
  }
}
