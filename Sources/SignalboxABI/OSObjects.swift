// OSObjects.swift: objects that a program makes through the library's `_os_object` functions, and the internal references of
// ours.
// No header declares these functions; what they do was measured on the toolchain's library.
//
// A program's object is a block of zeroed memory that begins with
//     word 0   the address of its table: function 0 runs when the external references are gone, function 1 when all are
//     word 1   internal references beyond the first (low half), external ones beyond the first (high half)
// All external references together hold one internal one. A table without function 0 gives that one back, one without function 1
// frees the memory. Ours are told apart by the list of those that are alive.
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

private enum OSObjects {
  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  @exclusivity(unchecked) nonisolated(unsafe) private static var alive: Set<UInt> = []
  /// How many there are: nobody else pays for the list.
  private static let count = Atomic64(0)
  /// The table of objects that were made without one.
  // SAFETY: never written again.
  nonisolated(unsafe) static let emptyTable = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16).zeroed(16)

  static func add(_ object: Handle) {
    _ = count.addSeqCst(1)  // seq_cst (release would do): before the address is handed on, which is how `contains` gets it
    lock.withLock { _ = alive.insert(UInt(bitPattern: object)) }
  }
  static func remove(_ object: Handle) -> Bool {
    guard lock.withLock({ alive.remove(UInt(bitPattern: object)) }) != nil else { return false }
    _ = count.addSeqCst(~0)  // seq_cst (relaxed would do): too high a count only asks the list
    return true
  }
  static func contains(_ object: Handle) -> Bool {
    // relaxed: who has an object's address has it from its maker, after it was counted.
    count.loadRelaxed() > 0 && lock.withLock { alive.contains(UInt(bitPattern: object)) }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func zeroed(_ count: Int) -> Self {
    initializeMemory(as: UInt8.self, repeating: 0, count: count)
    return self
  }
}

/// A program's object.
private struct OSObject {
  let address: Handle

  private enum Kind: Int {
    case inside = 8, outside = 12
    var name: String { self == .inside ? "internal" : "external" }
  }

  /// nil for what is no program's object.
  init?(_ handle: Handle) {
    guard OSObjects.contains(handle) else { return nil }
    address = handle
  }

  // SAFETY: the caller holds a reference, so the two words are there; they are only reached as atomics.
  private func counter(_ kind: Kind) -> UnsafeMutablePointer<Atomic32> {
    (address + kind.rawValue).assumingMemoryBound(to: Atomic32.self)
  }

  /// Adds and returns the old count, which is -1 when the last reference is gone.
  private func add(_ kind: Kind, _ difference: Int32) -> Int32 {
    // seq_cst: what was done with a reference comes before the end that its release makes possible.
    Int32(bitPattern: counter(kind).pointee.addSeqCst(UInt32(bitPattern: difference)))
  }

  private func retain(_ kind: Kind, _ count: Int32) {
    if add(kind, count) < 0 { stop("retained", kind) }
  }
  func retain() { retain(.outside, 1) }
  func retainInside(_ count: Int32 = 1) { retain(.inside, count) }

  /// Also after the last external reference is gone, while an internal one is held.
  func resurrect() {
    if add(.outside, 1) == -1 { retainInside() }
  }

  func release() {
    SanitizedOrder.precede(UInt(bitPattern: address))
    let old = add(.outside, -1)
    if old < 0 { stop("released", .outside) }
    if old == 0, !call(0) { releaseInside(1) }
  }
  func releaseInside(_ count: Int32) {
    SanitizedOrder.precede(UInt(bitPattern: address))
    let old = add(.inside, -count)
    if old - count < -1 { stop("released", .inside) }
    if old - count == -1, !call(1) { free() }
  }

  /// Calls a function of the table, if there is one.
  private func call(_ place: Int) -> Bool {
    let table = address.load(as: UnsafePointer<UnsafeRawPointer?>.self)
    guard let function = table[place] else { return false }
    SanitizedOrder.follow(UInt(bitPattern: address))  // what was done before each release
    CWork(address: function, address).run()
    return true
  }

  func free() { if OSObjects.remove(address) { address.deallocate() } }

  private func stop(_ what: String, _ kind: Kind) -> Never {
    CFaceSupport.stop("an object made by _os_object_alloc is \(what) after its last \(kind.name) reference was given back")
  }
}

// MARK: making

/// A zeroed object of `size` bytes, of at least 16, with one reference and the table at `table`; NULL for one without functions.
@c(_os_object_alloc)
public func _os_object_alloc(_ table: UnsafeMutableRawPointer?, _ size: Int) -> Handle? {
  let count = max(size, 16)
  let object = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16).zeroed(count)
  object.storeBytes(of: table ?? OSObjects.emptyTable, as: UnsafeMutableRawPointer.self)
  OSObjects.add(object)
  return object
}

/// The same, where tables need no preparation.
@c(_os_object_alloc_realized)
public func _os_object_alloc_realized(_ table: UnsafeMutableRawPointer?, _ size: Int) -> Handle? {
  _os_object_alloc(table, size)
}

/// Frees the memory of such an object: the last step of function 1.
@c(_os_object_dealloc)
public func _os_object_dealloc(_ object: Handle?) {
  guard let object = OSObject(object.present(#function)) else {
    CFaceSupport.stop("_os_object_dealloc was given an object that _os_object_alloc did not make")
  }
  object.free()
}

// MARK: references

/// Counts a reference; returns the object.
@c(_os_object_retain)
public func _os_object_retain(_ object: Handle?) -> Handle? {
  if let own = OSObject(object.present(#function)) { own.retain() } else { dispatch_retain(object) }
  return object
}

/// Takes a reference back.
@c(_os_object_release)
public func _os_object_release(_ object: Handle?) {
  if let own = OSObject(object.present(#function)) { own.release() } else { dispatch_release(object) }
}

/// Counts an internal reference; of our own objects, one like any other.
@c(_os_object_retain_internal)
public func _os_object_retain_internal(_ object: Handle?) -> Handle? { _os_object_retain_internal_n(object, 1) }

/// Counts several internal references.
@c(_os_object_retain_internal_n)
public func _os_object_retain_internal_n(_ object: Handle?, _ count: UInt16) -> Handle? {
  if let own = OSObject(object.present(#function)) {
    own.retainInside(Int32(count))
  } else {
    for _ in 0..<count { dispatch_retain(object) }
  }
  return object
}

/// Takes an internal reference back.
@c(_os_object_release_internal)
public func _os_object_release_internal(_ object: Handle?) { _os_object_release_internal_n(object, 1) }

/// Takes several internal references back.
@c(_os_object_release_internal_n)
public func _os_object_release_internal_n(_ object: Handle?, _ count: UInt16) {
  if let own = OSObject(object.present(#function)) { return own.releaseInside(Int32(count)) }
  for _ in 0..<count { dispatch_release(object) }
}

/// Counts an external reference for somebody who holds only an internal one.
@c(_os_object_retain_with_resurrect)
public func _os_object_retain_with_resurrect(_ object: Handle?) -> Handle? {
  if let own = OSObject(object.present(#function)) { own.resurrect() } else { dispatch_retain(object) }
  return object
}
