// GlobalQueues.swift: the five global queues: the roots under which every other queue's items run. Workers/ serves them.

enum GlobalQueues {
  /// From the most urgent to the least.
  static let all: InlineArray<5, DispatchQueue> = [
    make("com.apple.root.user-interactive-qos", .userInteractive), make("com.apple.root.user-initiated-qos", .userInitiated),
    make("com.apple.root.default-qos", .default), make("com.apple.root.utility-qos", .utility),
    make("com.apple.root.background-qos", .background),
  ]

  private static func make(_ name: String, _ qos: DispatchQoS) -> DispatchQueue {
    let queue = DispatchQueue(name: name, kind: .global, qos: qos, target: nil)
    _ = Unmanaged.passRetained(queue)  // lives for ever
    return queue
  }

  /// The root of a class; unspecified means default.
  static func queue(for qos: DispatchQoS.QoSClass) -> DispatchQueue {
    switch qos {
    case .userInteractive: all[0]
    case .userInitiated: all[1]
    case .default, .unspecified: all[2]
    case .utility: all[3]
    case .background: all[4]
    }
  }
}
