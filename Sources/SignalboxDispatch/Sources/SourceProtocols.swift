// SourceProtocols.swift: what Swift programs see of a source, by kind: the kinds that the toolchain's module has too. Those that
// only Apple's has are SourceProtocols+Apple.swift, timers are apart.
import SignalboxSystem

/// What a source calls.
public typealias DispatchSourceHandler = () -> Void

/// What every source offers. `DispatchSource` is the only class that conforms.
///
/// Thread safety: every method may be called from any thread.
public protocol DispatchSourceProtocol {
  /// Sets what is called at each event, replacing what was set before; nil for nothing.
  func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets the work item that is performed at each event; a cancelled one is passed over.
  func setEventHandler(handler: DispatchWorkItem)
  /// Sets what is called once, when the source is cancelled, no handler runs and its handle is the program's again.
  func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets the work item that is performed once the source is cancelled.
  func setCancelHandler(handler: DispatchWorkItem)
  /// Sets what is called once, when events are watched for; at once if they already are.
  func setRegistrationHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets the work item that is performed once events are watched for.
  func setRegistrationHandler(handler: DispatchWorkItem)
  /// No further events; the cancel handler runs once, after the handler that is running.
  func cancel()
  /// Takes one `suspend()` back; activates an inactive source.
  func resume()
  /// Keeps handlers from starting until a matching `resume()`.
  func suspend()
  /// Begins event delivery.
  func activate()
  /// What is watched: a descriptor, a signal's number; 0 for other kinds.
  var handle: UInt { get }
  /// The flags that the source was made with.
  var mask: UInt { get }
  /// What the event brought: of use inside the event handler.
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

  /// Sets what is called at each event, replacing what was set before; nil for nothing.
  public func setEventHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
  ) { set(.event, qos, flags, handler) }
  /// Sets the work item that is performed at each event; a cancelled one is passed over.
  public func setEventHandler(handler: DispatchWorkItem) { source.setHandler(.event, .workItem(handler)) }

  /// Sets what is called once, when the source is cancelled, no handler runs and its handle is the program's again.
  public func setCancelHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
  ) { set(.cancel, qos, flags, handler) }
  /// Sets the work item that is performed once the source is cancelled.
  public func setCancelHandler(handler: DispatchWorkItem) { source.setHandler(.cancel, .workItem(handler)) }

  /// Sets what is called once, when events are watched for; at once if they already are.
  public func setRegistrationHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
  ) { set(.registration, qos, flags, handler) }
  /// Sets the work item that is performed once events are watched for.
  public func setRegistrationHandler(handler: DispatchWorkItem) { source.setHandler(.registration, .workItem(handler)) }

  /// No further events; the cancel handler runs once, after the handler that is running.
  public func cancel() { asSource { $0.core.cancel() } }
  /// Takes one `suspend()` back; activates an inactive source.
  public func resume() { asSource { $0.core.resumeSource() } }
  /// Keeps handlers from starting until a matching `resume()`.
  public func suspend() { asSource { $0.core.suspend() } }

  /// What is watched: a descriptor, a signal's number; 0 for other kinds.
  public var handle: UInt { asSource { $0.core.handle } }
  /// The flags that the source was made with.
  public var mask: UInt { asSource { $0.core.mask } }
  /// What the event brought: of use inside the event handler.
  public var data: UInt { asSource { $0.core.data } }
  /// Whether `cancel()` was called.
  public var isCancelled: Bool { asSource { $0.core.isCancelled } }
}

/// A source for bytes that can be read from a descriptor; `data` estimates how many.
public protocol DispatchSourceRead: DispatchSourceProtocol, Sendable {}
/// A source for room to write to a descriptor; `data` estimates how many bytes.
public protocol DispatchSourceWrite: DispatchSourceProtocol, Sendable {}
/// A source for a signal sent to the process; `data` counts how often since the last event.
public protocol DispatchSourceSignal: DispatchSourceProtocol, Sendable {}

extension DispatchSource: DispatchSourceProtocol, DispatchSourceRead, DispatchSourceWrite, DispatchSourceSignal {}
