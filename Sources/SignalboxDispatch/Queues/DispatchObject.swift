// DispatchObject.swift: what queues, groups and semaphores have in common: their base class, their text and their
// names. What `print`, dispatch_debug and reports show of an object is one text. Its form is ObjectText's, and each
// class says what it shows (`text(at:)`). Work items: DispatchWorkItem+Face.swift.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// The base class of all dispatch objects, with suspension, activation and the target queue. Objects are compared by identity.
///
/// Thread safety: every method may be called from any thread.
///
/// ```swift
/// func pause(_ object: DispatchObject, during work: () -> Void) {  // a queue, a source or a channel
///   object.suspend()
///   work()
///   object.resume()
/// }
/// pause(DispatchQueue(label: "uploads")) { print("no item starts") }
/// ```
public class DispatchObject: Hashable, @unchecked Sendable {
  // SAFETY of @unchecked: no stored properties here; each subclass argues for its own.

  init() {}

  /// Activates an inactive queue or source; has no effect on an active one, on groups and on semaphores.
  public func activate() {}
  /// Prevents the object's items from starting until a matching `resume()`; has no effect on main and global queues, groups and
  /// semaphores.
  public func suspend() {}
  /// Reverses one `suspend()`.
  public func resume() {}
  /// Sets the queue that runs the object's items; nil means the default global queue. Has no effect on groups and semaphores.
  public func setTarget(queue: DispatchQueue?) {}

  /// What `description` shows of the object, which lies at `address`.
  func text(at address: UInt) -> String { ObjectText.plain("\(type(of: self))", nil, address, []) }

  /// The address that all that the object runs follows, in the thread sanitizer's eyes.
  var sanitizedCause: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Whether both are the same object.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store"), log = DispatchQueue(label: "store")
  /// print(store == store, store == log)  // true false: the label does not count
  /// ```
  public static func == (left: DispatchObject, right: DispatchObject) -> Bool { left === right }
  /// Hashes the object's identity.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store"), log = DispatchQueue(label: "log")
  /// let limits: [DispatchQueue: Int] = [store: 100, log: 10]
  /// print(limits[store] ?? 0)  // 100
  /// ```
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// MARK: what `print` shows

extension DispatchObject: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of object, its label or name, its address and its current state: `<DispatchQueue "store" 0x… serial, 3 pending>`.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store")
  /// print(store)  // <DispatchQueue "store" 0x… serial>
  /// ```
  ///
  /// - Note: Thread safety: any thread. Meant for people: the wording may change.
  public final var description: String { text(at: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }

  /// The same as `description`.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store", attributes: .concurrent)
  /// debugPrint(store)  // <DispatchQueue "store" 0x… concurrent>
  /// ```
  public final var debugDescription: String { description }
}

extension DispatchQueue {
  /// The class as `print` shows it: those that are no part of the interface are plain queues.
  final var shownType: String {
    self is DispatchSerialQueue || self is DispatchConcurrentQueue || isWorkloop ? "\(Swift.type(of: self))" : "DispatchQueue"
  }

  final var shownFacts: [String] {
    let state = self.state.load()  // acquire: pairs with the swaps of the state; for people
    return [kind.adjective] + [state.stopFact, runFact(state), pendingFact].compactMap { $0 }
  }

  private final func runFact(_ state: QueueState) -> String? {
    let owner = state[QueueState.owner], readers = state[QueueState.width]
    if state[QueueState.exclusive] == 1 { return "taken by \(ObjectText.thread(owner))" }
    return readers > 0 ? "\(readers) running" : nil
  }

  private final var pendingFact: String? {
    let count = list.pendingCount
    return count > 0 ? "\(count) pending" : nil
  }
}

extension QueueState {
  /// What keeps the queue from running items, in words; nil if nothing does.
  var stopFact: String? {
    let count = self[QueueState.suspendCount]
    if self[QueueState.inactive] == 1 { return "not activated" }
    return count == 0 ? nil : count == 1 ? "suspended" : "suspended \(count) times"
  }
}

// MARK: names of groups and semaphores

// Groups and semaphores have no label. Their names are for reports and for `print`. They lie in the table of the locks'
// names, so that an object without one has a bit more to carry and nothing else.

/// Whether an object has a name in the table. To be asked when the object goes.
struct ReportedName: ~Copyable, Sendable {
  private let isNamed = Atomic32(0)

  /// The name of the object at `address`, which this belongs to.
  // relaxed: the table has a lock of its own; who names on one thread and asks on another orders the two himself.
  func text(of address: UInt) -> String? { isNamed.loadRelaxed() == 0 ? nil : LockNames.name(of: address) }

  func set(_ name: String?, of address: UInt) {
    isNamed.storeRelaxed(1)  // relaxed: as in text(of:)
    if let name { LockNames.name(address, name) } else { LockNames.unname(address) }
  }

  /// The object goes: the next one at its address has no name. For the last to have a reference.
  // relaxed: the last reference is gone, and with it whoever named the object came before
  @inline(__always) func isGone(_ address: UInt) { if _slowPath(isNamed.loadRelaxed() != 0) { LockNames.forget(address) } }
}

extension DispatchGroup {
  /// The name shown for the group in reports and by `print`, next to its address; nil at first. It affects nothing else.
  ///
  /// ```swift
  /// let pages = DispatchGroup()
  /// pages.name = "pages"
  /// print(pages)  // <DispatchGroup "pages" 0x… empty>
  /// ```
  ///
  /// - Note: Thread safety: any thread. A name occupies an entry in a table until the group is deallocated.
  public final var name: String? {
    get { reportedName.text(of: address) }
    set { reportedName.set(newValue, of: address) }
  }
}
