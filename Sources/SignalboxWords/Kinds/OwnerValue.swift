// OwnerValue.swift: the number by which words of locks, queues and records name a thread.
//
//   23        16 15            0
//  ┌────────────┬───────────────┐
//  │ generation │     slot      │     all zero: no thread
//  └────────────┴───────────────┘
//  slot        the thread's place in the table of threads, from 1 on
//  generation  how often the slot was given to a thread, modulo 256: the kernel reuses its numbers at once, a value
// repeats after 256 threads

/// The fields of an owner value.
@usableFromInline package enum OwnerValue {
  /// How many bits the slot has, and the whole value.
  @inlinable package static var slotBits: UInt64 { 16 }
  @inlinable package static var bits: UInt64 { 24 }
  /// The bits of a word whose lowest bits are an owner value.
  @inlinable package static var mask: UInt64 { 1 << bits - 1 }

  /// The slot of the thread that `owner` names.
  @inlinable @inline(__always) package static func slot(of owner: UInt64) -> UInt64 { owner & (1 << slotBits - 1) }
  /// The value of a thread that was given a slot.
  @inlinable @inline(__always) package static func of(slot: UInt64, generation: UInt8) -> UInt64 {
    slot | UInt64(generation) << slotBits
  }
}

/// An entry of the table of threads: which thread has the slot, in one word. All zero: none.
///
///   63        32 31     24 23      0
///  ┌────────────┬─────────┬─────────┐
///  │   kernel   │    0    │  owner  │
///  └────────────┴─────────┴─────────┘
@usableFromInline package struct SlotHolder: Equatable, Sendable {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable package init(owner: UInt64, kernel: UInt32) { rawValue = owner | UInt64(kernel) << 32 }

  /// The thread's owner value.
  @inlinable package var owner: UInt64 { rawValue & OwnerValue.mask }
  /// The kernel's number of the thread.
  @inlinable package var kernel: Int32 { Int32(truncatingIfNeeded: rawValue >> 32) }
}
