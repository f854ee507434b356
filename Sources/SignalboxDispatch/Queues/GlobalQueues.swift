// GlobalQueues.swift: the five global queues: the roots under which every other queue's items run. Workers/ serves them, from lists of its
// own (Workers/PoolLists.swift).
import SignalboxSystem

enum GlobalQueues {
  /// The process's; a private engine has its own.
  private static let ofProcess = RootQueues()

  /// Where the one of a class stands among them.
  static func place(_ qos: DispatchQoS.QoSClass) -> Int { ServiceClasses.place(qos) }

  /// The root of a class; unspecified means default.
  static func queue(for qos: DispatchQoS.QoSClass) -> DispatchQueue { root(place(qos)).kept }

  /// The root of a class as it stands in a target word; no reference is counted, roots live forever.
  static func bits(for qos: DispatchQoS.QoSClass) -> UInt64 { root(place(qos)).address }

  /// That of the calling thread's engine.
  @inline(__always) private static func root(_ place: Int) -> Lent<DispatchQueue> {
    if _slowPath(ThreadSlot.current.pointee.engine != nil) { return ofPrivateEngine(place) }
    return ofProcess.root(place)
  }
  @inline(never) private static func ofPrivateEngine(_ place: Int) -> Lent<DispatchQueue> {
    PrivatePool.ofThread.map { $0.use { $0.pool.root(place) } } ?? ofProcess.root(place)
  }
  /// The root at a place, of the calling thread's engine.
  static func queue(at place: Int) -> Lent<DispatchQueue> { root(place) }
  /// Those of the process's engine, whoever asks.
  static var processes: RootQueues { ofProcess }
}

/// The roots of one engine, which live forever.
struct RootQueues: Sendable {
  /// From the most urgent to the least.
  let addresses: InlineArray<5, UInt64>

  init() {
    addresses = InlineArray { place in
      let (name, qos) = ServiceClasses.all[place]
      let label = "com.apple.root.\(name)-qos"
      let queue = DispatchQueue(name: label, kind: .global, qos: qos, target: .none, rootPlace: UInt8(place))
      _ = Unmanaged.passRetained(queue)  // lives forever
      return UInt64(queue.address)
    }
  }

  /// The root at a place, without counting a reference.
  @inline(__always) func root(_ place: Int) -> Lent<DispatchQueue> { Lent(at: addresses[place]) }
}

extension DispatchQueue {
  /// Where the class whose threads run the queue's items stands: that of its target, at the time at which that was set. A hint.
  @inline(__always) final var classPlace: Int { Int(rootWord.load()) }
  @inline(__always) final var rootPlace: UInt8 { UInt8(truncatingIfNeeded: rootWord.load()) }

  /// Whether its items run on as many threads as there are processors, rather than on one that is promised.
  @inline(__always) final var isBounded: Bool { kind == .global || kind == .concurrent }
}
