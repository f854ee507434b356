// ThreadTable.swift: which thread has which slot, for those who read other threads. How a thread gets one is ThreadSlot.swift.
import CSignalbox
import SignalboxWords

/// The threads that hold slots, by owner value and by the kernel's number.
///
/// Thread safety: any thread. Allocates nothing and takes no lock; an answer may be old when it arrives.
public enum ThreadTable {
  /// One thread that holds a slot.
  public struct Entry: Equatable, Sendable {
    /// What the words of locks and queues name it by.
    public let owner: UInt64
    /// The kernel's number.
    public let thread: Int32
    /// Where its `ThreadRecord` is: memory of the thread, to be read with `SafeMemory` only.
    public let record: UInt
  }

  /// The thread that `owner` names; nil once it has ended.
  public static func entry(owner: UInt64) -> Entry? {
    guard let entry = entry(slot: OwnerValue.slot(of: owner)), entry.owner == owner else { return nil }
    return entry
  }

  /// The slot holder with the kernel's number `thread`; nil if that thread has none.
  ///
  /// - Complexity: O(slots given out so far).
  public static func entry(thread: Int32) -> Entry? {
    first { $0.thread == thread }
  }

  /// The first entry that `isWanted` accepts, in the order of slots.
  public static func first(where isWanted: (Entry) -> Bool) -> Entry? {
    var slot: UInt64 = 1
    let highest = highestSlot.loadAcquire()  // acquire T3: pairs with T4; slots that were entered before are read
    while slot <= highest {
      if let entry = entry(slot: slot), isWanted(entry) { return entry }
      slot += 1
    }
    return nil
  }

  // MARK: the table

  /// The highest slot that was ever given out: how far a scan goes.
  private static let highestSlot = Atomic64(0)

  // SAFETY: a static C table of process life, of 64-bit words; every access is atomic.
  private static func cells(_ slot: UInt64) -> UnsafePointer<Atomic64> {
    UnsafeRawPointer(sb_slot_at(slot)).assumingMemoryBound(to: Atomic64.self)
  }

  static func entry(slot: UInt64) -> Entry? {
    let cells = cells(slot)
    // acquire T1: pairs with T2; the record's address belongs to the thread that is named.
    let who = cells[0].loadAcquire()
    guard who != 0 else { return nil }
    // acquire T5: pairs with T6; who reads the next thread's record sees below that the slot was given back before.
    let record = UInt(cells[1].loadAcquire())
    // acquire T1, as above
    guard cells[0].loadAcquire() == who else { return nil }
    let holder = SlotHolder(rawValue: who)
    return Entry(owner: holder.owner, thread: holder.kernel, record: record)
  }

  /// The calling thread has got its slot.
  static func enter(_ owner: UInt64, _ thread: ThreadPointer) {
    let cells = cells(OwnerValue.slot(of: owner))
    // release T6: the slot was given back before; pairs with T5. T2 below publishes it.
    cells[1].storeRelease(UInt64(UInt(bitPattern: thread)))
    // release T2: publishes the record's address to T1.
    cells[0].storeRelease(SlotHolder(owner: owner, kernel: UInt32(truncatingIfNeeded: thread.pointee.tid)).rawValue)
    if !ProcessDescription.isWritten(.mark) {
      ProcessDescription.begin(highestSlot: withUnsafePointer(to: highestSlot) { UInt(bitPattern: $0) })
    }
    var old = highestSlot.loadRelaxed()  // relaxed: the swap re-checks
    let slot = OwnerValue.slot(of: owner)
    while old < slot {
      // release T4: the entry was made before; pairs with T3.
      let swap = highestSlot.casAcqRel(old, slot)
      if swap.exchanged { return }
      old = swap.original
    }
  }

  /// The slot is about to be given back.
  // release T2, as above: whoever saw the entry before sees it whole, or not.
  static func leave(_ owner: UInt64) { cells(OwnerValue.slot(of: owner))[0].storeRelease(0) }
}
