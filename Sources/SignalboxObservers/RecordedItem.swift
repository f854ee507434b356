// RecordedItem.swift: what a recording has of items: which was submitted to which queue, and when it runs. Which item
// it is say the second word of its slot and, where that is 0, its function (Slot.swift): two items of one queue that
// have both alike do the same, and the first submitted is taken for the first to run.
import SignalboxDispatch
import SignalboxRecorder
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum RecordedItem {
  /// An item is about to be added to the queue. It is the caller's still.
  @inline(never)
  static func submitted(_ queue: UInt, _ slot: Slot) {
    // A queue that lies on its target's list is no item, nor is a thread that waits for its turn.
    if slot.first == SlotKind.queue || slot.first == SlotKind.waiter { return }
    RecordedNames.name(queue: queue)
    var traits: UInt64 = 0
    if let own = ItemWords.traits(slot) {
      traits = rank(own.qos) | (own.isBarrier ? ItemTraits.isBarrier : 0)
    } else if let job = RecordedJob(slot) {
      traits = rank(DispatchQoS(qosClass: job.qosClass, relativePriority: 0))
      return RecordHooks.write(.submitted, UInt64(queue) | traits, slot.second, job.course.function)
    }
    RecordHooks.write(.submitted, UInt64(queue) | traits, slot.second, functions(slot).outer)
  }

  /// An item begins on the calling thread, whose innermost frame is that of its queue's drain.
  @inline(never)
  static func starts(_ slot: Slot) {
    if slot.first == SlotKind.queue { return }
    let queue = ThreadSlot.current.innermostFrame.map { $0.pointee.object } ?? 0
    if queue != 0 { RecordedNames.name(queue: queue) }
    // One that waits in a node is a job like another.
    if let job = RecordedJob(ItemWords.work(slot)) {
      let course = job.course, inner = course.inner
      job.writeTask(course, inner)
      return RecordHooks.write(.started, UInt64(queue), slot.second, inner)
    }
    let functions = functions(slot)
    // An item that no address tells from others goes by its function.
    RecordHooks.write(.started, UInt64(queue), slot.second, slot.second == 0 ? functions.outer : functions.inner)
  }

  private static func rank(_ qos: DispatchQoS) -> UInt64 {
    switch qos.qosClass {
    case .background: 1
    case .utility: 2
    case .default: 3
    case .userInitiated: 4
    case .userInteractive: 5
    default: 0
    }
  }

  /// The function of an item that has not ended, and what that one may call if it is a thunk.
  // SAFETY: the item is alive: so are its node, its work item, its block and its closure's context.
  @inline(__always)
  private static func functions(_ slot: Slot) -> (outer: UInt64, inner: UInt64) {
    let slot = ItemWords.work(slot)
    if slot.first == SlotKind.workItem {
      guard ItemWords.blockOffset != 0 else { return (0, 0) }
      let closure = slot.second + UInt64(ItemWords.blockOffset), context = word(closure + 8)
      if let block = blockOfCFace(context) { return functions(ofBlock: block) }
      return (word(closure), held(context))
    }
    if slot.first < SlotKind.specialLimit { return (0, 0) }
    if slot.first & SlotKind.cFunction != 0 {
      // A job that waits in a node.
      if let course = RecordedJob(slot)?.course { return (course.function, course.inner) }
      guard slot.first == UInt64(CCall.blockCaller) | SlotKind.cFunction else { return (slot.first & ~SlotKind.cFunction, 0) }
      return functions(ofBlock: slot.second)
    }
    return (slot.first, held(slot.second))
  }

  /// Its function stands behind its flags; behind that is its description, whose second word is the block's size.
  @inline(__always) private static func functions(ofBlock block: UInt64) -> (outer: UInt64, inner: UInt64) {
    (word(block + 16), word(word(block + 24) + 8) >= 40 ? word(block + 32) : 0)
  }

  /// The block that a work item of the C face runs: its closure's context is what holds the block. nil: it is none.
  private static func blockOfCFace(_ context: UInt64) -> UInt64? {
    let holder = CFaceSupport.blockHolder.loadAcquire()  // acquire: pairs with the release of the C face
    return holder != 0 && context != 0 && word(context) == holder ? word(context + 16) : nil
  }

  /// The first word that a closure's context holds; 0: it holds none, or is an object of another kind.
  @inline(__always) private static func held(_ context: UInt64) -> UInt64 {
    // A context begins with the address of its kind. It holds something, or there were none: a word, or the allocator's
    // least piece, which has three.
    if context == 0 || word(word(context)) != kindOfContexts { return 0 }
    return word(context + 16)
  }

  /// What the runtime calls a closure's context, or a box (MetadataKind.def of Swift's ABI).
  private static let kindOfContexts: UInt64 = 0x400

  @inline(__always) private static func word(_ address: UInt64) -> UInt64 {
    UnsafeRawPointer.at(UInt(address)).load(as: UInt64.self)
  }
}
