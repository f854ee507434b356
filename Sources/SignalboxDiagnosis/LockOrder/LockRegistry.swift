// LockRegistry.swift: which class a lock belongs to, by its name, else by where it was made, else by itself; and what that is
// called. Finding without a lock is AddressTable.swift.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// What locks of one class have in common, for people.
struct LockClassText {
  var kind: WaitKind
  var name: String?
  var level: Int?
  /// Return addresses of where locks of the class are made; empty if that was not seen.
  var site: [UInt] = []
  /// The lock itself, where it is a class of its own; else 0.
  var address: UInt = 0
  /// The type of what has an identity, at `address`; else nil.
  var type: String?
  /// What its maker calls it, where the kind does not say that; else nil.
  var makersNoun: String?

  var noun: String { makersNoun ?? kind.classNoun }

  func text(_ symbols: ReportSymbols) -> String {
    if let name { return "\(noun) \"\(name)\"" + (level.map { " at level \($0)" } ?? "") }
    if !site.isEmpty {
      let mutex = address == 0 ? "" : " (\(kind.classNoun) 0x\(String(address, radix: 16)))"
      return "\(noun) made in \(symbols.place(site))\(mutex)"
    }
    return (address == 0 ? noun : "\(noun) 0x\(String(address, radix: 16))") + (type.map { " of \($0)" } ?? "")
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
    let name: String
    let level: Int?
    /// Where reports find the lock.
    let object: UInt
  }

  private static let table = AddressTable()
  // SAFETY: all guarded by `LockWorld.lock`.
  nonisolated(unsafe) private static var epoch: UInt64 = 0
  nonisolated(unsafe) private static var nextID: UInt32 = 1
  nonisolated(unsafe) private static var nextInstance: UInt64 = 1
  nonisolated(unsafe) private static var classes: [Key: LockClassPointer] = [:]
  /// By an identity's number: its class, and the instance that all its locks are.
  nonisolated(unsafe) private static var identities: [UInt64: (lockClass: LockClassPointer, instance: UInt64)] = [:]
  nonisolated(unsafe) private static var texts: [UInt32: LockClassText] = [:]
  /// Records of classes that are no more.
  nonisolated(unsafe) private static var spare: [LockClassPointer] = []
  /// By the word's address.
  nonisolated(unsafe) private static var given: [UInt: Given] = [:]
  /// From the address of a named lock's object to that of its word, where they differ.
  nonisolated(unsafe) private static var words: [UInt: UInt] = [:]

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
    if let name = given[address], !name.name.isEmpty {
      lockClass = classAssumingLocked(name, kind)
    } else if kind.isQueue, Layers.first({ $0.isOrdered(address) }) == false {
      lockClass = makeAssumingLocked(LockClassText(kind: kind, address: address), flags: LockClass.isUnordered)
    } else if kind == .once {
      lockClass = makeAssumingLocked(LockClassText(kind: kind, address: address), flags: LockClass.isOnce)
    } else {
      let name = kind.isQueue ? Layers.first { $0.label(ofQueue: address) } : nil
      lockClass = makeAssumingLocked(LockClassText(kind: kind, name: name, address: address), flags: 0)
    }
    return addAssumingLocked(address, lockClass)
  }

  /// A lock was made: its class is that of all that are made there.
  static func createdAssumingLocked(_ address: UInt, _ kind: WaitKind, site: [UInt], epoch: UInt64) {
    restartAssumingLocked(epoch)
    destroyedAssumingLocked(address)  // whatever was there before
    let text = LockClassText(kind: kind, site: site)
    _ = addAssumingLocked(address, classAssumingLocked(.site(kind, site), text))
  }

  /// A lock was made for what has an identity.
  static func createdAssumingLocked(_ address: UInt, _ kind: WaitKind, _ identity: LockIdentity, epoch: UInt64) {
    restartAssumingLocked(epoch)
    destroyedAssumingLocked(address)
    if let known = identities[identity.number] {
      _ = table.insertAssumingLocked(address, known.lockClass, known.instance, epoch: epoch)
      return
    }
    let text = LockClassText(kind: kind, address: identity.address, type: identity.type)
    let entry = addAssumingLocked(address, makeAssumingLocked(text, flags: 0))
    identities[identity.number] = (entry.lockClass, entry.instance)
  }

  /// A mutex was made that is a class of its own, whatever is made at the same place.
  static func createdAssumingLocked(mutex address: UInt, _ noun: String, site: [UInt], epoch: UInt64) {
    restartAssumingLocked(epoch)
    destroyedAssumingLocked(address)
    let text = LockClassText(kind: .foreignMutex, site: site, address: address, makersNoun: noun)
    _ = addAssumingLocked(address, makeAssumingLocked(text, flags: LockClass.isForeign))
  }

  /// The lock takes no part in orders from now on.
  static func exceptAssumingLocked(_ lockClass: LockClassPointer) {
    lockClass.set(LockClass.isUnordered)
    LockWorld.graph.remove(lockClass.id)
  }

  static func endedAssumingLocked(identity: UInt64) {
    if let ended = identities.removeValue(forKey: identity) { retireAssumingLocked(ended.lockClass) }
  }

  /// The lock gets a name, whether or not locks are tracked.
  static func nameAssumingLocked(_ address: UInt, _ name: String, level: Int?, object: UInt) {
    if name.isEmpty { unnameAssumingLocked(address) }
    let name = Given(name: name, level: level, object: object)
    let before = given.updateValue(name, forKey: address)
    if object != 0 { words[object] = address }
    show(address, object)
    // Its string is kept until no entry names it.
    _ = consume before
    if !name.name.isEmpty { reclassAssumingLocked(address) { classAssumingLocked(name, $0) } }
  }

  /// The lock loses its name, and is a class of its own from now on.
  static func unnameAssumingLocked(_ address: UInt) {
    guard let name = loseNameAssumingLocked(address), !name.isEmpty else { return }
    reclassAssumingLocked(address) { makeAssumingLocked(LockClassText(kind: $0, address: address), flags: 0) }
  }

  /// The name that was given to the lock at `address`, its word's or its object's.
  static func nameAssumingLocked(of address: UInt) -> String? { given[words[address] ?? address]?.name }

  /// Where the lock at `address`, its word's or its object's, was made; nil if that was not seen. Not with the lock held.
  static func site(of address: UInt) -> [UInt]? {
    LockWorld.lock.withLock { table.find(words[address] ?? address, epoch: epoch).flatMap { texts[$0.lockClass.id]?.site } }
  }

  private static func reclassAssumingLocked(_ address: UInt, _ other: (WaitKind) -> LockClassPointer) {
    guard let entry = table.find(address, epoch: epoch) else { return }
    let old = entry.lockClass
    entry.rename(other(texts[old.id]?.kind ?? .mutex))
    forgetClassAssumingLocked(old, of: address)
  }

  private static func loseNameAssumingLocked(_ address: UInt) -> String? {
    guard let lost = given.removeValue(forKey: address) else { return nil }
    if lost.object != 0 { words[lost.object] = nil }
    show(address, lost.object)
    return lost.name
  }

  /// Readers from outside find what things are called now by these two addresses.
  private static func show(_ address: UInt, _ object: UInt) {
    NameTable.set(address, nameAssumingLocked(of: address))
    if object != 0 { NameTable.set(object, nameAssumingLocked(of: object)) }
  }

  /// The lock is no more: the next one at its address is another.
  static func destroyedAssumingLocked(_ address: UInt) {
    _ = loseNameAssumingLocked(address)
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
    guard let text = texts[lockClass.id], text.address == address, text.type == nil else { return }
    retireAssumingLocked(lockClass)
  }

  private static func retireAssumingLocked(_ lockClass: LockClassPointer) {
    texts[lockClass.id] = nil
    LockWorld.graph.remove(lockClass.id)
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
    identities = [:]
    texts = [:]
    LockWorld.graph = LockOrderGraph()
  }

  private static func classAssumingLocked(_ name: Given, _ kind: WaitKind) -> LockClassPointer {
    classAssumingLocked(.name(name.name, name.level), LockClassText(kind: kind, name: name.name, level: name.level))
  }

  private static func addAssumingLocked(_ address: UInt, _ lockClass: LockClassPointer) -> LockEntry {
    nextInstance += 1
    return table.insertAssumingLocked(address, lockClass, nextInstance, epoch: epoch)
  }

  private static func classAssumingLocked(_ key: Key, _ text: LockClassText) -> LockClassPointer {
    if let known = classes[key] { return known }
    let made = makeAssumingLocked(text, flags: 0)
    classes[key] = made
    return made
  }

  private static func makeAssumingLocked(_ text: LockClassText, flags: UInt32) -> LockClassPointer {
    var text = text
    text.kind = text.kind.ofClass
    let id = nextID
    nextID &+= 1  // after four billion classes the first number comes again: no code remembers it
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

  /// The kind by which a class goes, however its locks are asked for.
  var ofClass: WaitKind { self == .readLock ? .writeLock : isQueue ? .sync : self }
  /// What a class of locks is called.
  var classNoun: String { ofClass == .writeLock ? "reader-writer lock" : ofClass.noun }
}
