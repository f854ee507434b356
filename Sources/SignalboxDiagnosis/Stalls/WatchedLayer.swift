// WatchedLayer.swift: what a layer above tells the watch: its nodes, what they are called, and whether what a thread sleeps
// for has come already. How they are reduced is Reduction.swift.
import SignalboxSystem

/// A layer with nodes of its own: the engine has its queued work and idle workers; the layer with operations adds one node for
/// each that a waiting thread depends on.
///
/// Everything is called on the thread that looks, while the program runs: it must not wait for anything that a stuck thread
/// of the program might hold, and it must not fault.
package protocol WatchedLayer: AnyObject, Sendable {
  /// Adds the layer's nodes: each with a stamp that has changed if it has moved since an earlier look.
  func addNodes(to snapshot: inout WaitSnapshot)
  /// Whether the object of a wait holds already what is waited for: the thread is about to wake.
  func hasAnswer(_ kind: WaitKind, _ object: UInt) -> Bool
  /// Whether the queue at `address`, whose word stops it, was never activated.
  func isInactive(_ queue: UInt) -> Bool
  /// What a report calls the layer's node at `address`; nil if it is not the layer's.
  func title(of address: UInt) -> String?
  /// Why what is waited for at `address` does not come, as the last look found it; nil if it is not the layer's. `isStuck` tells
  /// which of the layer's nodes cannot move.
  func reason(at address: UInt, _ isStuck: (UInt) -> Bool) -> String?
  /// What ran last, and when it began; nil if the layer runs nothing, or has noted nothing.
  func lastItem() -> (item: RunningItem, since: UInt64)?
  /// What is armed or watched, and might bring somebody.
  func armed() -> [String]
  /// Who might change what the layer's changeable nodes need; nil if it has none.
  var whoChanges: String? { get }
  /// What lies in the queue at `address` if it is stopped and something does; members of `groups` are counted apart. The queue
  /// stays while it is asked for.
  func stopped(_ queue: UInt, groups: Set<UInt>) -> StoppedQueue?
  /// The look is over: what was kept alive for it goes. False if something of the program's may be freed by that, and so might
  /// have acted sooner without us: then what was seen says nothing.
  func endScan() -> Bool
}

extension WatchedLayer {
  package func hasAnswer(_ kind: WaitKind, _ object: UInt) -> Bool { false }
  package func isInactive(_ queue: UInt) -> Bool { false }
  package func title(of address: UInt) -> String? { nil }
  package func reason(at address: UInt, _ isStuck: (UInt) -> Bool) -> String? { nil }
  package func stopped(_ queue: UInt, groups: Set<UInt>) -> StoppedQueue? { nil }
  package func armed() -> [String] { [] }
  package func lastItem() -> (item: RunningItem, since: UInt64)? { nil }
  package var whoChanges: String? { nil }
  package func endScan() -> Bool { true }
}

extension WaitSnapshot {
  /// A thread that sleeps until somebody has work for it: it does nothing by itself. `stamp` changes when it has worked.
  package mutating func addIdle(_ thread: Int32, stamp: UInt64) {
    add(WaitNode(.thread(thread), stamp: stamp, .needs(.anyone)))
  }

  /// A thread that hands on what others bring, and sleeps in between: idle while the kernel shows it asleep.
  package mutating func addService(_ thread: Int32) {
    guard KernelThread.sample(UInt64(thread))?.isWaiting == true, let switches = KernelThread.switches(thread) else {
      return add(WaitNode(.thread(thread), .free))
    }
    addIdle(thread, stamp: switches)
  }
}

/// The layers that have registered: few, and for the life of the process.
enum WatchedLayers {
  private static let lock = InnerLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var list: [any WatchedLayer] = []

  static var all: [any WatchedLayer] { lock.withLock { list } }
  static func add(_ layer: any WatchedLayer) { lock.withLock { list.append(layer) } }
  static func title(of address: UInt) -> String? { all.lazy.compactMap { $0.title(of: address) }.first }
  static func reason(at address: UInt, _ isStuck: (UInt) -> Bool) -> String? {
    for layer in all { if let reason = layer.reason(at: address, isStuck) { return reason } }
    return nil
  }
  static func stopped(_ queue: UInt, groups: Set<UInt>) -> StoppedQueue? {
    for layer in all { if let found = layer.stopped(queue, groups: groups) { return found } }
    return nil
  }
  /// All of them, even if one says no.
  static func endScan() -> Bool { all.reduce(true) { $1.endScan() && $0 } }
}
