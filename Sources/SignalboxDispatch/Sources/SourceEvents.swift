// SourceEvents.swift: the sets of events that sources of some kinds are made for, and report; the bits are the C constants'.

extension DispatchSource {
  /// Events of a file, directory or other object of a file system.
  public struct FileSystemEvent: OptionSet, Sendable {
    /// The bits, with the values of the C constants.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The object's last name was removed.
    public static let delete = FileSystemEvent(rawValue: 0x1)
    /// The object's contents changed.
    public static let write = FileSystemEvent(rawValue: 0x2)
    /// The object grew.
    public static let extend = FileSystemEvent(rawValue: 0x4)
    /// The object's metadata changed.
    public static let attrib = FileSystemEvent(rawValue: 0x8)
    /// The object's link count changed.
    public static let link = FileSystemEvent(rawValue: 0x10)
    /// The object was renamed.
    public static let rename = FileSystemEvent(rawValue: 0x20)
    /// Access to the object was revoked, or its file system was unmounted.
    public static let revoke = FileSystemEvent(rawValue: 0x40)
    /// The object was unlocked.
    public static let funlock = FileSystemEvent(rawValue: 0x100)
    /// All events.
    public static let all: FileSystemEvent = [.delete, .write, .extend, .attrib, .link, .rename, .revoke, .funlock]
  }

  /// Events of a process.
  public struct ProcessEvent: OptionSet, Sendable {
    /// The bits, with the values of the C constants.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The process ended.
    public static let exit = ProcessEvent(rawValue: 0x8000_0000)
    /// The process made a child process.
    public static let fork = ProcessEvent(rawValue: 0x4000_0000)
    /// The process replaced its program.
    public static let exec = ProcessEvent(rawValue: 0x2000_0000)
    /// The process received a signal.
    public static let signal = ProcessEvent(rawValue: 0x0800_0000)
    /// All events.
    public static let all: ProcessEvent = [.exit, .fork, .exec, .signal]
  }

  /// Levels of memory pressure.
  public struct MemoryPressureEvent: OptionSet, Sendable {
    /// The bits, with the values of the C constants.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Memory is plentiful again.
    public static let normal = MemoryPressureEvent(rawValue: 0x1)
    /// Memory has become scarce.
    public static let warning = MemoryPressureEvent(rawValue: 0x2)
    /// Memory is about to run out.
    public static let critical = MemoryPressureEvent(rawValue: 0x4)
    /// All levels.
    public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
  }

  /// Events of the receiver of a port.
  public struct MachSendEvent: OptionSet, Sendable {
    /// The bits, with the values of the C constants.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The receiver is gone.
    public static let dead = MachSendEvent(rawValue: 0x1)
  }
}
