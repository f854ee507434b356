// SourceRefusal.swift: what the machine refuses to a source, as a value and in words. Apple's factories cannot throw: see
// KINDS.md for what becomes of a source that is refused something.
import SignalboxSystem

/// The reason why a source gets none, or only some, of its events on this machine.
///
/// ```swift
/// do {
///   try DispatchSource.checkProcessSource(identifier: 1, eventMask: [.fork, .exec])
/// } catch {
///   print(error.events, "are not reported:", error.reason)
///   print(error.description)  // and what to do about it
/// }
/// ```
public struct SourceRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The cause of a refusal.
  ///
  /// ```swift
  /// func advice(_ reason: SourceRefusal.Reason) -> String {
  ///   switch reason {
  ///   case .needsCapability(let name): "run the program with \(name)"
  ///   case .insideNamespace: "run it outside of the container"
  ///   case .anotherProcess: "use the program's own identifier"
  ///   case .unsupported(let error), .failed(let error): "\(error)"
  ///   }
  /// }
  /// ```
  public enum Reason: Equatable, Sendable {
    /// The process lacks this capability (see capabilities(7)).
    case needsCapability(String)
    /// The program runs in its own process or user namespace; the kernel reports forks and execs only in the initial ones.
    case insideNamespace
    /// The source is for another process; signals are reported only for the program's own.
    case anotherProcess
    /// The kernel lacks a feature, or a filter blocks it; with the call that failed.
    case unsupported(SystemError)
    /// A limit was reached, or a permission is missing; with the call that failed.
    case failed(SystemError)
  }

  /// The events that are not reported.
  public let events: String
  /// The cause.
  public let reason: Reason

  /// Creates a refusal from its parts.
  ///
  /// ```swift
  /// let refusal = SourceRefusal(events: "forks of process 7", reason: .insideNamespace)
  /// print(refusal)
  /// ```
  public init(events: String, reason: Reason) {
    self.events = events
    self.reason = reason
  }

  /// The missing events, the cause, and what to do about it.
  public var description: String { "\(events) cannot be reported: \(reason.words)" }
}

extension SourceRefusal.Reason {
  fileprivate var words: String {
    switch self {
    case .needsCapability(let name):
      "this kernel reports them only to processes with \(name): give the program that capability, or run it on Linux 6.6 or later"
    case .insideNamespace:
      "the program runs in a process or user namespace of its own, as in a container: run it in the initial ones"
    case .anotherProcess:
      "signals are reported for the program's own process only: give its own identifier, or ask for other events"
    case .unsupported(let error): "the kernel does not support it, or a filter blocks it (\(error))"
    case .failed(let error): "\(error)\(SourceRefusal.hint(error))"
    }
  }
}

extension SourceRefusal {
  /// How a limit is raised or a permission got.
  fileprivate static func hint(_ error: SystemError) -> String {
    switch (error.call, error.limit) {
    case ("inotify_add_watch", .space): ": raise fs.inotify.max_user_watches"
    case ("inotify_init1", .descriptors): ": raise the limit of open files, or fs.inotify.max_user_instances"
    case (_, .descriptors): ": raise the limit of open files"
    case ("inotify_add_watch", .permission): ": the file may not be read by this user"
    case ("open", .permission): ": this user may not open it"
    default: ""
    }
  }

  /// The same from what a call said: a call that does not exist is not a limit.
  init(_ events: String, _ error: SystemError) {
    self.init(events: events, reason: error.isUnsupported ? .unsupported(error) : .failed(error))
  }

  init(_ events: String, _ refusal: ProcessConnector.Refusal) {
    switch refusal {
    case .needsNetworkAdministration: self.init(events: events, reason: .needsCapability("CAP_NET_ADMIN"))
    case .insideNamespace: self.init(events: events, reason: .insideNamespace)
    case .absent(let error): self.init(events: events, reason: .unsupported(error))
    case .failed(let error): self.init(events: events, reason: .failed(error))
    }
  }
}

extension DispatchSourceProtocol {
  /// What the machine refused to this source; nil if nothing was refused, or before activation.
  ///
  /// ```swift
  /// let source = DispatchSource.makeProcessSource(identifier: 1, eventMask: [.exit, .fork], queue: .global())
  /// source.activate()
  /// print(source.refusal?.description ?? "nothing was refused")
  /// source.cancel()
  /// ```
  public var refusal: SourceRefusal? { ((self as? DispatchSource)?.core as? EventFlagsCore)?.refusal }
}
