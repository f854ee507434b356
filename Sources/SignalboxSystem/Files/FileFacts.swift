// FileFacts.swift: what the system says of the file behind a descriptor, whatever its name is now. By path: Files.swift.
import CSignalbox
import Glibc

/// A file's metadata at one moment.
public struct FileFacts: Equatable, Sendable {
  /// What it is.
  public enum Kind: Sendable {
    /// Contents: a file, a device, a pipe.
    case file
    /// Entries.
    case folder
    /// No object of a file system: a socket, an event, a process.
    case none
  }
  /// What one file has, and no other while it exists.
  public struct Identity: Equatable, Hashable, Sendable {
    /// The file system's device.
    public var device: UInt64
    /// The file's number in it.
    public var number: UInt64
    /// An identity with these parts.
    public init(device: UInt64, number: UInt64) {
      self.device = device
      self.number = number
    }
  }

  /// What it is.
  public var kind: Kind
  /// Which it is.
  public var identity: Identity
  /// How many names it has; of a folder, on most file systems, two more than folders in it, and 0 once it is removed.
  public var links: UInt64
  /// Bytes.
  public var size: Int64
  /// Permissions and kind.
  public var mode: UInt32
  /// Who owns it.
  public var owner: UInt32
  /// The group it belongs to.
  public var group: UInt32
  /// When the contents changed last, in nanoseconds.
  public var modified: Int64
  /// When anything changed last, in nanoseconds.
  public var changed: Int64

  /// Facts with these parts.
  public init(
    kind: Kind, identity: Identity, links: UInt64 = 1, size: Int64 = 0, mode: UInt32 = 0o644, owner: UInt32 = 0,
    group: UInt32 = 0, modified: Int64 = 0, changed: Int64 = 0
  ) {
    self.kind = kind
    self.identity = identity
    self.links = links
    self.size = size
    self.mode = mode
    self.owner = owner
    self.group = group
    self.modified = modified
    self.changed = changed
  }

  /// Asks the system; nil if the descriptor is not open.
  public init?(descriptor: Int32) {
    var raw = stat()
    // EBADF. Others (ENOMEM, EOVERFLOW, EIO of a network) tell as little.
    guard fstat(descriptor, &raw) == 0 else { return nil }
    func nanoseconds(_ time: Glibc.timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
    self.init(
      kind: Self.kind(raw.st_mode), identity: Identity(device: UInt64(raw.st_dev), number: UInt64(raw.st_ino)),
      links: UInt64(raw.st_nlink), size: Int64(raw.st_size), mode: raw.st_mode, owner: raw.st_uid, group: raw.st_gid,
      modified: nanoseconds(raw.st_mtim), changed: nanoseconds(raw.st_ctim))
  }

  private static func kind(_ mode: UInt32) -> Kind {
    switch mode & S_IFMT {
    case S_IFDIR: .folder
    case S_IFREG, S_IFIFO, S_IFCHR, S_IFBLK, S_IFLNK: .file
    default: .none
    }
  }

  /// The name that the descriptor was opened by, as it is now; empty if the system does not say.
  public static func name(of descriptor: Int32) -> RawString {
    (try? Files.readLink(RawString("/proc/self/fd/\(descriptor)"))) ?? ""
  }
}

/// What the program has mounted.
public enum Mounts {
  /// A table of mounts, which tells a poller (as an error) when it has changed.
  public final class Table: Sendable {
    /// For a poller; not to be read.
    public let descriptor: Int32
    /// Opens the program's own table.
    public init() throws(SystemError) { descriptor = try checked("open", sb_open_private("/proc/self/mountinfo", 0)) }
    deinit { close(descriptor) }
    /// Takes note of a change: the descriptor is silent until the next.
    public func clear() { _ = sb_poll_now(descriptor, Int32(POLLPRI)) }
  }

  /// The number of the mount that the descriptor was opened through; nil before Linux 5.8.
  public static func number(of descriptor: Int32) -> UInt64? {
    var number: UInt64 = 0
    return sb_mount_of(descriptor, &number) < 0 ? nil : number
  }

  /// The numbers of all mounts; nil if the table cannot be read.
  public static func numbers() -> Set<UInt64>? {
    guard let text = Files.text("/proc/self/mountinfo") else { return nil }
    return Set(text.split(separator: "\n").compactMap { line in line.split(separator: " ").first.flatMap { UInt64($0) } })
  }
}

extension Files {
  /// How many threads of the machine ran or wanted to, on average over the last minute; nil where the kernel does not say.
  public static var machineLoad: Double? { text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) } }

  /// All of a file of the system's, as under /proc; nil if it cannot be read.
  public static func text(_ path: RawString) -> String? {
    let descriptor = path.withCString { sb_open_private($0, 0) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = sb_read(descriptor, &buffer, buffer.count)
      if count == Int64(-EINTR) { continue }
      guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
      bytes += buffer[..<Int(count)]
    }
  }
}
