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

/// Where the control group of this process is to be found.
public enum ControlGroup {
  /// The folder of the process's group in the second version's hierarchy; nil where there is none. In a container that
  /// is the hierarchy's visible root.
  public static func ownFolder() -> RawString? {
    guard let groups = Files.text("/proc/self/cgroup"), let mounts = Files.text("/proc/self/mountinfo") else { return nil }
    return folder(groups: groups, mounts: mounts).map { RawString($0) }
  }

  /// The same from the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`. Pure.
  static func folder(groups: String, mounts: String) -> String? {
    guard let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else { return nil }
    for line in mounts.split(separator: "\n") {
      let parts = line.split(separator: " ")
      // Number, parent, device, the part of the file system that is mounted, where; behind a dash its kind.
      guard let dash = parts.firstIndex(of: "-"), dash + 1 < parts.count, dash >= 5, parts[dash + 1] == "cgroup2" else {
        continue
      }
      guard let inside = relative(String(own), below: String(parts[3])) else { continue }
      return unescaped(String(parts[4])) + inside
    }
    return nil
  }

  /// The rest of the path below a folder, empty or beginning with a slash; nil if it is not below it.
  private static func relative(_ path: String, below root: String) -> String? {
    if path == root { return "" }
    if root == "/" { return path }
    return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count)) : nil
  }

  /// Blanks, tabs, line ends and backslashes stand as three octal digits.
  private static func unescaped(_ text: String) -> String {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) {
        result.append(value)
        rest = rest.dropFirst(3)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
