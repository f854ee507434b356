// ItemSlot.swift: the layout of one pending item in memory: two words. Where the slots lie is ItemList.swift.
//
//   first word            second word           the item
//   0                     -                     empty, or claimed and not yet written
//   SlotKind.node         ItemNode              a closure with more to it: group, flags, someone waiting for it
//   SlotKind.waiter       SyncWaiter            a thread that wants to run by itself, asleep or about to sleep
//   SlotKind.queue        DispatchQueue, +1     a queue whose target this is
//   SlotKind.workItem     DispatchWorkItem, +1  a work item as it is
//   SlotKind.helper       ParallelApply, +1     a helper of a parallel apply
//   SlotKind.sorted       -                     an item of a workloop, which keeps it elsewhere (DispatchWorkloop)
//   SlotKind.specialLimit and above             a closure: its function, then its context, +1
//   bit 63 | address      a word                a C function and its argument (CWork)
import SignalboxSystem

enum SlotKind {
  static let node: UInt64 = 1
  static let waiter: UInt64 = 2
  static let queue: UInt64 = 3
  static let workItem: UInt64 = 4
  static let helper: UInt64 = 5
  static let sorted: UInt64 = 9
  /// No function lies in the first page of the address space.
  static let specialLimit: UInt64 = 4096
  /// No function lies in the upper half of the address space: the bit tells a C function from a closure's.
  static let cFunction: UInt64 = 1 << 63

  /// Whether the first word is a closure's function. Signed: C functions are negative.
  @inline(__always) static func isClosure(_ first: UInt64) -> Bool { Int64(bitPattern: first) >= Int64(specialLimit) }
}

/// A closure kept as a struct: as a generic argument of its own it would be wrapped in a thunk at each store.
@usableFromInline
struct Work {
  @usableFromInline let body: () -> Void
  @inlinable @inline(__always) init(_ body: consuming @escaping () -> Void) { self.body = body }
}

/// A closure's two words while nobody counts its reference.
@usableFromInline
struct RawWork {
  @usableFromInline var function: UInt64 = 0
  @usableFromInline var context: UInt64 = 0
  @inlinable @inline(__always) init() {}
  @inlinable @inline(__always) init(function: UInt64, context: UInt64) {
    self.function = function
    self.context = context
  }

  /// Takes over the closure's reference.
  @inlinable @inline(__always)
  init(taking work: consuming @escaping () -> Void) {
    // SAFETY: a Swift closure is a function and a context word; initialising the local's bytes moves the reference into
    // them, and a struct of integers is never released, so the reference now belongs to the two words.
    self.init()
    let moved = Work(work)
    withUnsafeMutablePointer(to: &self) { _ = UnsafeMutableRawPointer($0).initializeMemory(as: Work.self, to: moved) }
  }

  /// Gives the reference back as a closure; once only.
  @inlinable @inline(__always)
  consuming func take() -> Work {
    // SAFETY: the inverse of init(taking:); after the move the words are dead.
    var words = self
    return withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Work.self).move() }
  }
}

/// The six slots inside a queue: twelve words in a row. Fields, not an array: an array of atomics is destroyed word by word.
struct InlineSlots: ~Copyable, Sendable {
  static let count: UInt64 = 6
  let word0 = Atomic64(0), word1 = Atomic64(0), word2 = Atomic64(0), word3 = Atomic64(0)
  let word4 = Atomic64(0), word5 = Atomic64(0), word6 = Atomic64(0), word7 = Atomic64(0)
  let word8 = Atomic64(0), word9 = Atomic64(0), word10 = Atomic64(0), word11 = Atomic64(0)
}
