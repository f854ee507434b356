// SourceRefusal.swift: what the machine refuses to a source, as a value and in words. Apple's factories cannot throw: see
// KINDS.md for what becomes of a source that is refused something.
import SignalboxSystem

/// Why a source, or part of what it was made for, gets no events on this machine.
public struct SourceRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// What stands in the way.
  public enum Reason: Equatable, Sendable {
    /// The process lacks this capability, named as in capabilities(7).
    case needsCapability(String)
    /// The program runs in a process or user namespace of its own; the kernel tells of forks and execs in the first ones only.
    case insideNamespace
    /// Only the program's own signals can be told.
    case anotherProcess
    /// The kernel lacks what is needed, or a filter keeps it away: the call that said so.
    case unsupported(SystemError)
    /// A limit was met, or a permission is missing: the call that said so.
    case failed(SystemError)
  }

  /// The events that do not come.
  public let events: String
  /// Why.
  public let reason: Reason

  /// A refusal with these parts.
  public init(events: String, reason: Reason) {
    self.events = events
    self.reason = reason
  }

  /// What does not come, why, and how to mend it.
  public var description: String { "\(events) cannot be told: \(reason.words)" }
}

extension SourceRefusal.Reason {
  fileprivate var words: String {
    switch self {
    case .needsCapability(let name):
      "this kernel tells them only to processes with \(name): give the program that capability, or run it on Linux 6.6 or later"
    case .insideNamespace:
      "the program runs in a process or user namespace of its own, as in a container: run it in the first ones"
    case .anotherProcess:
      "signals are told for the program's own process only: give its own identifier, or ask for other events"
    case .unsupported(let error): "the kernel lacks what it takes, or a filter keeps it away (\(error))"
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
  /// What the machine refused to this source; nil if nothing, or not asked yet: known from activation on.
  public var refusal: SourceRefusal? { ((self as? DispatchSource)?.core as? EventFlagsCore)?.refusal }
}
