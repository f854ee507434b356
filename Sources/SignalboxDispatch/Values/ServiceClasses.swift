// ServiceClasses.swift: the five classes of service in their order. What is served as which class is the pool's to say (Workers/), and
// which class an item has the queues' (ItemClass).

enum ServiceClasses {
  static let count = 5

  /// From the most urgent to the least, with what their global queues are called after.
  static let all: [(name: String, qos: DispatchQoS)] = [
    ("user-interactive", .userInteractive), ("user-initiated", .userInitiated), ("default", .default),
    ("utility", .utility), ("background", .background),
  ]

  /// Where a class stands among them; unspecified means default.
  static func place(_ qos: DispatchQoS.QoSClass) -> Int {
    switch qos {
    case .userInteractive: 0
    case .userInitiated: 1
    case .default, .unspecified: 2
    case .utility: 3
    case .background: 4
    }
  }

  @inline(__always) static var placeOfDefault: Int { 2 }
  static func qos(at place: Int) -> DispatchQoS { all[place].qos }
}
