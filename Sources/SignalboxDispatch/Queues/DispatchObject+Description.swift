// DispatchObject+Description.swift: what `print` shows of queues, groups, semaphores, sources and channels, and what dispatch_debug and
// reports show of them: one text. Its form is ObjectText's; work items have theirs in DispatchWorkItem+Description.swift.
import SignalboxDiagnosis
import SignalboxSystem

extension DispatchObject: CustomStringConvertible, CustomDebugStringConvertible {
  /// What the object is, its label or name, its address, and its state at this moment: `<DispatchQueue "store" 0x… serial, 3 pending>`.
  ///
  /// - Note: Thread safety: any thread. For people: the words may change.
  public final var description: String {
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    switch self {
    case let queue as DispatchQueue: return queue.text
    case let group as DispatchGroup: return ObjectText.plain("DispatchGroup", group.name, address, group.facts)
    case let semaphore as DispatchSemaphore:
      return ObjectText.plain("DispatchSemaphore", semaphore.name, address, semaphore.facts)
    case let source as DispatchSource: return ObjectText.plain("DispatchSource", nil, address, source.facts)
    case let channel as DispatchIO: return ObjectText.plain("DispatchIO", nil, address, channel.facts)
    case let data as DataNode: return ObjectText.plain("DispatchData", nil, address, ["\(data.count) bytes"])
    default: return ObjectText.plain("\(type(of: self))", nil, address, [])
    }
  }

  /// As `description`.
  public final var debugDescription: String { description }
}

extension DispatchQueue {
  fileprivate final var text: String {
    let type =
      self is DispatchSerialQueue || self is DispatchConcurrentQueue || isWorkloop ? "\(Swift.type(of: self))" : "DispatchQueue"
    return ObjectText.plain(type, name, address, facts)
  }

  private final var facts: [String] {
    let state = QueueState(rawValue: self.state.loadAcquire())
    return [kindWord] + [state.stopFact, runFact(state), pendingFact].compactMap { $0 }
  }

  private final var kindWord: String {
    switch kind {
    case .serial: "serial"
    case .concurrent: "concurrent"
    case .global: "global, concurrent"
    case .main: "main, serial"
    case .runLoop: "a run loop's, serial"
    }
  }

  private final func runFact(_ state: QueueState) -> String? {
    let owner = state[QueueState.owner], readers = state[QueueState.width]
    if state[QueueState.exclusive] == 1 { return "taken by \(ObjectText.thread(owner))" }
    return readers > 0 ? "\(readers) running" : nil
  }

  private final var pendingFact: String? {
    let count = pendingCount
    return count > 0 ? "\(count) pending" : nil
  }

  /// How many entries its list has, about: items, queues that run on it and have items, threads that wait in it.
  final var pendingCount: UInt64 {
    // relaxed: a number for people, old when it arrives.
    let end = tail.loadRelaxed()
    var position = head.loadRelaxed(), count: UInt64 = 0
    let endPage = DispatchQueue.page(end)
    for _ in 0..<10_000 {
      let page = DispatchQueue.page(position), index = DispatchQueue.index(position)
      if page == endPage { return count + max(DispatchQueue.index(end), index) - index }
      count +=
        (page == 0 ? InlineSlots.count : ItemPage.slotCount) - min(index, page == 0 ? InlineSlots.count : ItemPage.slotCount)
      // A page may be given back meanwhile: the kernel refuses what is gone, and what is another's now is bounded above.
      let next = page == 0 ? inlineNext.loadRelaxed() : SafeMemory.word64(UInt(page)) ?? 0
      if next == 0 { return count }
      position = next << 16
    }
    return count
  }
}

extension QueueState {
  fileprivate var stopFact: String? {
    let count = self[QueueState.suspendCount]
    if self[QueueState.inactive] == 1 { return "not activated" }
    return count == 0 ? nil : count == 1 ? "suspended" : "suspended \(count) times"
  }
}

extension DispatchGroup {
  fileprivate final var facts: [String] { [memberCount == 0 ? "empty" : "\(memberCount) inside"] }
}

extension DispatchSemaphore {
  fileprivate final var facts: [String] {
    let count = Int64(bitPattern: value.loadRelaxed())  // relaxed: for people
    return count >= 0 ? ["value \(count)"] : ["value 0", "\(-count) waiting"]
  }
}

extension DispatchSource {
  fileprivate final var facts: [String] {
    let state = core.isCancelled ? "cancelled" : QueueState(rawValue: core.state.loadAcquire()).stopFact ?? "active"
    return ["\(core.noun) on \"\(core.label)\"", state]
  }
}

extension DispatchIO {
  fileprivate final var facts: [String] { ["\(channel.type)", "descriptor \(channel.descriptor.number)"] }
}
