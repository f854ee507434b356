// ThreadSlot.swift: how the engine names a thread: by a slot id with a generation, given at first use and returned at
// exit. Also whether the process's first thread is still there.
//
// Kernel thread ids are reused at once, so a stale owner field could name a stranger. A slot's generation changes with
// each owner: (id, generation) repeats only after 256 threads had that very slot. Ids 1…65,535; 0 means no thread.
//
// A thread's end is noticed by the destructor of a thread-specific key. The C library runs the destructors of all keys
// again and again, but not more than four times; one of the program's that uses queues in the last round takes a slot
// that is never given back. So before the table grows, the slots of threads that the kernel does not know any more are
// taken back (`reclaimAssumingLocked`).
public import CSignalbox
import SignalboxWords

/// The calling thread's record. SAFETY of the pointer: thread-local storage, valid while the thread runs; others never use it.
public typealias ThreadPointer = UnsafeMutablePointer<ThreadRecord>
/// What every thread has of its own: its slot, its frames, its caches.
public typealias ThreadRecord = sb_thread
/// A part of a task that runs on a thread, for the register of tasks.
package typealias TaskPart = sb_part

/// Thread slots and what happens when a thread ends.
public enum ThreadSlot {
  /// The low bits of an owner: the slot id.
  public static var idBits: Int { Int(OwnerValue.slotBits) }
  /// How many bits an owner has: id and generation.
  public static var ownerBits: Int { Int(OwnerValue.bits) }
  /// How many threads may hold slots at one time.
  public static let limit = Int(SB_SLOT_COUNT) - 1

  /// The calling thread's record; its `owner` is 0 until `enrol()`.
  @inlinable @inline(__always) public static var current: ThreadPointer { sb_thread_get() }

  /// The parts of tasks that run on the thread, the outermost first; and how many are kept.
  @inline(__always) package static func parts(of thread: ThreadPointer) -> UnsafeMutablePointer<TaskPart> {
    sb_thread_parts(thread)
  }
  package static var mostParts: Int { Int(SB_PARTS) }

  /// The calling thread's owner value, giving it a slot at first use. Never 0.
  @inlinable @inline(__always) public static func owner() -> UInt64 {
    let owner = sb_thread_get().pointee.owner
    return owner != 0 ? owner : enrol()
  }

  /// Gives the calling thread a slot, and arranges that its end is noticed.
  ///
  /// - Note: allocates nothing of its own. Stops the program when 65,535 threads hold slots, or no thread key is left.
  @inline(never) public static func enrol() -> UInt64 {
    let thread = sb_thread_get()
    if thread.pointee.owner != 0 { return thread.pointee.owner }
    let id = takeID()
    let owner = OwnerValue.of(slot: UInt64(id), generation: slotGenerations[Int(id)])
    thread.pointee.owner = owner
    thread.pointee.tid = UInt64(sb_gettid())
    if Threads.isMain { FirstThread.isEnrolled() }
    ThreadTable.enter(owner, thread)
    let result = sb_thread_at_exit { ThreadSlot.threadEnds() }
    if result < 0 {
      Misuse.stopHere("no thread-specific key is left (errno \(-result)): Signalbox cannot notice the end of threads")
    }
    Instruments.readEnvironment()
    return owner
  }

  /// The kernel's number of the calling thread.
  public static func kernelID() -> Int32 { sb_gettid() }

  // MARK: exit hooks, run in the order they were added

  /// Runs `hook` on every enrolled thread that ends, before its slot returns. At most eight; for the life of the process.
  public static func onThreadEnd(_ hook: @escaping @Sendable () -> Void) {
    lock()
    defer { unlock() }
    precondition(exitHooks.count < 8, "too many thread-end hooks")
    exitHooks.append(hook)
  }

  private static func threadEnds() {
    let thread = sb_thread_get()
    thread.pointee.is_ending = 1
    // What it was inside of lay on a stack that is unwound by now, however the thread has come to its end.
    thread.pointee.frames = nil
    if Threads.isMain { FirstThread.ends() }  // before the hooks: what they find left is served without it
    lock()
    let hooks = exitHooks
    unlock()
    for hook in hooks { hook() }
    let owner = thread.pointee.owner
    guard owner != 0 else { return }
    ThreadTable.leave(owner)
    thread.pointee.owner = 0
    returnID(UInt16(truncatingIfNeeded: owner))
  }

  // MARK: the table

  // SAFETY: C arrays of process life; elements are touched only between lock() and unlock(), or by the slot's owner.
  static var slotGenerations: UnsafeMutablePointer<UInt8> {
    sb_slot_generations_address()
  }
  private static var freeIDs: UnsafeMutablePointer<UInt16> {
    sb_slot_free_address()
  }
  private static let word = Atomic32(0)
  // SAFETY: both guarded by `word`.
  nonisolated(unsafe) private static var freeCount = 0
  nonisolated(unsafe) private static var highest = 0
  nonisolated(unsafe) private static var exitHooks: [@Sendable () -> Void] = []
  // SAFETY: as above. How many slots are given out before the first search for threads that are gone.
  nonisolated(unsafe) private static var reclaimsAt = 1024

  // Tests take and return ids without a thread.
  static func takeID() -> UInt16 {
    lock()
    defer { unlock() }
    if freeCount == 0, highest >= min(reclaimsAt, limit) { reclaimAssumingLocked() }
    if freeCount > 0 {
      freeCount -= 1
      return freeIDs[freeCount]
    }
    guard highest < limit else { Misuse.stopHere("more than \(limit) threads use Signalbox at one time: use fewer threads") }
    highest += 1
    return UInt16(highest)
  }

  static func returnID(_ id: UInt16) {
    lock()
    defer { unlock() }
    returnAssumingLocked(id)
  }

  private static func returnAssumingLocked(_ id: UInt16) {
    slotGenerations[Int(id)] &+= 1
    freeIDs[freeCount] = id
    freeCount += 1
  }

  /// Takes back the slots of threads that have ended unnoticed. A thread that lives has its number: none of those is taken.
  private static func reclaimAssumingLocked() {
    for id in 1...UInt64(highest) {
      guard let entry = ThreadTable.entry(slot: id), sb_thread_exists(entry.thread) == 0 else { continue }
      ThreadTable.leave(entry.owner)
      returnAssumingLocked(UInt16(id))
    }
    // As many again at least have to come before the next search: all searches together cost each thread a few.
    reclaimsAt = max(1024, 2 * (highest - freeCount))
  }

  // A spin that yields: held for a few instructions, at the birth and death of threads only.
  private static func lock() {
    // acquire: pairs with the release in unlock(); the table's contents travel with the word.
    while !word.casAcquire(0, 1).exchanged { Parking.yield() }
  }
  private static func unlock() { word.storeRelease(0) }  // release: pairs with the acquire in lock()
}

// MARK: the process's first thread

// Whether it is still there, as far as Signalbox has met it. Swift's runtime ends it when an asynchronous main()
// suspends, and so does the toolchain's dispatchMain().
//
//   0 unseen   it holds no slot: its end would not be noticed
//   1 met      it holds one, and its end leads to 2
//   2 ended    for good

/// The process's first thread.
public enum FirstThread {
  private static let word = Atomic32(0)

  // seq_cst both: compared with what is left for the thread by those who ask, and by the end itself the other way round.
  /// Whether it has ended, as far as that was noticed. Thread safety: any thread.
  public static var hasEnded: Bool { word.loadSeqCst() == 2 }
  /// Whether its end was noticed, or will be.
  public static var isMet: Bool { word.loadSeqCst() != 0 }  // seq_cst: as above

  /// The calling thread, which is the first, has its slot.
  static func isEnrolled() { _ = word.casSeqCst(0, 1) }  // seq_cst: as the loads; an end is final

  /// It ends now, or somebody has found that it has ended.
  public static func ends() { word.storeSeqCst(2) }  // seq_cst: before the check of what was left; pairs with the loads
}
