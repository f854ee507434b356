// UnseenWord.swift: an atomic word that no explorer sees, also under the trait `Explore`: for what a program cannot tell, and how often it is
// touched depends on what ran before. All others are Atomics.swift.
public import Synchronization

/// A 64-bit atomic word whose operations are no points of a schedule.
///
/// Nothing that decides what runs when may lie in one. Thread safety: every method may be called from any thread.
@frozen
public struct UnseenWord: ~Copyable, Sendable {
  @usableFromInline let raw: Atomic<UInt64>
  /// Creates a word holding `value`.
  @inlinable @inline(__always) public init(_ value: UInt64) { raw = Atomic(value) }

  /// Reads; orders nothing.
  @inlinable @inline(__always) public func loadRelaxed() -> UInt64 { raw.load(ordering: .relaxed) }
  /// Reads; what the writer released before is visible afterwards.
  @inlinable @inline(__always) public func loadAcquire() -> UInt64 { raw.load(ordering: .acquiring) }
  /// Writes; orders nothing.
  @inlinable @inline(__always) public func storeRelaxed(_ value: UInt64) { raw.store(value, ordering: .relaxed) }
  /// Writes; everything before is visible to whoever acquires this value.
  @inlinable @inline(__always) public func storeRelease(_ value: UInt64) { raw.store(value, ordering: .releasing) }
  /// Adds, wrapping, and returns the old value; orders nothing.
  @inlinable @inline(__always) public func addRelaxed(_ value: UInt64) -> UInt64 {
    raw.wrappingAdd(value, ordering: .relaxed).oldValue
  }
  /// Writes `desired` if the value is `expected`; acquires and releases.
  @inlinable @inline(__always)
  public func casAcqRel(_ expected: UInt64, _ desired: UInt64) -> (exchanged: Bool, original: UInt64) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
  }
}
