// ServiceClasses.swift: the five classes of service in their order. What is served as which class is the pool's to say (Workers/), and
// which class an item has the queues' (ItemClass).
import SignalboxWords

enum ServiceClasses {
  static var count: Int { ServiceClass.count }

  /// From the most urgent to the least, with what their global queues are called after.
  static let all: [(name: String, qos: DispatchQoS)] = [
    ("user-interactive", .userInteractive), ("user-initiated", .userInitiated), ("default", .default),
    ("utility", .utility), ("background", .background),
  ]

  /// Where a class stands among them; unspecified means default.
  static func place(_ qos: DispatchQoS.QoSClass) -> Int {
    switch qos {
    case .userInteractive: ServiceClass.interactive.rawValue
    case .userInitiated: ServiceClass.initiated.rawValue
    case .default, .unspecified: ServiceClass.standard.rawValue
    case .utility: ServiceClass.utility.rawValue
    case .background: ServiceClass.background.rawValue
    }
  }

  @inline(__always) static var placeOfDefault: Int { ServiceClass.standard.rawValue }
  static func qos(at place: Int) -> DispatchQoS { all[place].qos }
}
