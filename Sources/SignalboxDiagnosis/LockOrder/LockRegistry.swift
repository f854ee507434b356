// LockRegistry.swift: which class a lock belongs to, by its name, else by where it was made, else by itself; and what that is
// called. Finding without a lock is AddressTable.swift.
import SignalboxSystem

/// What locks of one class have in common, for people.
struct LockClassText {
  let kind: WaitKind
  var name: String?
  var level: Int?
  /// Return addresses of where locks of the class are made; empty if that was not seen.
  var site: [UInt] = []
  /// The lock itself, where it is a class of its own; else 0.
  var address: UInt = 0

  var text: String {
    if let name { return "\(kind.noun) \"\(name)\"" + (level.map { " at level \($0)" } ?? "") }
    if address == 0, site.isEmpty { return kind.noun }
    if !site.isEmpty { return "\(kind.noun) made at \(SymbolHook.places(site))" }
    return "\(kind.noun) 0x\(String(address, radix: 16))"
  }
}

/// All classes and names. Thread safety: `find` is for any thread; the rest runs with `LockWorld.lock` held.
enum LockRegistry {
  /// What makes a class.
  private enum Key: Hashable {
    case name(String, Int?)
    case site(WaitKind, [UInt])
  }
  private struct Given {
    var name: String
    var level: Int?
  }

  private static let table = AddressTable()
  // SAFETY: all guarded by `LockWorld.lock`.
  nonisolated(unsafe) private static var epoch: UInt64 = 0
  nonisolated(unsafe) private static var nextID: UInt32 = 1
  nonisolated(unsafe) private static var nextInstance: UInt64 = 1
  nonisolated(unsafe) private static var classes: [Key: LockClassPointer] = [:]
  nonisolated(unsafe) private static var texts: [UInt32: LockClassText] = [:]
  /// Records of classes that are no more.
  nonisolated(unsafe) private static var spare: [LockClassPointer] = []
  nonisolated(unsafe) private static var given: [UInt: Given] = [:]

  @inline(__always) static func find(_ address: UInt, epoch: UInt64) -> LockEntry? { table.find(address, epoch: epoch) }

  // MARK: with the lock held

  /// The entry of a lock or queue, made if need be.
  static func entryAssumingLocked(_ address: UInt, _ kind: WaitKind, epoch: UInt64) -> LockEntry {
    restartAssumingLocked(epoch)
    if let known = table.find(address, epoch: self.epoch) {
      if known.lockClass.has(LockClass.isOnce) == (kind == .once) { return known }
      forgetAssumingLocked(address)  // a once token and a lock that follow each other in one place
    }
    let lockClass: LockClassPointer
    if let name = given[address] {
      lockClass = classAssumingLocked(.name(name.name, name.level), kind)
    } else if kind.isQueue, !QueueOrder.isOrdered(address) {
      lockClass = makeAssumingLocked(LockClassText(kind: kind, address: address), flags: LockClass.isUnordered)
    } else if kind == .once {
      lockClass = makeAssumingLocked(LockClassText(kind: kind, address: address), flags: LockClass.isOnce)
    } else {
      let name = kind.isQueue ? QueueOrder.label(address) : nil
      lockClass = makeAssumingLocked(LockClassText(kind: kind, name: name, address: address), flags: 0)
    }
    return addAssumingLocked(address, lockClass)
  }

  /// A lock was made: its class is that of all that are made there.
  static func createdAssumingLocked(_ address: UInt, _ kind: WaitKind, site: [UInt], epoch: UInt64) {
    restartAssumingLocked(epoch)
    destroyedAssumingLocked(address)  // whatever was there before
    _ = addAssumingLocked(address, classAssumingLocked(.site(kind, site), kind))
  }

  /// The lock gets a name, whether or not locks are tracked.
  static func nameAssumingLocked(_ address: UInt, _ name: String, level: Int?) {
    given[address] = Given(name: name, level: level)
    guard let entry = table.find(address, epoch: epoch) else { return }
    let old = entry.lockClass
    let kind = texts[old.id]?.kind ?? .mutex
    entry.rename(classAssumingLocked(.name(name, level), kind))
    forgetClassAssumingLocked(old, of: address)
  }

  /// The lock is no more: the next one at its address is another.
  static func destroyedAssumingLocked(_ address: UInt) {
    given[address] = nil
    forgetAssumingLocked(address)
  }

  private static func forgetAssumingLocked(_ address: UInt) {
    guard let entry = table.find(address, epoch: epoch) else { return }
    let old = entry.lockClass
    entry.clear()
    forgetClassAssumingLocked(old, of: address)
  }

  /// A class that was one lock's only goes with it.
  private static func forgetClassAssumingLocked(_ lockClass: LockClassPointer, of address: UInt) {
    let id = lockClass.id
    guard texts[id]?.address == address else { return }
    texts[id] = nil
    LockWorld.graph.remove(id)
    spare.append(lockClass)
  }

  static func isCurrentAssumingLocked(_ epoch: UInt64) -> Bool { self.epoch == epoch }

  static func textAssumingLocked(_ id: UInt32) -> LockClassText? { texts[id] }

  /// Tracking began anew: locks may have come and gone meanwhile at the addresses that are known.
  private static func restartAssumingLocked(_ epoch: UInt64) {
    guard epoch > self.epoch else { return }
    self.epoch = epoch
    table.restartAssumingLocked(epoch: epoch)
    classes = [:]
    texts = [:]
    LockWorld.graph = LockOrderGraph()
  }

  private static func addAssumingLocked(_ address: UInt, _ lockClass: LockClassPointer) -> LockEntry {
    nextInstance += 1
    table.insertAssumingLocked(address, lockClass, nextInstance)
    return table.find(address, epoch: epoch)!
  }

  private static func classAssumingLocked(_ key: Key, _ kind: WaitKind) -> LockClassPointer {
    if let known = classes[key] { return known }
    let text: LockClassText =
      switch key {
      case .name(let name, let level): LockClassText(kind: kind, name: name, level: level)
      case .site(let kind, let site): LockClassText(kind: kind, site: site)
      }
    let made = makeAssumingLocked(text, flags: 0)
    classes[key] = made
    return made
  }

  private static func makeAssumingLocked(_ text: LockClassText, flags: UInt32) -> LockClassPointer {
    let id = nextID
    nextID &+= 1  // after four billion classes the first number comes again: nobody remembers it
    texts[id] = text
    let record = spare.popLast() ?? LockClassPointer(newRecord())
    record.fill(id: id, flags: flags, usage: LockUsages.cellAssumingLocked(text))
    return record
  }

  private static func newRecord() -> UnsafeMutablePointer<LockClass> {
    let record = UnsafeMutablePointer<LockClass>.allocate(capacity: 1)
    record.initialize(to: LockClass())
    return record
  }
}

extension WaitKind {
  /// Whether it is a queue's turn, read from the thread's frames while it is held.
  var isQueue: Bool { self == .sync || self == .barrierSync || self == .asyncAndWait }
}
