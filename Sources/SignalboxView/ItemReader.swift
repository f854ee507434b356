// ItemReader.swift: what an item is, by the two words of its slot, or by those that its drain keeps in its frame. A
// node is given back before its item runs, so its item's own words take its place there. What lies in closures and
// blocks is ClosureReader.swift.
import SignalboxWords

/// Reads items. What is gone is read as nothing, and what has become something else as candidates that no name fits.
package struct ItemReader {
  let memory: ReadMemory
  private let closures: ClosureReader
  /// Whether two functions are of one program or library.
  private let areOfOneImage: (UInt, UInt) -> Bool

  package init(_ memory: ReadMemory, areOfOneImage: @escaping (UInt, UInt) -> Bool) {
    (self.memory, self.areOfOneImage) = (memory, areOfOneImage)
    closures = ClosureReader(memory)
  }

  /// The item; nil if nothing is known of it. `frame`: that of the drain that runs it, on a thread that stands still.
  package func item(_ slot: Slot, in frame: FrameWord? = nil) -> RunningItem? {
    let word = slot.first & ~SlotKind.awaited, context = UInt(slot.second)
    var item = RunningItem(
      kind: slot.first & SlotKind.awaited == 0 ? "async" : "async and wait", function: UInt(word & ~SlotKind.cFunction))
    switch word {
    case SlotKind.workItem: item = workItem(at: context)
    case SlotKind.helper: item = RunningItem(kind: "iterations of a parallel loop")
    case ..<SlotKind.specialLimit, SlotKind.cFunction: return nil
    case _ where SlotKind.isClosure(word): item.inner = closures.inner(context)
    default:
      if let kind = kindOfJob(item.function) { return job(kind, at: JobLayout.address(slot.second)) }
      if UInt64(item.function) == memory.described(.blockCaller) {
        (item.function, item.inner) = closures.block(context)
      }
    }
    if let frame, isBarrier(frame) { item.kind = "barrier " + item.kind }
    return item
  }

  /// An item that lies in a list: a node's own words take its place. nil: it is none, but a queue's turn or a thread
  /// that waits there, or nothing is known of it.
  package func pending(_ slot: Slot) -> RunningItem? {
    switch slot.first {
    case SlotKind.queue, SlotKind.waiter: nil
    default: item(content(slot))
    }
  }

  /// What a slot holds: of a node the words of its item.
  package func content(_ slot: Slot) -> Slot {
    guard slot.first == SlotKind.node else { return slot }
    return Slot(memory.word64(slot.second) ?? 0, memory.word64(slot.second &+ 8) ?? 0)
  }

  /// The group of which a slot's item is a member; 0: of none, or it is not known.
  package func group(_ slot: Slot) -> UInt64 {
    let offset = memory.described(.nodeAudience)
    guard slot.first == SlotKind.node, offset != 0, let audience = memory.word64(slot.second &+ offset) else { return 0 }
    // With bit 0 set it is a waiting thread's record.
    return audience & 1 == 0 ? audience : 0
  }

  /// The class that an item was given, by its slot in a list; none where that is not known.
  package func givenClass(_ slot: Slot) -> GivenClass {
    switch slot.first {
    case SlotKind.workItem: return classOfWorkItem(at: slot.second)
    case SlotKind.node:
      let item = content(slot)
      if item.first == SlotKind.workItem { return classOfWorkItem(at: item.second) }
      let offset = memory.described(.nodeClass)
      return offset == 0 ? .unspecified : memory.byte(slot.second &+ offset).map { GivenClass(number: $0) } ?? .unspecified
    default: return .unspecified
    }
  }

  private func classOfWorkItem(at item: UInt64) -> GivenClass {
    let offset = memory.described(.itemClass)
    guard offset != 0, let byte = memory.byte(item &+ offset) else { return .unspecified }
    return GivenClass(byte: byte, among: memory.described(.classBytes)) ?? .unspecified
  }

  private func isBarrier(_ frame: FrameWord) -> Bool {
    frame.kind == .drainAlone && OwnerReader(memory).kind(ofQueue: UInt64(frame.object)) == .concurrent
  }

  private func workItem(at address: UInt) -> RunningItem {
    var item = RunningItem(kind: "work item")
    let offset = UInt(memory.described(.itemClosure))
    guard offset != 0, let closure = closures.closure(at: address &+ offset) else { return item }
    let caller = UInt(memory.described(.blockCaller))
    // A function of the C face stands before a block that was made a work item.
    if caller != 0, areOfOneImage(closure.function, caller) {
      item.inner = closures.functions(ofWorkItemWith: closure.context)
    } else {
      (item.function, item.inner) = (closure.function, closures.inner(closure.context))
    }
    return item
  }

  // MARK: jobs of tasks

  private func kindOfJob(_ function: UInt) -> String? {
    if function == 0 { return nil }
    if UInt64(function) == memory.described(.jobIsolated) { return RunningItem.jobOfActor }
    let others: [DescribedWord] = [.jobPreferring, .jobOfPool, .jobUnbound]
    return others.contains { memory.described($0) == UInt64(function) } ? RunningItem.jobOfTask : nil
  }

  private func job(_ kind: String, at address: UInt) -> RunningItem {
    let function = memory.word64(UInt64(address &+ JobLayout.resume)) ?? 0
    var item = RunningItem(kind: kind, function: UInt(function), inner: entries(ofTaskAt: address))
    item.job = UInt64(address)
    return item
  }

  /// A task that has not begun goes on in a function of the runtime's. Before its context lie the task's own function,
  /// mostly a thunk, and that one's context: two words of an object, a type perhaps, and the closure.
  private func entries(ofTaskAt job: UInt) -> [UInt] {
    guard let context = memory.word64(UInt64(job &+ JobLayout.context)), context != 0, let entry = memory.word64(context &- 24),
      let closure = memory.word64(context &- 16)
    else { return [] }
    return [UInt(entry)] + closures.asyncClosure(UInt(closure))
  }
}

// MARK: an item as reports and pictures name it

/// An item under way, or one that waits for its turn.
package struct RunningItem: Sendable, Equatable {
  /// What it is: `async`, `barrier async`, `work item`, ...
  package var kind = ""
  /// The function of its closure or block, or the C function; 0 if that is not known.
  package var function: UInt = 0
  /// What its context has where the next function would stand, if it is a thunk.
  package var inner: [UInt] = []
  /// The job of Swift's that it runs, or what may be one; 0: none.
  package var job: UInt64 = 0

  /// The kind of a job of Swift's tasks that is isolated to an actor, and of any other.
  package static var jobOfActor: String { "a job of an actor" }
  package static var jobOfTask: String { "a job of a task" }

  /// What may be its function, the likeliest first. Words that are no address are left out.
  package var places: [UInt] { ([function] + inner).filter { CodeAddress.mayBe(UInt64($0)) } }

  /// Nothing is known of it, or only what is given.
  package init(kind: String = "", function: UInt = 0, inner: [UInt] = []) {
    (self.kind, self.function, self.inner) = (kind, function, inner)
  }
}
