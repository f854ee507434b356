// ToolchainItems.swift: what an item of the toolchain's libdispatch is, and what may be its function: one that lies in
// a queue, or the handler of a source.
import SignalboxSystem
import SignalboxView

/// Reads items. What is gone meanwhile is read as nothing, or as candidates that no name fits.
struct ToolchainItemReader {
  private let library: ToolchainLibrary
  private let memory: any ProcessMemory
  private let closures: ClosureReader

  init(_ library: ToolchainLibrary, _ memory: any ProcessMemory) {
    (self.library, self.memory) = (library, memory)
    closures = ClosureReader(.other(memory, description: []))
  }

  private typealias Item = ToolchainLayout.Item

  private func word(_ address: UInt64) -> UInt64? { memory.word64(ReadNumber(address))?.bits }

  /// The item at an address, which lies in a queue; nil: it is not there.
  ///
  /// - Parameter mayRunBeside: the queue is concurrent, so that a barrier is something else than other items.
  func pending(_ address: UInt64, mayRunBeside: Bool) -> RunningItem? {
    guard let flags = word(address &+ Item.flags) else { return nil }
    if let kind = library.kinds[flags] { return RunningItem(kind: kind == .source ? "source" : "queue's turn") }
    guard flags < Item.flagsLimit else { return RunningItem(kind: "item") }
    let prefix = mayRunBeside && flags & Item.barrier != 0 ? "barrier " : ""
    guard flags & Item.awaited == 0 else { return awaited(address, prefix) }
    return continuation(address, flags, prefix + "async")
  }

  /// The handler of a source, whose kind the caller knows.
  func handler(_ address: UInt64, kind: String) -> RunningItem? {
    word(address &+ Item.flags).flatMap { $0 < Item.flagsLimit ? continuation(address, $0, kind) : nil }
  }

  private func continuation(_ address: UInt64, _ flags: UInt64, _ kind: String) -> RunningItem? {
    guard let function = word(address &+ Item.function), let context = word(address &+ Item.context) else { return nil }
    guard flags & (Item.block | Item.workItem) != 0 else {
      var item = RunningItem(kind: kind, function: UInt(function))
      item.job = context
      return item
    }
    return block(context, kind)
  }

  /// A thread's record, which lies in the queue until its turn.
  private func awaited(_ address: UInt64, _ prefix: String) -> RunningItem? {
    guard let function = word(address &+ ToolchainLayout.Waiter.function),
      let context = word(address &+ ToolchainLayout.Waiter.context)
    else { return nil }
    // The function of a block is called with the block.
    if word(context &+ 16) == function { return block(context, prefix + "sync") }
    return RunningItem(kind: prefix + "sync", function: UInt(function))
  }

  private func block(_ address: UInt64, _ kind: String) -> RunningItem {
    if word(address &+ ToolchainLayout.WorkItem.mark) == ToolchainLayout.WorkItem.magic,
      let inner = word(address &+ ToolchainLayout.WorkItem.inner)
    {
      let block = closures.block(UInt(inner))
      return RunningItem(kind: "work item", function: block.function, inner: block.inner)
    }
    let block = closures.block(UInt(address))
    return RunningItem(kind: kind, function: block.function, inner: block.inner)
  }
}
