// LockClass.swift: what locks of one class have in common, as the hooks need it: a number, flags, counters. Names are in the
// registry.
import SignalboxSystem

/// The record of a class. Its memory is never freed: the class of a lock that is gone becomes another one's, with a new number.
struct LockClass: ~Copyable, Sendable {
  /// Never given twice, so that what threads remember of a class that is no more fits no other.
  let id: Atomic32
  let flags: Atomic32
  /// Where its locks are counted: a `LockUsagePointer`.
  let usage: Atomic64

  /// A thread has asked for it alone: the graph knows.
  static let hasWriter: UInt32 = 1
  /// Takes no part in any order: a global queue.
  static let isUnordered: UInt32 = 2
  /// A once token: nothing reports when its memory becomes something else.
  static let isOnce: UInt32 = 4
  /// A mutex of the C library that belongs to a lock object of Foundation's (../ForeignLocks.swift).
  static let isForeign: UInt32 = 8

  init() {
    id = Atomic32(0)
    flags = Atomic32(0)
    usage = Atomic64(0)
  }
}

/// Where a class's record lies. SAFETY: records are never freed.
struct LockClassPointer {
  let bits: UInt
  init(bits: UInt) { self.bits = bits }
  init(_ pointer: UnsafeMutablePointer<LockClass>) { bits = UInt(bitPattern: pointer) }
  private var pointer: UnsafePointer<LockClass> { UnsafePointer.at(bits) }

  // relaxed, all: a record is found by an entry that was published after it was filled.
  var id: UInt32 { pointer.pointee.id.loadRelaxed() }
  // relaxed: as `id`
  var usage: LockUsagePointer { LockUsagePointer.at(UInt(pointer.pointee.usage.loadRelaxed())) }

  func fill(id: UInt32, flags: UInt32, usage: LockUsagePointer) {
    // relaxed, all: the entry that leads here is published afterwards (T2 in AddressTable.swift)
    pointer.pointee.id.storeRelaxed(id)
    pointer.pointee.flags.storeRelaxed(flags)
    pointer.pointee.usage.storeRelaxed(UInt64(UInt(bitPattern: usage)))
  }

  // relaxed: a flag that is seen late costs one more check under the registry's lock.
  func has(_ flag: UInt32) -> Bool { pointer.pointee.flags.loadRelaxed() & flag != 0 }
  // relaxed: flags are set under the registry's lock, and read as said above
  func set(_ flag: UInt32) { pointer.pointee.flags.storeRelaxed(pointer.pointee.flags.loadRelaxed() | flag) }
}

/// Counters of all locks of one name. Lives forever.
struct LockUsageCell: ~Copyable, Sendable {
  let acquisitions = Atomic64(0)
  let contended = Atomic64(0)
  let totalWait = Atomic64(0)
  let longestWait = Atomic64(0)

  // relaxed: statistics; what is being counted at this moment may survive.
  func clear() {
    acquisitions.storeRelaxed(0)
    contended.storeRelaxed(0)
    totalWait.storeRelaxed(0)
    longestWait.storeRelaxed(0)  // relaxed: a count, and nothing is read through it
  }
}
typealias LockUsagePointer = UnsafeMutablePointer<LockUsageCell>
