// SourceEvents.swift: the sets of events that sources of some kinds are made for, and report. First comes what these
// kinds have in common: processes, files, memory pressure, ports. The life of a source is SourceCore's.
import SignalboxLocks
import SignalboxSystem

package class EventFlagsCore: SourceCore, @unchecked Sendable {
  // SAFETY of @unchecked: the events are atomic, the refusal is guarded by `lock`; subclasses argue for their own.

  private final let pending = Atomic64(0)
  private final let lock = UnfairLock()
  private final var refused: SourceRefusal?

  /// Adds events for the handler to find; those that the source was not made for are left out. Any thread.
  // seq_cst: the events are written before signalEvent() checks whether a check is due; see SourceCore.life.
  final func deliver(_ events: UInt) {
    let wanted = UInt64(events & mask)
    guard wanted != 0 else { return }
    var old = pending.loadSeqCst()
    while true {
      let swap = pending.casSeqCst(old, old | wanted)  // seq_cst: before signalEvent(), as told above
      if swap.exchanged { break }
      old = swap.original
    }
    signalEvent()
  }

  /// Makes `events` what the handler finds, whatever was to be found before: for a state, of which only the latest counts.
  final func deliver(insteadOfOthers events: UInt) {
    let wanted = UInt64(events & mask)
    guard wanted != 0 else { return }
    _ = pending.exchangeSeqCst(wanted)  // seq_cst: as above
    signalEvent()
  }

  override func takeData() -> UInt? {
    let events = pending.exchangeSeqCst(0)  // seq_cst: after the turn's step; pairs with deliver(_:)
    return events == 0 ? nil : UInt(events)
  }

  /// What the machine refused, once it was asked.
  package final var refusal: SourceRefusal? { lock.withLock { refused } }

  /// What becomes of a source that is refused something.
  enum Consequence: String {
    case staysForOtherEvents = "Its other events come"
    case staysForInjectedEvents = "What is injected comes"
    case isCancelled = "The source is cancelled"
  }

  /// Notes what was refused and says so, because a source that stays silent for no reason is found by nobody.
  final func refuse(_ refusal: SourceRefusal, _ consequence: Consequence) {
    lock.withLock { refused = refusal }
    Misuse.report("\(sourceName): \(refusal). \(consequence.rawValue)")
    if consequence == .isCancelled { cancel() }
  }
}

// MARK: the sets

// The bits are the C constants'.

extension DispatchSource {
  /// Events of a file, directory or other object of a file system.
  ///
  /// ```swift
  /// let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: 0, eventMask: [.write, .extend])
  /// source.setEventHandler { print(source.data.contains(.extend) ? "it grew" : "it changed") }
  /// source.activate()
  /// source.cancel()
  /// ```
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
  ///
  /// ```swift
  /// let source = DispatchSource.makeProcessSource(identifier: 1, eventMask: .exit, queue: .global())
  /// source.setEventHandler { if source.data.contains(.exit) { print("ended") } }
  /// source.activate()
  /// source.cancel()
  /// ```
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
  ///
  /// ```swift
  /// let source = DispatchSource.makeMemoryPressureSource(eventMask: .all, queue: .global())
  /// source.setEventHandler { if source.data == .normal { print("memory is plentiful again") } }
  /// source.activate()
  /// source.cancel()
  /// ```
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
  ///
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// let source = DispatchSource.makeMachSendSource(port: port.send.name, eventMask: .dead, queue: .global())
  /// source.setEventHandler { print("all receiving ends are closed:", source.data == .dead) }
  /// source.activate()
  /// source.cancel()
  /// ```
  public struct MachSendEvent: OptionSet, Sendable {
    /// The bits, with the values of the C constants.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The receiver is gone.
    public static let dead = MachSendEvent(rawValue: 0x1)
  }
}
