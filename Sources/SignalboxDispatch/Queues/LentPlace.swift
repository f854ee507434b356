// LentPlace.swift: the place in a queue's list of a thread that waits in `sync`, where the queue's items have come to run on one other thread
// only: the queue was retargeted to the main queue, or to a run loop's. The thread's work runs there, in the thread's place.
//
//   drainer  finds the waiter first in its list, answers it with the address of a record on its own stack, and sleeps
//   waiter   wakes, makes an item of its work, leaves it in the record, answers, and waits for the item as in `asyncAndWait`
//   drainer  wakes, puts the item where the waiter stood, and goes on: the item is the next
// The drainer has the queue meanwhile, so no other thread changes its target or its list's beginning. Nothing of the program's runs before the
// waiter answers. Each record dies with the answer to it.
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

struct LentPlace: ~Copyable {
  private let answer = AnswerWord()
  /// The item's node. relaxed: the answer orders it
  private let node = Relaxed64(0)

  /// Lets the thread of `waiter`, which its list's owner has found first there, make an item of its work.
  static func item(of waiter: UnsafePointer<SyncWaiter>) -> ItemNodePointer {
    let place = LentPlace()
    return withUnsafePointer(to: place) { pointer in
      waiter.pointee.next.store(UInt64(UInt(bitPattern: pointer)))
      withUnsafePointer(to: waiter.pointee.answer.word) { AnswerWord.answer($0, .lend) }
      pointer.pointee.answer.waitRecorded()
      return .at(UInt(pointer.pointee.node.load()))
    }
  }

  /// The place that `bits` names gets an item. SAFETY: the record may be gone right after the answer.
  private static func fill(_ bits: UInt64, with node: ItemNodePointer) {
    let place = UnsafeRawPointer.at(UInt(bits)).assumingMemoryBound(to: LentPlace.self)
    place.pointee.node.store(UInt64(UInt(bitPattern: node)))
    withUnsafePointer(to: place.pointee.answer.word) { AnswerWord.answer($0) }
  }

  // MARK: the threads that are to fill one

  private struct Debt {
    let owner: UInt64
    let place: UInt64
  }
  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var debts: [Debt] = []
  // relaxed: a thread that owes an item has counted itself.
  private static let count = Relaxed64(0)

  /// The calling thread was told to lend its work to the place that `bits` names: it submits that next.
  static func owes(_ bits: UInt64) {
    lock.withLock { debts.append(Debt(owner: ThreadSlot.owner(), place: bits)) }
    _ = count.add(1)
  }

  /// Gives an item of the calling thread's its place in `queue`, if the thread owes one there. False: it is to be pushed.
  static func isFilled(with node: ItemNodePointer, in queue: DispatchQueue) -> Bool {
    if _fastPath(count.load() == 0) { return false }
    let me = ThreadSlot.owner()
    let debt = lock.withLock { debts.firstIndex { $0.owner == me }.map { debts.remove(at: $0) } }
    guard let debt else { return false }
    _ = count.add(0 &- 1)
    let slot = Slot.node(node)
    Events.emit(.placeFilled, queue.address, slot.first, slot.second)
    fill(debt.place, with: node)
    return true
  }
}
