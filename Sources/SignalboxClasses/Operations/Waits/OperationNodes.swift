// OperationNodes.swift: operations in the search for stalls: keeps what is scanned alive until the scan is over, and says in words why
// an operation does not come to its end. What needs what is OperationSnapshot.swift.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// The operations that threads wait for, and all that these depend on.
// SAFETY of @unchecked: one scan at a time, and all calls on the thread that scans.
final class OperationNodes: @unchecked Sendable {
  private var kept: [UInt: NSObject] = [:]
  private var holds: [UInt: OperationHold] = [:]

  func addNodes(to snapshot: inout WaitSnapshot) {
    let awaited = OperationWaits.awaited
    guard !awaited.isEmpty else { return }
    let found = OperationSnapshot(awaited)
    kept.merge(found.kept) { old, _ in old }
    holds = found.holds
    for node in found.nodes { snapshot.add(node) }
  }

  func hasAnswer(_ kind: WaitKind, _ object: UInt) -> Bool {
    switch (kind, kept[object]) {
    case (.operation, let operation as Operation): operation.state.isSettled
    case (.operationQueue, let queue as OperationQueue): queue.lock.withLock { queue.shape.isEmpty }
    default: false
    }
  }

  /// An object of which the scan has the last reference would have gone sooner without the scan, and done then what it
  /// does when it goes.
  func endScan() -> Bool {
    let objects = Array(kept.values)
    (kept, holds) = ([:], [:])
    return LastReferences.letGo(of: objects)
  }

  // MARK: words

  func title(of address: UInt) -> String? {
    switch kept[address & ~1] {
    case let operation as Operation: operation.title
    case let queue as OperationQueue: address & 1 == 1 ? "a place in \(queue.title)" : queue.title
    default: nil
    }
  }

  func reason(at address: UInt, _ isStuck: (UInt) -> Bool) -> String? {
    guard let first = holds[address] else { return nil }
    var (here, hold) = (address, first)
    var seen: Set<UInt> = [address]
    // Down to where it is not operations that are waited for: the first of several that are stuck.
    while let next = hold.leadsTo?.first(where: isStuck), let known = holds[next] {
      guard seen.insert(next).inserted else { return words(here, "depends on itself", from: address) }
      (here, hold) = (next, known)
    }
    if case .place(let place) = hold, let known = holds[place] { return words(here, known.text(self, place), from: address) }
    return words(here, hold.text(self, here), from: address)
  }

  private func words(_ here: UInt, _ text: String, from start: UInt) -> String {
    here == start ? text : "needs \(title(of: here) ?? "an operation"), which \(text)"
  }
}

extension OperationHold {
  /// The operations of which one has to be asked to say why.
  fileprivate var leadsTo: [UInt]? {
    switch self {
    case .operations(let addresses), .barrier(let addresses), .contents(let addresses): addresses
    default: nil
    }
  }

  /// What keeps the operation, or the place at `address`.
  fileprivate func text(_ nodes: OperationNodes, _ address: UInt) -> String {
    let queue = nodes.title(of: address & ~1) ?? "its queue"
    switch self {
    case .nothing, .place: return "is about to go on"
    case .thread(let number): return "runs on thread \"\(KernelThread.name(number) ?? "?")\" (\(number)), which waits"
    case .untold: return "has begun and is in no call of main(): nothing is left to say that it is finished"
    case .unqueued: return "is in no queue, and nothing is left to start it"
    case .notReady: return "says that it is not ready, and nothing is left to change that"
    case .suspended: return "is in \(queue), which is suspended, and nothing is left to resume it"
    case .limitZero: return "is in \(queue), whose maximum is 0, and nothing is left to raise it"
    case .taken(let operations): return Self.taken(operations.map { nodes.title(of: $0) ?? "?" }, queue)
    case .turn(_, let turn): return "is due in \(queue), and waits for \(turn)"
    case .operations, .barrier, .contents: return "waits for operations that nothing is known to keep"
    }
  }

  private static func taken(_ titles: [String], _ queue: String) -> String {
    let shown = titles.prefix(4).joined(separator: ", ") + (titles.count > 4 ? " and others" : "")
    if titles.count == 1 { return "waits for the only place in \(queue), which \(shown) has" }
    return "waits for a place in \(queue), all \(titles.count) of which are taken: by \(shown)"
  }
}
