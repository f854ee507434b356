// ToolchainSources.swift: the sources of the toolchain's libdispatch that may still call a handler: armed timers,
// descriptors that are monitored, signals.
import SignalboxSystem
import SignalboxView

/// Kinds of sources of the library.
enum ToolchainSourceKind: String, CaseIterable {
  case timer, after, interval, clockTimer = "timer_with_clock"
  case read, write, signal
  case add = "data_add", or = "data_or", replace = "data_replace"

  /// The symbol that a registration of the kind leads to.
  var symbol: String { "_dispatch_source_type_\(rawValue)" }

  var isTimer: Bool { self == .timer || self == .after || self == .interval || self == .clockTimer }

  /// What tables call a timer of the kind.
  var noun: String {
    switch self {
    case .after: "asyncAfter"
    case .interval: "interval of a channel"
    default: "timer source"
    }
  }
}

/// A source that is registered.
struct ToolchainSource: Equatable {
  var kind: ToolchainSourceKind
  /// The queue on which its handler runs.
  var target: UInt64
  /// The descriptor or the signal; of a timer its clock.
  var subject: UInt32
  /// Where its handler lies; 0: it has none.
  var handler: UInt64
  /// When a timer is due, on its clock, in nanoseconds; nil: it is not armed.
  var due: UInt64?
  var isSuspended: Bool
}

/// Reads sources.
struct ToolchainSourceReader {
  let library: ToolchainLibrary
  let memory: any ProcessMemory

  private typealias Source = ToolchainLayout.Source

  private func word(_ address: UInt64) -> UInt64? { memory.word64(ReadNumber(address))?.bits }

  /// The source at an address, by two readings in a row that say the same; nil: it has gone, or goes on changing.
  func source(_ address: UInt64) -> ToolchainSource? {
    for _ in 0..<4 {
      guard let first = reading(address), let second = reading(address) else { return nil }
      if first == second { return first }
    }
    return nil
  }

  private func reading(_ address: UInt64) -> ToolchainSource? {
    guard let place = word(address &+ Source.registration), word(place &+ Source.owner) == ~address,
      let kind = word(place &+ Source.kind).flatMap({ library.sources[$0] }), let subject = word(place &+ Source.subject),
      let handler = word(place &+ Source.handler), let target = word(address &+ library.layout.target),
      let state = word(address &+ ToolchainLayout.Queue.state).map({ ToolchainState(rawValue: $0) })
    else { return nil }
    let due = kind.isTimer ? word(place &+ Source.due) : nil
    return ToolchainSource(
      kind: kind, target: target, subject: UInt32(truncatingIfNeeded: subject), handler: handler,
      due: due == .max || due == 0 ? nil : due, isSuspended: state.suspended > 0 || state.isInactive)
  }
}

extension ToolchainSource {
  /// Seconds until a timer is due, below 0 if it is late; nil: it is not armed, or what its clock shows is not known.
  func seconds(at times: ReadTimes?) -> Double? {
    guard let due, let times else { return nil }
    let now: UInt64? =
      switch subject & 3 {
      case 0: times.uptime
      case 1: times.continuous
      case 2: times.wall
      default: nil
      }
    return now.map { due >= $0 ? Double(due - $0) / 1e9 : -Double($0 - due) / 1e9 }
  }
}
