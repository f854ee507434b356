// SourceEvents.swift: the sets of events that sources of some kinds are made for, and report; the bits are the C constants'.

extension DispatchSource {
  /// What happens to a file, directory or other object of a file system.
  public struct FileSystemEvent: OptionSet, Sendable {
    /// The bits, as the C constants have them.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Its last name is gone.
    public static let delete = FileSystemEvent(rawValue: 0x1)
    /// Its bytes changed.
    public static let write = FileSystemEvent(rawValue: 0x2)
    /// It grew.
    public static let extend = FileSystemEvent(rawValue: 0x4)
    /// Its metadata changed.
    public static let attrib = FileSystemEvent(rawValue: 0x8)
    /// Its link count changed.
    public static let link = FileSystemEvent(rawValue: 0x10)
    /// It was renamed.
    public static let rename = FileSystemEvent(rawValue: 0x20)
    /// Access to it was taken away, or its file system was unmounted.
    public static let revoke = FileSystemEvent(rawValue: 0x40)
    /// It was unlocked.
    public static let funlock = FileSystemEvent(rawValue: 0x100)
    /// All of them.
    public static let all: FileSystemEvent = [.delete, .write, .extend, .attrib, .link, .rename, .revoke, .funlock]
  }

  /// What happens to a process.
  public struct ProcessEvent: OptionSet, Sendable {
    /// The bits, as the C constants have them.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// It has ended.
    public static let exit = ProcessEvent(rawValue: 0x8000_0000)
    /// It has made a child.
    public static let fork = ProcessEvent(rawValue: 0x4000_0000)
    /// It has become another program.
    public static let exec = ProcessEvent(rawValue: 0x2000_0000)
    /// A signal was delivered to it.
    public static let signal = ProcessEvent(rawValue: 0x0800_0000)
    /// All of them.
    public static let all: ProcessEvent = [.exit, .fork, .exec, .signal]
  }

  /// How scarce memory is.
  public struct MemoryPressureEvent: OptionSet, Sendable {
    /// The bits, as the C constants have them.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Memory is plentiful again.
    public static let normal = MemoryPressureEvent(rawValue: 0x1)
    /// Memory has become scarce.
    public static let warning = MemoryPressureEvent(rawValue: 0x2)
    /// Memory is about to run out.
    public static let critical = MemoryPressureEvent(rawValue: 0x4)
    /// All of them.
    public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
  }

  /// What happens to the receiver of a port.
  public struct MachSendEvent: OptionSet, Sendable {
    /// The bits, as the C constants have them.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The receiver is gone.
    public static let dead = MachSendEvent(rawValue: 0x1)
  }
}
