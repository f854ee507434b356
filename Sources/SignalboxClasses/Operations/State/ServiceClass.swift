// ServiceClass.swift: a class of service as a number: in an operation's word, and among the others by urgency. Which queue serves it is
// OperationQueue+Service.swift.
import Foundation
import SignalboxNames
import SignalboxWords

extension QualityOfService {
  /// As an operation's word has it; the raw values differ from platform to platform.
  var code: UInt64 {
    switch self {
    case .userInteractive: 0
    case .userInitiated: 1
    case .utility: 2
    case .background: 3
    default: 4
    }
  }
  init(code: UInt64) {
    self =
      switch code {
      case 0: .userInteractive
      case 1: .userInitiated
      case 2: .utility
      case 3: .background
      default: .default
      }
  }
  var dispatchClass: DispatchQoS {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    default: .default
    }
  }

  /// The most urgent first.
  static let ranked: [QualityOfService] = [.userInteractive, .userInitiated, .default, .utility, .background]
  /// Its place among these.
  var rank: UInt8 {
    switch self {
    case .userInteractive: 0
    case .userInitiated: 1
    case .utility: 3
    case .background: 4
    default: 2
    }
  }
}

extension OperationState {
  /// Whether the operation was given a class of service. The default one is none.
  @inline(__always) var asksForService: Bool { self[Self.qos] != 4 }

  /// The class in which it runs in a queue of class `queue`.
  func service(in queue: QualityOfService) -> QualityOfService {
    let own = QualityOfService(code: self[Self.qos])
    if own == .default || queue == .default { return own == .default ? queue : own }
    return own.rank < queue.rank ? own : queue
  }
}
