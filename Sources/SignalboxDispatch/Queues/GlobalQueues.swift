// GlobalQueues.swift: the five global queues: the roots under which every other queue's items run; and the queues of an
// engine beside the process's. Workers/ serves them, from lists of its own (Workers/PoolLists.swift).
import SignalboxSystem
import SignalboxWords

enum GlobalQueues {
  /// The process's; a private engine has its own.
  private static let ofProcess = RootQueues()

  /// The root of a class; unspecified means default.
  @inline(__always) static func queue(for qos: DispatchQoS.QoSClass) -> DispatchQueue { root(ServiceClass(qos)).kept }

  /// The root of a class as it stands in a target word; no reference is counted, roots live forever.
  static func bits(for qos: DispatchQoS.QoSClass) -> UInt64 { root(ServiceClass(qos)).address }

  /// That of the calling thread's engine.
  @inline(__always) private static func root(_ serviceClass: ServiceClass) -> Lent<DispatchQueue> {
    if _slowPath(ThreadSlot.current.pointee.engine != nil) { return ofPrivateEngine(serviceClass) }
    return ofProcess.root(serviceClass)
  }
  @inline(never) private static func ofPrivateEngine(_ serviceClass: ServiceClass) -> Lent<DispatchQueue> {
    PrivatePool.ofThread.map { $0.use { $0.pool.root(serviceClass) } } ?? ofProcess.root(serviceClass)
  }
  /// The root of a class, without counting a reference.
  static func queue(of serviceClass: ServiceClass) -> Lent<DispatchQueue> { root(serviceClass) }
  /// Those of the process's engine, whoever asks.
  static var processes: RootQueues { ofProcess }
}

/// The roots of one engine, which live forever.
struct RootQueues: Sendable {
  /// From the most urgent to the least.
  let addresses: InlineArray<5, UInt64>

  init() {
    addresses = InlineArray { number in
      let serviceClass = ServiceClass(known: number), label = "com.apple.root.\(serviceClass.name)-qos"
      let queue = DispatchQueue(name: label, kind: .global, qos: serviceClass.qos, target: .none, serviceClass: serviceClass)
      _ = Unmanaged.passRetained(queue)  // lives forever
      return UInt64(queue.address)
    }
  }

  /// The root of the class, without counting a reference. SAFETY: the numbers of the classes are those of the five.
  @inline(__always) func root(_ serviceClass: ServiceClass) -> Lent<DispatchQueue> {
    Lent(at: addresses[unchecked: serviceClass.rawValue])
  }
}

extension DispatchQueue {
  /// The class whose threads run the queue's items: that of its target, at the time at which that was set. A hint.
  @inline(__always) package final var serviceClass: ServiceClass { ServiceClass(known: Int(rootWord.load())) }

  /// Whether its items run on as many threads as there are processors, rather than on one that is promised.
  @inline(__always) final var isBounded: Bool { kind == .global || kind == .concurrent }
}

// MARK: the queues of an engine beside the process's

// Its main queue, and its global ones, which its pool has. The pool is Pools.swift (Workers/), the whole of it
// PrivateEngine.swift.

package class PrivateQueues: PrivatePool, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass.
  /// What `DispatchQueue.main` is on the engine's threads: a serial queue like others.
  final let main: DispatchQueue

  init() {
    _ = Pools.ofProcess
    _ = MainQueue.queue
    main = DispatchQueue(label: "com.apple.main-thread")
    super.init(Pool())
  }

  /// The calling thread's; nil if it has the process's.
  @inline(__always) static var ofCaller: Lent<PrivateQueues>? {
    // SAFETY: set by `adopt` to an engine that lives forever, and which is one of these.
    ThreadSlot.current.pointee.engine.map { Lent(at: UnsafeRawPointer($0)) }
  }

  /// The queue that stands in for one of the process's when a thread of the engine submits to it; nil for any other.
  @inline(never) static func standIn(for queue: DispatchQueue) -> DispatchQueue? {
    guard queue.isShared, let engine = ofCaller else { return nil }
    return engine.use { engine in
      if queue.isMain { return engine.main }
      let root = engine.pool.root(queue.serviceClass)
      return root.address == UInt64(queue.address) ? nil : root.kept
    }
  }
}
