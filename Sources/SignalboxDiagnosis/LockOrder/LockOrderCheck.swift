// LockOrderCheck.swift: what happens before a thread asks for a lock while it holds others: is this chain of classes known to it,
// and if not, what does the graph say. The seen-chain path takes no lock; README.md says why what it skips changes nothing.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// One lock of a chain.
struct HeldItem {
  let address: UInt
  let mode: LockMode
  let entry: LockEntry
  /// Where it stands among the thread's entries; -1 for the turn of a queue.
  let index: Int
  /// Of a queue's turn: the address of its frame, in the stack frame of the call that took the turn; nil for an item's.
  var taken: UInt?
}

enum LockOrderCheck {
  private static let capacity = 64

  /// Checks the order before the calling thread asks for `address`. Reports, and may stop the program.
  @inline(never)
  static func before(_ stack: HeldStack, _ address: UInt, _ kind: WaitKind, _ mode: LockMode, epoch: UInt64, _ caller: CallSite)
  {
    if stack[.isBusy] != 0 { return }
    if stack.count == 0, ThreadSlot.current.innermostFrame == nil { return noteWriter(stack, address, kind, epoch: epoch) }
    withUnsafeTemporaryAllocation(of: HeldItem.self, capacity: capacity) { buffer in
      var chain = Chain(buffer, epoch: epoch)
      guard chain.gather(stack, wanted: address) else { return }
      if chain.count == 0 { return noteWriter(stack, address, kind, epoch: epoch) }
      let wanted = entry(address, kind, epoch)
      if wanted.lockClass.has(LockClass.isUnordered) { return }
      let keys = chain.keys(wanted, mode)
      if stack.hasSeen(keys.byClass) || stack.hasSeen(keys.byInstance) { return }
      let item = Layers.first { $0.ownItem() } ?? 0
      if item != 0, stack.hasSeen(Chain.key(keys.byInstance, ofItem: item)) { return }
      stack[.isBusy] = 1
      defer { stack[.isBusy] = 0 }
      let (findings, memory) = LockWorld.lock.withLock { judge(stack, chain, wanted, mode, item, caller) }
      switch memory {
      case .classes: stack.remember(keys.byClass)
      case .locks: stack.remember(keys.byInstance)
      case .item: stack.remember(Chain.key(keys.byInstance, ofItem: item))
      }
      for finding in findings { LockOrder.tell(finding) }
    }
  }

  static func entry(_ address: UInt, _ kind: WaitKind, _ epoch: UInt64) -> LockEntry {
    if let known = LockRegistry.find(address, epoch: epoch), known.lockClass.has(LockClass.isOnce) == (kind == .once) {
      return known
    }
    return LockWorld.lock.withLock { LockRegistry.entryAssumingLocked(address, kind, epoch: epoch) }
  }

  /// Nothing comes before it; but of readers of other threads it must be known that there is a writer.
  private static func noteWriter(_ stack: HeldStack, _ address: UInt, _ kind: WaitKind, epoch: UInt64) {
    guard kind == .writeLock || kind == .barrierSync else { return }
    let lockClass = entry(address, kind, epoch).lockClass
    if lockClass.has(LockClass.hasWriter) { return }
    stack[.isBusy] = 1
    defer { stack[.isBusy] = 0 }
    let finding = LockWorld.lock.withLock { () -> LockOrderFinding? in
      lockClass.set(LockClass.hasWriter)
      return LockWorld.graph.observeWriter(of: lockClass.id).flatMap { describe($0) }
    }
    if let finding { LockOrder.tell(finding) }
  }

  // MARK: with the world's lock held

  /// What would show nothing else than a chain that was judged: other locks of the same classes; these locks; these locks in the same
  /// item of a pool, because another item counts as another thread.
  private enum Memory { case classes, locks, item }

  /// Adds what this chain shows. `item`: the item of a pool that the thread runs, 0 for none.
  private static func judge(
    _ stack: HeldStack, _ chain: borrowing Chain, _ wanted: LockEntry, _ mode: LockMode, _ item: UInt64, _ caller: CallSite
  ) -> (findings: [LockOrderFinding], memory: Memory) {
    var findings: [LockOrderFinding] = []
    var isFinal = true, isOfMany = true
    // Tracking was switched on anew meanwhile: the entries are others' by now.
    guard LockRegistry.isCurrentAssumingLocked(chain.epoch) else { return ([], .locks) }
    let thread = item == 0 ? stack[.serial] : Chain.key(stack[.serial], ofItem: item)
    let guards = chain.guards
    for position in 0..<chain.count {
      let held = chain[position]
      if held.entry.instance == wanted.instance { continue }
      let (from, to) = (held.entry.lockClass.id, wanted.lockClass.id)
      let place = { makePlace(stack, held, caller) }
      if let level = levels(from, to) {
        if level == .falling, let finding = describeLevel(from, to, place()) { findings.append(finding) }
        continue
      }
      let key = LockOrderEdge<LockOrderPlace>.Key(
        from: from, to: to, held: held.mode, wanted: mode, isAscending: from != to || held.address < wanted.key)
      let others = guards.subtracting([held.entry.instance])
      let outcome = LockWorld.graph.observe(key, thread: thread, guards: others, place: place())
      if case .cycle(let edges) = outcome, let finding = describe(edges) { findings.append(finding) }
      // Which of two locks of one class is taken first differs from pair to pair.
      isFinal = isFinal && from != to && LockWorld.graph.isUnguarded(key)
      isOfMany = isOfMany && LockWorld.graph.isOfMany(key)
    }
    if item != 0, !isOfMany { return (findings, .item) }
    return (findings, isFinal ? .classes : .locks)
  }

  private enum LevelOrder { case rising, falling }

  /// How two locks of one name stand to each other; nil unless both have levels, and different ones.
  private static func levels(_ from: UInt32, _ to: UInt32) -> LevelOrder? {
    guard let held = LockRegistry.textAssumingLocked(from), let wanted = LockRegistry.textAssumingLocked(to),
      held.name == wanted.name, let low = held.level, let high = wanted.level, low != high
    else { return nil }
    return low < high ? .rising : .falling
  }

  private static func makePlace(_ stack: HeldStack, _ held: HeldItem, _ caller: CallSite) -> LockOrderPlace {
    let heldAt = held.index >= 0 ? stack.entry(held.index).stack : held.taken.map { CallSite.outside($0) } ?? []
    return LockOrderPlace(
      threadName: Threads.ownName(), tid: stack[.tid], heldAt: heldAt, wantedAt: caller.addresses)
  }

  private static func describeLevel(_ from: UInt32, _ to: UInt32, _ place: LockOrderPlace) -> LockOrderFinding? {
    guard LockWorld.reported.insert([from, to]).inserted else { return nil }
    return LockOrderFinding(kind: .level, steps: [.init(place: place, held: text(from), wanted: text(to))])
  }

  /// The finding of a cycle; nil if its classes were reported before.
  private static func describe(_ edges: [LockOrderEdge<LockOrderPlace>]) -> LockOrderFinding? {
    guard LockWorld.reported.insert(Set(edges.map(\.key.from)).sorted()).inserted else { return nil }
    let steps = edges.map {
      LockOrderFinding.Step(place: $0.place, held: text($0.key.from), wanted: text($0.key.to))
    }
    return LockOrderFinding(kind: edges[0].key.from == edges[0].key.to ? .nesting : .inversion, steps: steps)
  }

  private static func text(_ id: UInt32) -> LockClassText {
    LockRegistry.textAssumingLocked(id) ?? LockClassText(kind: .mutex, name: "that is gone")
  }
}
