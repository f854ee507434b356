// SourceProtocols+Apple.swift: what Swift programs see of the kinds of sources that only Apple's module has.

/// The name of a port. Linux has no Mach ports: `SignalboxPort` takes their place.
public typealias mach_port_t = UInt32

/// A source for events of an object of a file system.
///
/// - Note: Thread safety: any thread.
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol, Sendable {
  /// The descriptor.
  var handle: Int32 { get }
  /// What happened; meaningful inside the event handler.
  var data: DispatchSource.FileSystemEvent { get }
  /// The events given at creation.
  var mask: DispatchSource.FileSystemEvent { get }
}

/// A source for events of a process.
///
/// - Note: Thread safety: any thread.
public protocol DispatchSourceProcess: DispatchSourceProtocol, Sendable {
  /// The process identifier.
  var handle: Int32 { get }
  /// What happened; meaningful inside the event handler.
  var data: DispatchSource.ProcessEvent { get }
  /// The events given at creation.
  var mask: DispatchSource.ProcessEvent { get }
}

/// A source for levels of memory pressure.
///
/// - Note: Thread safety: any thread.
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol, Sendable {
  /// What happened; meaningful inside the event handler.
  var data: DispatchSource.MemoryPressureEvent { get }
  /// The events given at creation.
  var mask: DispatchSource.MemoryPressureEvent { get }
}

/// A source that reports the end of a port's receiver.
///
/// - Note: Thread safety: any thread.
public protocol DispatchSourceMachSend: DispatchSourceProtocol, Sendable {
  /// The port.
  var handle: mach_port_t { get }
  /// What happened; meaningful inside the event handler.
  var data: DispatchSource.MachSendEvent { get }
  /// The events given at creation.
  var mask: DispatchSource.MachSendEvent { get }
}

/// A source that reports messages waiting at a port.
///
/// - Note: Thread safety: any thread.
public protocol DispatchSourceMachReceive: DispatchSourceProtocol, Sendable {
  /// The port.
  var handle: mach_port_t { get }
}

// One class answers for all: each protocol's names are given to members of names of their own.
extension DispatchSource: DispatchSourceFileSystemObject, DispatchSourceProcess, DispatchSourceMemoryPressure {
  /// `handle` of a `DispatchSourceFileSystemObject`.
  @_implements(DispatchSourceFileSystemObject,handle) public final var _fileHandle: Int32 { handle(Int32.self) }
  /// `data` of a `DispatchSourceFileSystemObject`.
  @_implements(DispatchSourceFileSystemObject,data) public final var _fileData: FileSystemEvent { .init(rawValue: core.data) }
  /// `mask` of a `DispatchSourceFileSystemObject`.
  @_implements(DispatchSourceFileSystemObject,mask) public final var _fileMask: FileSystemEvent { .init(rawValue: core.mask) }
  /// `handle` of a `DispatchSourceProcess`.
  @_implements(DispatchSourceProcess,handle) public final var _processHandle: Int32 { handle(Int32.self) }
  /// `data` of a `DispatchSourceProcess`.
  @_implements(DispatchSourceProcess,data) public final var _processData: ProcessEvent { .init(rawValue: core.data) }
  /// `mask` of a `DispatchSourceProcess`.
  @_implements(DispatchSourceProcess,mask) public final var _processMask: ProcessEvent { .init(rawValue: core.mask) }
  /// `data` of a `DispatchSourceMemoryPressure`.
  @_implements(DispatchSourceMemoryPressure,data)
  public final var _pressureData: MemoryPressureEvent { .init(rawValue: core.data) }
  /// `mask` of a `DispatchSourceMemoryPressure`.
  @_implements(DispatchSourceMemoryPressure,mask)
  public final var _pressureMask: MemoryPressureEvent { .init(rawValue: core.mask) }
}

extension DispatchSource: DispatchSourceMachSend, DispatchSourceMachReceive {
  /// `handle` of a `DispatchSourceMachSend`.
  @_implements(DispatchSourceMachSend,handle) public final var _sendHandle: mach_port_t { handle(mach_port_t.self) }
  /// `data` of a `DispatchSourceMachSend`.
  @_implements(DispatchSourceMachSend,data) public final var _sendData: MachSendEvent { .init(rawValue: core.data) }
  /// `mask` of a `DispatchSourceMachSend`.
  @_implements(DispatchSourceMachSend,mask) public final var _sendMask: MachSendEvent { .init(rawValue: core.mask) }
  /// `handle` of a `DispatchSourceMachReceive`.
  @_implements(DispatchSourceMachReceive,handle) public final var _receiveHandle: mach_port_t { handle(mach_port_t.self) }

  private final func handle<Number: FixedWidthInteger>(_: Number.Type) -> Number { Number(truncatingIfNeeded: core.handle) }
}
