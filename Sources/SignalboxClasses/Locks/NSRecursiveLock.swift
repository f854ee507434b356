// NSRecursiveLock.swift: Foundation's lock that its holder may take again. The plain one is NSLock.swift.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// A mutex that its holder may lock again; it is free when it has been unlocked as often as it was locked.
///
/// No system call and no allocation while threads do not compete. Unlocking it on a thread that does not hold it changes
/// nothing, and is reported once.
///
/// Thread safety: any thread. Memory: writes of the previous holder are visible to the next.
///
/// ```swift
/// let lock = NSRecursiveLock()
/// func visit(_ depth: Int) { lock.withLock { if depth > 0 { visit(depth - 1) } else { print("at the bottom") } } }
/// visit(3)
/// ```
// SAFETY of @unchecked: the state is atomic words; what else an object has of a subclass is the subclass's business.
open class NSRecursiveLock: NSObject, NSLocking, @unchecked Sendable {
  final let core = LockCore()
  private final let traits = LockTraits()
  // How often the holder has taken the lock beyond the first time. SAFETY: only the holder touches it.
  @exclusivity(unchecked) final var depth = 0
  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Creates a free lock without a name.
  public override init() {
    super.init()
    core.isMade(.nsRecursiveLock)
  }
  deinit { traits.isGone(core) }

  /// Class, address, name and current holder. Thread safety: any thread. Meant for people: the wording may change.
  ///
  /// ```swift
  /// let lock = NSRecursiveLock()
  /// lock.name = "tree"
  /// lock.withLock { print(lock) }  // <NSRecursiveLock: 0x…>{name = "tree", held by thread …}
  /// ```
  open override var description: String { core.text(.nsRecursiveLock, object: address) }

  /// The name shown in reports; nil at first. Thread safety: any thread.
  open var name: String? {
    get { traits.name(of: core.address) }
    set { traits.setName(newValue, of: core.address, object: address) }
  }

  /// Acquires the lock; blocks while another thread holds it.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock() {
    if core.isMine {
      depth += 1
    } else if !core.lockFast() {
      _ = core.lock(.nsRecursiveLock, object: address, until: .never)
    }
  }

  /// Acquires the lock if no other thread holds it.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func `try`() -> Bool { isTakenAgain() || core.tryLock(.nsRecursiveLock, object: address) }

  /// Acquires the lock; waits at most until `limit` on the wall clock. Returns false if the time ran out; a date that has
  /// passed tries once.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock(before limit: Date) -> Bool {
    isTakenAgain() || core.lockFast() || core.lock(.nsRecursiveLock, object: address, until: LockDeadline(limit))
  }

  /// Reverses one `lock()`; the last one makes the lock free.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func unlock() {
    guard core.isMine else { return LockClassMisuse.recursiveUnlockedByStranger(address, traits) }
    if depth > 0 {
      depth -= 1
    } else if !core.unlockFast() {
      _ = core.unlock(.nsRecursiveLock, object: address)
    }
  }

  /// Takes the lock once more for its holder; false for every other thread.
  private final func isTakenAgain() -> Bool {
    guard core.isMine else { return false }
    depth += 1
    return true
  }
}
