// FileNotices.swift: the kernel's notices about files and folders (inotify). What they mean for one file is decided above.
import CSignalbox
import Glibc

/// One inotify instance. An inotify watch is per file, not per name: the same file gives the same one.
///
/// Thread safety: any thread; each notice goes to one reader. Closes on exec and with the object.
public final class FileNotices: Sendable {
  /// The events to monitor, and those that a notice reports.
  public struct Bits: OptionSet, Sendable, Hashable {
    /// The inotify bits.
    public let rawValue: UInt32
    /// Creates the set from inotify bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Contents or size.
    public static let modified = Bits(rawValue: 0x2)
    /// Metadata, among them the number of names.
    public static let attributes = Bits(rawValue: 0x4)
    /// A folder has lost an entry by a rename.
    public static let movedOut = Bits(rawValue: 0x40)
    /// A folder has got an entry by a rename.
    public static let movedIn = Bits(rawValue: 0x80)
    /// A folder has a new entry.
    public static let created = Bits(rawValue: 0x100)
    /// A folder has lost an entry.
    public static let deleted = Bits(rawValue: 0x200)
    /// The file itself is gone, and so is the last descriptor of it.
    public static let selfDeleted = Bits(rawValue: 0x400)
    /// The file itself was renamed.
    public static let selfMoved = Bits(rawValue: 0x800)
    /// Its file system is gone.
    public static let unmounted = Bits(rawValue: 0x2000)
    /// Notices were lost; of no particular inotify watch.
    public static let overflow = Bits(rawValue: 0x4000)
    /// The inotify watch has ended.
    public static let ended = Bits(rawValue: 0x8000)
    /// What it happened to is a folder.
    public static let isFolder = Bits(rawValue: 0x4000_0000)
    static let onlyFolders = Bits(rawValue: 0x0100_0000)
    static let widened = Bits(rawValue: 0x2000_0000)
  }

  /// One notice.
  public struct Notice: Equatable, Sendable {
    /// The inotify watch that it belongs to.
    public var watch: Int32
    /// What happened.
    public var bits: Bits
    /// It happened to an entry of the monitored folder, not to the folder itself.
    public var isOfEntry: Bool
    /// A notice with these parts.
    public init(watch: Int32, bits: Bits, isOfEntry: Bool) {
      self.watch = watch
      self.bits = bits
      self.isOfEntry = isOfEntry
    }
  }

  /// What becomes of bits that are monitored for the file already.
  public enum Others: Sendable {
    /// They stay.
    case kept
    /// They go.
    case replaced
  }

  /// For a poller: readable while notices wait.
  public let descriptor: Int32

  /// Opens the instance.
  ///
  /// - Throws: `SystemError`: EMFILE when the process has no descriptor or the user no instance left, ENFILE, ENOMEM.
  public init() throws(SystemError) { descriptor = try checked("inotify_init1", sb_inotify_open()) }
  deinit { close(descriptor) }

  /// Monitors the file behind a descriptor.
  ///
  /// - Returns: the inotify watch: its number is not given to another file while this instance lives.
  /// - Throws: `SystemError`: EACCES when the file may not be read, ENOSPC when the user has no inotify watch left, ENOMEM, ENOENT when
  ///   the descriptor is closed.
  public func add(_ file: Int32, _ bits: Bits, others: Others) throws(SystemError) -> Int32 {
    let mask = others == .kept ? bits.union(.widened) : bits
    return try checked("inotify_add_watch", sb_inotify_add(descriptor, "/proc/self/fd/\(file)", mask.rawValue))
  }

  /// Monitors the folder that the folder behind a descriptor is in. Throws as `add`.
  public func addParent(_ folder: Int32, _ bits: Bits) throws(SystemError) -> Int32 {
    let mask = bits.union([.onlyFolders, .widened])
    return try checked("inotify_add_watch", sb_inotify_add(descriptor, "/proc/self/fd/\(folder)/..", mask.rawValue))
  }

  /// Ends an inotify watch, if the kernel has not.
  public func remove(_ watch: Int32) { _ = sb_inotify_remove(descriptor, watch) }  // EINVAL: it has

  /// Takes the notices that wait.
  public func read(_ body: (Notice) -> Void) {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
      while true {
        let count = sb_read(descriptor, buffer.start, buffer.count)
        if count == Int64(-EINTR) { continue }
        guard count > 0 else { return }  // EAGAIN: none wait
        FileNotices.parse(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]), body)
      }
    }
  }

  /// Takes notices apart; one that is cut short is left out. Pure.
  static func parse(_ bytes: UnsafeRawBufferPointer, _ body: (Notice) -> Void) {
    var start = 0
    while start + 16 <= bytes.count {
      let watch = bytes.loadUnaligned(fromByteOffset: start, as: Int32.self)
      let bits = Bits(rawValue: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
      let nameLength = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
      guard start + 16 + nameLength <= bytes.count else { return }
      body(Notice(watch: watch, bits: bits, isOfEntry: nameLength > 0))
      start += 16 + nameLength
    }
  }
}
