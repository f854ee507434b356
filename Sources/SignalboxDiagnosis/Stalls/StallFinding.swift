// StallFinding.swift: from what can never move to what is reported: one finding for each cause. Pure; the report is
// StallReport.swift.

import SignalboxWaits

/// Waits that no thread is left to end, and why.
package struct StallFinding: Sendable, Equatable {
  /// How sure it is.
  package var certainty: DeadlockReport.Certainty
  /// Why.
  package var cause: StallReport.Cause
  /// Whose waits make the finding, the main thread's or a worker's first; of a cycle its nodes in order.
  package var nodes: [WaitNode.Key] = []
  /// The threads that wait besides, as a consequence or for what those above might do.
  package var others: [WaitNode.Key] = []
  /// The nodes whose sleep Signalbox cannot see into: they might still end it. None if it is certain.
  package var asleep: [WaitNode.Key] = []

  /// Whether code that runs could still change what is needed: take a dependency away, say.
  var isChangeable = false

  /// Whether something is armed or monitored that might cause code to run.
  var distrustsEvents: Bool { asleep.contains(.events) }
  /// On what its certainty rests; nil if it is suspected.
  package var basis: CertaintyBasis? { certainty == .certain ? .nobodyLeft : nil }
  /// What was believed of others when it was found.
  var trust: Reduction.Trust { certainty == .certain ? .mayWake : isChangeable ? .nobodyChanges : .nothingComes }
}

extension WaitSnapshot {
  /// What is to be reported of this scan: what is certain; for other causes what is suspected; and for others again what is suspected
  /// of waits that have outlasted whatever timers and sources brought.
  package func findings() -> [StallFinding] {
    var found = findings(Reduction.stuck(self, .mayWake), .certain)
    for trust in [Reduction.Trust.nobodyChanges, .staysAsleep, .nothingComes] {
      let more = findings(Reduction.stuck(self, trust), .suspected, isChangeable: trust == .nobodyChanges)
      found += more.filter { finding in
        !found.contains { $0.cause == finding.cause } && (!finding.distrustsEvents || isLong(finding))
      }
    }
    return found
  }

  private func isLong(_ finding: StallFinding) -> Bool {
    finding.nodes.compactMap { nodes[$0]?.wait }.allSatisfy(\.isLong)
  }

  private func findings(
    _ stuck: Set<WaitNode.Key>, _ certainty: DeadlockReport.Certainty, isChangeable: Bool = false
  ) -> [StallFinding] {
    let part = Part(snapshot: self, stuck: stuck, certainty, isChangeable: isChangeable)
    guard !part.waits.isEmpty || part.hasObjects else { return [] }
    var found = [part.pool(), part.mainQueue(), part.cycle()].compactMap { $0 }
    // What lies queued, or depends on itself, might do what all the threads wait for: that is the cause then.
    if found.isEmpty, let nobody = part.nobody() { found = [nobody] }
    // A cycle that may open and that no thread is part of, is reported by its layer.
    found.removeAll { isChangeable && $0.cause == .cycle && !$0.nodes.contains(where: \.isThread) }
    return found.map { finding in
      var finding = finding
      finding.isChangeable = isChangeable
      finding.others = part.waits.filter { !finding.nodes.contains($0) }
      if certainty == .suspected, !isChangeable { finding.asleep = part.asleep.filter { !finding.nodes.contains($0) } }
      return finding
    }
  }
}

extension WaitSnapshot {
  /// Whether a cycle is found by a thread that begins to wait: one of owners alone, and one thread's wait for what it
  /// runs itself.
  func isFoundByWalks(_ finding: StallFinding) -> Bool {
    guard finding.cause == .cycle else { return false }
    let needs = finding.nodes.filter(\.isObject).map { key -> WaitNode.Need? in
      if case .needs(let need) = nodes[key]?.state { need } else { nil }
    }
    if needs.contains(where: { $0?.isChangeable == true }) { return false }
    if finding.nodes.count(where: \.isThread) == 1 { return true }
    return needs.allSatisfy { $0?.keys.count == 1 && $0?.keys.first?.isThread == true }
  }
}

/// The part of a scan that is stuck.
private struct Part {
  let snapshot: WaitSnapshot
  let stuck: Set<WaitNode.Key>
  /// The threads in waits of Signalbox's, in the order of their numbers.
  let waits: [WaitNode.Key]
  /// The threads that sleep elsewhere.
  let asleep: [WaitNode.Key]
  let hasObjects: Bool
  let certainty: DeadlockReport.Certainty
  /// Whether it is stuck only because no node changes what could be changed.
  let isChangeable: Bool

  init(snapshot: WaitSnapshot, stuck: Set<WaitNode.Key>, _ certainty: DeadlockReport.Certainty, isChangeable: Bool) {
    (self.snapshot, self.stuck, self.certainty, self.isChangeable) = (snapshot, stuck, certainty, isChangeable)
    let nodes = stuck.compactMap { snapshot.nodes[$0] }.sorted { $0.key.order < $1.key.order }
    waits = nodes.filter { $0.wait != nil }.map(\.key)
    asleep = nodes.filter { if case .asleep = $0.state { true } else { false } }.map(\.key)
    hasObjects = nodes.contains { $0.key.isObject }
  }

  private func need(_ key: WaitNode.Key) -> WaitNode.Need? {
    switch snapshot.nodes[key]?.state {
    case .needs(let need), .asleep(let need): need
    default: nil
    }
  }
  private func keys(_ key: WaitNode.Key) -> [WaitNode.Key] { need(key)?.keys ?? [] }
  /// Whether something lies there, or a wait is for it.
  private func isWanted(_ key: WaitNode.Key) -> Bool {
    stuck.contains(key) && (snapshot.nodes[key]?.acts == true || waits.contains { keys($0).contains(key) })
  }

  /// Work is queued, there may be no further worker, and none of those that are there comes back.
  func pool() -> StallFinding? {
    guard isWanted(.pool), !waits.isEmpty else { return nil }
    let workers = keys(.pool).filter(waits.contains)
    return workers.isEmpty ? nil : StallFinding(certainty: certainty, cause: .pool, nodes: workers)
  }

  /// Items lie in the main queue, and the main thread does not come back to it. Not if it waits for some one thread: that is
  /// reported by the code that searches for cycles, or of the last of the chain.
  func mainQueue() -> StallFinding? {
    guard isWanted(.mainQueue), let main = keys(.mainQueue).first, !waits.isEmpty else { return nil }
    if case .needs(.all) = snapshot.nodes[main]?.state { return nil }
    let wanting = waits.filter { $0 != main && keys($0).contains(.mainQueue) }
    return StallFinding(certainty: certainty, cause: .mainQueue, nodes: [main] + wanting)
  }

  /// Objects of a layer above that depend on themselves, perhaps by way of threads.
  func cycle() -> StallFinding? {
    var finished: Set<WaitNode.Key> = []
    var found: [WaitNode.Key]?
    for start in stuck.sorted(by: { $0.order < $1.order }) where start.isObject && !finished.contains(start) {
      guard let nodes = cycle(from: start, &finished) else { continue }
      found = nodes
      // Rather one with a thread, if what is found may open.
      if !isChangeable || nodes.contains(where: \.isThread) { break }
      finished.formUnion(nodes)
    }
    return found.map { StallFinding(certainty: certainty, cause: .cycle, nodes: $0) }
  }

  /// The first cycle met on the way along what is stuck, depth first.
  private func cycle(from start: WaitNode.Key, _ finished: inout Set<WaitNode.Key>) -> [WaitNode.Key]? {
    var path: [(key: WaitNode.Key, rest: [WaitNode.Key])] = [(start, links(start))]
    var places = [start: 0]
    while let last = path.indices.last {
      guard let next = path[last].rest.popLast() else {
        places[path[last].key] = nil
        finished.insert(path.removeLast().key)
        continue
      }
      if let place = places[next] {
        let nodes = path[place...].map(\.key)
        // Told from a thread on, if there is one.
        let first = nodes.firstIndex(where: \.isThread) ?? 0
        if nodes.contains(where: \.isObject) { return Array(nodes[first...] + nodes[..<first]) }
      } else if !finished.contains(next) {
        places[next] = path.count
        path.append((next, links(next)))
      }
    }
    return nil
  }

  /// What of stuck objects and threads, and of the main queue, the node needs; the last comes first.
  private func links(_ key: WaitNode.Key) -> [WaitNode.Key] {
    keys(key).filter { stuck.contains($0) && ($0.isObject || $0.isThread || $0 == .mainQueue) }.reversed()
  }

  /// Whether any node that acts could end the wait, were there one: by itself, or by way of objects that it needs.
  private func isOpen(_ wait: WaitNode.Key) -> Bool {
    var seen: Set<WaitNode.Key> = [], rest = [wait]
    while let key = rest.popLast() {
      if need(key) == .anyone { return true }
      rest += links(key).filter { $0.isObject && seen.insert($0).inserted }
    }
    return false
  }

  /// Every node that could end these waits waits as well.
  func nobody() -> StallFinding? {
    let open = waits.filter(isOpen)
    return open.isEmpty ? nil : StallFinding(certainty: certainty, cause: .allWait, nodes: open)
  }
}

extension WaitNode.Key {
  fileprivate var isObject: Bool { if case .object = self { true } else { false } }
  fileprivate var isThread: Bool { if case .thread = self { true } else { false } }

  /// The order in which nodes are reported.
  fileprivate var order: UInt64 {
    switch self {
    case .thread(let number): UInt64(UInt32(bitPattern: number))
    case .pool: 1 << 62
    case .mainQueue: 1 << 62 + 1
    case .events: 1 << 62 + 2
    case .handlers: 1 << 62 + 3
    case .object(let address): 1 << 61 | UInt64(address)
    }
  }
}
