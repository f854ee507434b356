// SourceProtocols.swift: what Swift programs see of a source, by kind: the kinds that the toolchain's module has too,
// and those that only Apple's has. Timers are apart.
import SignalboxSystem

/// A handler of a source.
public typealias DispatchSourceHandler = () -> Void

/// The interface of every source. `DispatchSource` is the only class that conforms.
///
/// Thread safety: every method may be called from any thread.
///
/// ```swift
/// let sum = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "sums"))
/// let cancelled = DispatchSemaphore(value: 0)
/// sum.setEventHandler { print("added", sum.data) }
/// sum.setCancelHandler { cancelled.signal() }  // after the last event handler
/// sum.activate()
/// sum.add(data: 3)
/// sum.cancel()
/// cancelled.wait()
/// ```
public protocol DispatchSourceProtocol {
  /// Sets the handler called for each event, replacing the previous one; nil removes it.
  func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets the work item performed for each event; a cancelled one is skipped.
  func setEventHandler(handler: DispatchWorkItem)
  /// Sets the handler called once after cancellation, when no handler runs any more and the program may close the handle.
  func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets the work item performed once after cancellation.
  func setCancelHandler(handler: DispatchWorkItem)
  /// Sets the handler called once, when the source has started to monitor its events; at once if it already has.
  func setRegistrationHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets the work item performed once, when the source has started to monitor its events.
  func setRegistrationHandler(handler: DispatchWorkItem)
  /// Stops events; the cancel handler runs once, after any running handler.
  func cancel()
  /// Reverses one `suspend()`; activates an inactive source.
  func resume()
  /// Prevents handlers from starting until a matching `resume()`.
  func suspend()
  /// Starts event delivery.
  func activate()
  /// The monitored object, as a number: a descriptor, process, port or signal; 0 for other kinds.
  var handle: UInt { get }
  /// The flags given at creation.
  var mask: UInt { get }
  /// The data of the event; meaningful inside the event handler.
  var data: UInt { get }
  /// Whether `cancel()` was called.
  var isCancelled: Bool { get }
}

extension DispatchSourceProtocol {
  /// Calls `body` with the source that this is. The cast of `source` takes as long as arming a timer.
  @inline(__always) func asSource<R>(_ body: (DispatchSource) -> R) -> R {
    guard Self.self == TimerSource.self || Self.self == DispatchSource.self else { return body(source) }
    // SAFETY: this is a reference to an object of such a class, which lives as long as this call.
    return withUnsafePointer(to: self) { UnsafeRawPointer($0).load(as: Lent<DispatchSource>.self) }
      .use(body)
  }

  /// The one class behind every source.
  var source: DispatchSource {
    guard let source = self as? DispatchSource else {
      CFaceSupport.stop(
        "\(type(of: self)) conforms to DispatchSourceProtocol, which is for DispatchSource alone: use a source of its make")
    }
    return source
  }

  private func set(
    _ kind: SourceCore.HandlerKind, _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags, _ handler: DispatchSourceHandler?
  ) {
    // No `map`: a closure that passes through it comes out with a second one around it.
    guard let handler else { return source.setHandler(kind, nil) }
    let isPlain = qos == .unspecified && flags.isEmpty
    let new: SourceHandler =
      isPlain ? .closure(handler) : .workItem(DispatchWorkItem(qos: qos, flags: flags, block: handler))
    asSource { $0.setHandler(kind, new) }
  }

  /// Sets the handler called for each event, replacing the previous one; nil removes it.
  public func setEventHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
  ) { set(.event, qos, flags, handler) }
  /// Sets the work item performed for each event; a cancelled one is skipped.
  public func setEventHandler(handler: DispatchWorkItem) { source.setHandler(.event, .workItem(handler)) }

  /// Sets the handler called once after cancellation, when no handler runs any more and the program may close the handle.
  public func setCancelHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
  ) { set(.cancel, qos, flags, handler) }
  /// Sets the work item performed once after cancellation.
  public func setCancelHandler(handler: DispatchWorkItem) { source.setHandler(.cancel, .workItem(handler)) }

  /// Sets the handler called once, when the source has started to monitor its events; at once if it already has.
  public func setRegistrationHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
  ) { set(.registration, qos, flags, handler) }
  /// Sets the work item performed once, when the source has started to monitor its events.
  public func setRegistrationHandler(handler: DispatchWorkItem) { source.setHandler(.registration, .workItem(handler)) }

  /// Stops events; the cancel handler runs once, after any running handler.
  public func cancel() { asSource { $0.core.cancel() } }
  /// Reverses one `suspend()`; activates an inactive source.
  public func resume() { asSource { $0.core.resumeSource() } }
  /// Prevents handlers from starting until a matching `resume()`.
  public func suspend() { asSource { $0.core.suspend() } }

  /// The monitored object, as a number: a descriptor, process, port or signal; 0 for other kinds.
  public var handle: UInt { asSource { $0.core.handle } }
  /// The flags given at creation.
  public var mask: UInt { asSource { $0.core.mask } }
  /// The data of the event; meaningful inside the event handler.
  public var data: UInt { asSource { $0.core.data } }
  /// Whether `cancel()` was called.
  public var isCancelled: Bool { asSource { $0.core.isCancelled } }
}

/// A source that reports bytes to read from a descriptor; `data` estimates their number.
///
/// ```swift file
/// import Glibc
/// func readLater(from input: Int32) -> any DispatchSourceRead {
///   let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: DispatchQueue(label: "input"))
///   source.setEventHandler { print(source.data, "bytes to read") }
///   source.setCancelHandler { close(input) }  // not earlier: the source uses the descriptor
///   source.activate()
///   return source
/// }
/// ```
///
/// - Note: Thread safety: any thread.
public protocol DispatchSourceRead: DispatchSourceProtocol, Sendable {}
/// A source that reports room to write to a descriptor; `data` estimates the number of bytes.
///
/// ```swift file
/// import Glibc
/// func writeLater(to output: Int32, _ write: @escaping () -> Void) -> any DispatchSourceWrite {
///   let source = DispatchSource.makeWriteSource(fileDescriptor: output, queue: DispatchQueue(label: "output"))
///   source.setEventHandler { write(); source.cancel() }  // there is room
///   source.setCancelHandler { close(output) }
///   source.activate()
///   return source
/// }
/// ```
///
/// - Note: Thread safety: any thread.
public protocol DispatchSourceWrite: DispatchSourceProtocol, Sendable {}
/// A source for a signal sent to the process; `data` is the number of signals since the last event.
///
/// ```swift file
/// import Glibc
/// func onTermination(_ shutDown: @escaping () -> Void) -> any DispatchSourceSignal {
///   let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: DispatchQueue(label: "signals"))
///   source.setEventHandler { shutDown() }  // the signal's default action is not taken
///   source.activate()
///   return source
/// }
/// ```
///
/// - Note: Thread safety: any thread.
public protocol DispatchSourceSignal: DispatchSourceProtocol, Sendable {}

extension DispatchSource: DispatchSourceProtocol, DispatchSourceRead, DispatchSourceWrite, DispatchSourceSignal {}

// MARK: the kinds that only Apple's module has

/// The name of a port. Linux has no Mach ports: `SignalboxPort` takes their place.
///
/// ```swift
/// let port = try SignalboxPort.makePair()
/// let name: mach_port_t = port.receive.name
/// print(name == port.receive.name)  // true
/// ```
public typealias mach_port_t = UInt32

/// A source for events of an object of a file system.
///
/// ```swift file
/// import Glibc
/// func observe(folder: Int32) -> any DispatchSourceFileSystemObject {
///   let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: folder, eventMask: [.write, .delete])
///   source.setEventHandler { print(source.data.contains(.delete) ? "removed" : "changed") }
///   source.setCancelHandler { close(folder) }  // not earlier: the source uses the descriptor
///   source.activate()
///   return source
/// }
/// ```
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
/// ```swift
/// func observe(child: Int32) -> any DispatchSourceProcess {
///   let source = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit, queue: .global())
///   source.setEventHandler { print("process", child, "has ended"); source.cancel() }
///   source.activate()
///   return source
/// }
/// print(observe(child: 1).mask == .exit)  // true
/// ```
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
/// ```swift
/// let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
/// source.setEventHandler { print(source.data == .critical ? "free all that can be made again" : "free caches") }
/// source.activate()
/// source.cancel()
/// ```
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
/// ```swift
/// let port = try SignalboxPort.makePair()
/// let source = DispatchSource.makeMachSendSource(port: port.send.name, eventMask: .dead, queue: .global())
/// source.setEventHandler { print("all receiving ends are closed") }
/// source.activate()
/// source.cancel()
/// ```
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
/// ```swift
/// let port = try SignalboxPort.makePair(), arrived = DispatchSemaphore(value: 0)
/// let source = DispatchSource.makeMachReceiveSource(port: port.receive.name, queue: .global())
/// source.setEventHandler { arrived.signal(); source.cancel() }
/// source.activate()
/// try port.send.send("hello".utf8)
/// arrived.wait()
/// ```
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
