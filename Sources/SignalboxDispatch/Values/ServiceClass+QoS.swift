// ServiceClass+QoS.swift: the classes of service as programs name them. What is served as which class is the pool's to
// say (Workers/), and which class an item has the queues' (ItemClass).
import SignalboxWords

extension ServiceClass {
  /// That of a program's class; unspecified means default.
  init(_ qos: DispatchQoS.QoSClass) {
    self =
      switch qos {
      case .userInteractive: .interactive
      case .userInitiated: .initiated
      case .default, .unspecified: .standard
      case .utility: .utility
      case .background: .background
      }
  }

  /// What programs call it.
  var qos: DispatchQoS {
    switch self {
    case .interactive: .userInteractive
    case .initiated: .userInitiated
    case .standard: .default
    case .utility: .utility
    case .background: .background
    }
  }

  /// What its global queue is called after.
  var name: String {
    switch self {
    case .interactive: "user-interactive"
    case .initiated: "user-initiated"
    case .standard: "default"
    case .utility: "utility"
    case .background: "background"
    }
  }
}
