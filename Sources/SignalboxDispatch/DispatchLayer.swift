// DispatchLayer.swift: this module as the diagnosis knows it: queues, groups, semaphores, work items, the pool. What
// each answer is made of is described where the objects are: QueueWaits.swift, WorkItemWaits.swift, ItemWords.swift,
// EngineStallNodes.swift.
import SignalboxWaits
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// Registered while the image is loaded, so before any queue is made or entered.
struct DispatchLayer: DiagnosedLayer {
  // MARK: the order of locks

  func isOrdered(_ queue: UInt) -> Bool? { Self.lent(queue, DispatchQueue.self).use { !$0.isRoot } }

  func turn(of queue: UInt) -> QueueTurn? {
    Self.lent(queue, DispatchQueue.self).use { queue in
      let below = queue.targetReference.flatMap { $0.use { !$0.isRoot } ? $0 : nil }
      return QueueTurn(isShared: queue.isConcurrent, target: below.map { UInt($0.address) } ?? 0)
    }
  }

  // MARK: names

  func name(_ kind: WaitKind, _ address: UInt) -> String? {
    switch kind {
    case .sync, .barrierSync, .asyncAndWait: Self.lent(address, DispatchQueue.self).use { $0.title }
    case .group: Self.lent(address, DispatchGroup.self).use { "group \($0.identity)" }
    case .semaphore: Self.lent(address, DispatchSemaphore.self).use { $0.title }
    default: nil
    }
  }

  func description(_ kind: WaitKind, _ address: UInt) -> String? {
    switch kind {
    case .sync, .barrierSync, .asyncAndWait, .group, .semaphore: Self.lent(address, DispatchObject.self).use { $0.description }
    case .workItem: Self.lent(address, DispatchWorkItem.self).use { $0.description }
    default: nil
    }
  }

  func name(of frame: FrameWord) -> String? {
    let how = frame.kind.isDrain ? "an item of" : "sync on"
    return Self.lent(frame.object, DispatchQueue.self).use { "\(how) \($0.titleWithTargets)" }
  }

  func label(ofQueue queue: UInt) -> String? { Self.lent(queue, DispatchQueue.self).use { $0.name } }

  // SAFETY: the diagnosis asks only of what is alive: of what a waiting thread refers to or is inside of, which stands still, and of
  // what the calling thread is inside of or asks for.
  private static func lent<Object: AnyObject>(_ address: UInt, _ type: Object.Type) -> Lent<Object> {
    Lent(at: UInt64(address))
  }

  // MARK: names of what may be gone

  func copiedName(_ kind: WaitKind, _ address: UInt) -> String? { CopiedNames.name(kind, address) }
  func copiedDescription(_ kind: WaitKind, _ address: UInt) -> String? { CopiedNames.description(kind, address) }
  func copiedName(of frame: FrameWord) -> String? {
    let how = frame.kind.isDrain ? "an item of" : "sync on"
    return "\(how) \(CopiedNames.titleWithTargets(frame.object))"
  }
  func copiedLabel(ofQueue queue: UInt) -> String? { QueueDescription.label(of: queue) ?? "" }

  // MARK: what runs

  func forEachItem(_ body: (_ thread: Int32, _ item: UInt64) -> Void) { if Pools.isMade { PoolItems.forEach(body) } }
  func ownItem() -> UInt64? { PoolItems.own }
  func awaitEnd(ofItemOn thread: Int32) { if Pools.isMade { PoolItems.awaitEnd(on: thread) } }
  func lastItem() -> (item: RunningItem, since: UInt64)? {
    LastItems.latest.map { (ItemWords.item(.init(kind: $0.kind, function: $0.function, inner: $0.inner)), $0.since) }
  }

  // MARK: the search for stalls

  func addNodes(to snapshot: inout WaitSnapshot) { EngineStallNodes.addNodes(to: &snapshot) }
  func hasAnswer(_ kind: WaitKind, _ object: UInt) -> Bool { EngineStallNodes.hasAnswer(kind, object) }
  func isInactive(_ queue: UInt) -> Bool { QueueWaits.isInactive(queue) }
  func armed() -> [String] { EngineStallNodes.armed() }
  func stopped(_ queue: UInt, groups: Set<UInt>) -> StoppedQueue? { EngineStallNodes.stopped(queue, groups: groups) }

  // MARK: inspection

  func inspectionBegins() { EngineFigures.start() }
  func sample(_ note: (_ queue: AnyObject, _ taken: UInt64, _ pending: UInt64) -> Void) { EngineFigures.sample(note) }
}

// The loader calls what stands in this section. The other library is searched for now, because a wait may not search:
// the loader's lock may be held by a thread that waits for the caller. And a wait's record has to say whether its
// thread counts as the main one, whatever was called before it (`Threads.countsAsMain`).
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = {
  Layers.register(DispatchLayer())
  OtherDispatch.search()
}

extension DispatchSemaphore {
  /// How sentences name it.
  fileprivate final var title: String {
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    return "semaphore " + (name.map { "\"\($0)\"" } ?? "0x\(String(address, radix: 16))")
  }
}
