// Atomics.swift: the atomic words of the whole house, one named method per memory order. Parking on them is
// Parking.swift.
//
// Swift wants literal orderings, so each order is a method; a call site therefore says what it needs in its name. Under
// the trait `Explore` the machine's word is one that tells the explorer of every operation (ExploredWord.swift), and
// the layout is the same; one kind of word no explorer sees.
public import Synchronization

#if Explore
@usableFromInline typealias MachineWord<Value: FixedWidthInteger & Sendable & AtomicRepresentable> = ExploredWord<Value>
#else
@usableFromInline typealias MachineWord<Value: FixedWidthInteger & Sendable & AtomicRepresentable> = Atomic<Value>
#endif

/// A 64-bit atomic word: the state words, cursors and counters of the engine.
///
/// Thread safety: every method may be called from any thread. A value does not move once another thread may reach it.
@frozen
public struct Atomic64: ~Copyable, Sendable {
  @usableFromInline let raw: MachineWord<UInt64>
  /// Creates a word holding `value`.
  @inlinable @inline(__always) public init(_ value: UInt64) { raw = MachineWord(value) }

  /// Reads; orders nothing.
  @inlinable @inline(__always) public func loadRelaxed() -> UInt64 {
    raw.load(ordering: .relaxed)
  }
  /// Reads where nobody else can write any more: when the last reference has gone, whose going orders. Orders nothing itself, and is no
  /// point: an explorer does not know of references.
  @inlinable @inline(__always) public func loadAlone() -> UInt64 {
    #if Explore
    raw.loadUnseen()
    #else
    raw.load(ordering: .relaxed)
    #endif
  }
  /// Reads; what the writer released before is visible afterwards.
  @inlinable @inline(__always) public func loadAcquire() -> UInt64 {
    raw.load(ordering: .acquiring)
  }
  /// Reads in the single total order of all sequentially consistent operations.
  @inlinable @inline(__always) public func loadSeqCst() -> UInt64 {
    raw.load(ordering: .sequentiallyConsistent)
  }
  /// Writes; orders nothing.
  @inlinable @inline(__always) public func storeRelaxed(_ value: UInt64) {
    raw.store(value, ordering: .relaxed)
  }
  /// Writes; everything before is visible to whoever acquires this value.
  @inlinable @inline(__always) public func storeRelease(_ value: UInt64) {
    raw.store(value, ordering: .releasing)
  }
  /// Writes in the single total order of all sequentially consistent operations.
  @inlinable @inline(__always) public func storeSeqCst(_ value: UInt64) {
    raw.store(value, ordering: .sequentiallyConsistent)
  }
  /// Replaces the value and returns the old one; acquires and releases.
  @inlinable @inline(__always) public func exchangeAcqRel(_ value: UInt64) -> UInt64 {
    raw.exchange(value, ordering: .acquiringAndReleasing)
  }
  /// Replaces the value and returns the old one, in the single total order.
  @inlinable @inline(__always) public func exchangeSeqCst(_ value: UInt64) -> UInt64 {
    raw.exchange(value, ordering: .sequentiallyConsistent)
  }
  /// Writes `desired` if the value is `expected`; orders nothing.
  @inlinable @inline(__always)
  public func casRelaxed(_ expected: UInt64, _ desired: UInt64) -> (exchanged: Bool, original: UInt64) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .relaxed)
  }
  /// Writes `desired` if the value is `expected`; acquires.
  @inlinable @inline(__always)
  public func casAcquire(_ expected: UInt64, _ desired: UInt64) -> (exchanged: Bool, original: UInt64) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .acquiring)
  }
  /// Writes `desired` if the value is `expected`; releases.
  @inlinable @inline(__always)
  public func casRelease(_ expected: UInt64, _ desired: UInt64) -> (exchanged: Bool, original: UInt64) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .releasing)
  }
  /// Writes `desired` if the value is `expected`; acquires and releases.
  @inlinable @inline(__always)
  public func casAcqRel(_ expected: UInt64, _ desired: UInt64) -> (exchanged: Bool, original: UInt64) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
  }
  /// Writes `desired` if the value is `expected`, in the single total order.
  @inlinable @inline(__always)
  public func casSeqCst(_ expected: UInt64, _ desired: UInt64) -> (exchanged: Bool, original: UInt64) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .sequentiallyConsistent)
  }
  /// Adds, wrapping, and returns the old value; orders nothing.
  @inlinable @inline(__always) public func addRelaxed(_ value: UInt64) -> UInt64 {
    raw.wrappingAdd(value, ordering: .relaxed).oldValue
  }
  /// Adds, wrapping, and returns the old value; acquires and releases.
  @inlinable @inline(__always) public func addAcqRel(_ value: UInt64) -> UInt64 {
    raw.wrappingAdd(value, ordering: .acquiringAndReleasing).oldValue
  }
  /// Adds, wrapping, and returns the old value, in the single total order.
  @inlinable @inline(__always) public func addSeqCst(_ value: UInt64) -> UInt64 {
    raw.wrappingAdd(value, ordering: .sequentiallyConsistent).oldValue
  }
  /// Sets the given bits and returns the old value, in the single total order.
  @inlinable @inline(__always) public func orSeqCst(_ bits: UInt64) -> UInt64 {
    raw.bitwiseOr(bits, ordering: .sequentiallyConsistent).oldValue
  }
  /// Subtracts, wrapping, and returns the old value, in the single total order.
  @inlinable @inline(__always) public func subtractSeqCst(_ value: UInt64) -> UInt64 {
    raw.wrappingSubtract(value, ordering: .sequentiallyConsistent).oldValue
  }
}

/// A 32-bit atomic word: what a thread can park on (Parking.swift).
///
/// Thread safety: every method may be called from any thread. A value does not move once another thread may reach it.
@frozen
public struct Atomic32: ~Copyable, Sendable {
  @usableFromInline let raw: MachineWord<UInt32>
  /// Creates a word holding `value`.
  @inlinable @inline(__always) public init(_ value: UInt32) { raw = MachineWord(value) }

  /// Reads; orders nothing.
  @inlinable @inline(__always) public func loadRelaxed() -> UInt32 {
    raw.load(ordering: .relaxed)
  }
  /// Reads; what the writer released before is visible afterwards.
  @inlinable @inline(__always) public func loadAcquire() -> UInt32 {
    raw.load(ordering: .acquiring)
  }
  /// Reads in the single total order of all sequentially consistent operations.
  @inlinable @inline(__always) public func loadSeqCst() -> UInt32 {
    raw.load(ordering: .sequentiallyConsistent)
  }
  /// Writes; orders nothing.
  @inlinable @inline(__always) public func storeRelaxed(_ value: UInt32) {
    raw.store(value, ordering: .relaxed)
  }
  /// Writes; everything before is visible to whoever acquires this value.
  @inlinable @inline(__always) public func storeRelease(_ value: UInt32) {
    raw.store(value, ordering: .releasing)
  }
  /// Writes in the single total order of all sequentially consistent operations.
  @inlinable @inline(__always) public func storeSeqCst(_ value: UInt32) {
    raw.store(value, ordering: .sequentiallyConsistent)
  }
  /// Replaces the value and returns the old one; acquires and releases.
  @inlinable @inline(__always) public func exchangeAcqRel(_ value: UInt32) -> UInt32 {
    raw.exchange(value, ordering: .acquiringAndReleasing)
  }
  /// Writes `desired` if the value is `expected`; orders nothing.
  @inlinable @inline(__always)
  public func casRelaxed(_ expected: UInt32, _ desired: UInt32) -> (exchanged: Bool, original: UInt32) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .relaxed)
  }
  /// Writes `desired` if the value is `expected`; acquires.
  @inlinable @inline(__always)
  public func casAcquire(_ expected: UInt32, _ desired: UInt32) -> (exchanged: Bool, original: UInt32) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .acquiring)
  }
  /// Writes `desired` if the value is `expected`; releases.
  @inlinable @inline(__always)
  public func casRelease(_ expected: UInt32, _ desired: UInt32) -> (exchanged: Bool, original: UInt32) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .releasing)
  }
  /// Writes `desired` if the value is `expected`; acquires and releases.
  @inlinable @inline(__always)
  public func casAcqRel(_ expected: UInt32, _ desired: UInt32) -> (exchanged: Bool, original: UInt32) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
  }
  /// Writes `desired` if the value is `expected`, in the single total order.
  @inlinable @inline(__always)
  public func casSeqCst(_ expected: UInt32, _ desired: UInt32) -> (exchanged: Bool, original: UInt32) {
    raw.compareExchange(expected: expected, desired: desired, ordering: .sequentiallyConsistent)
  }
  /// Adds, wrapping, and returns the old value; orders nothing.
  @inlinable @inline(__always) public func addRelaxed(_ value: UInt32) -> UInt32 {
    raw.wrappingAdd(value, ordering: .relaxed).oldValue
  }
  /// Adds, wrapping, and returns the old value, in the single total order.
  @inlinable @inline(__always) public func addSeqCst(_ value: UInt32) -> UInt32 {
    raw.wrappingAdd(value, ordering: .sequentiallyConsistent).oldValue
  }
}

/// What both widths have: for types that are written once over a word of either (AtomicState.swift, SpecialWords.swift).
public protocol AtomicWord: ~Copyable, Sendable {
  /// The word's bits.
  associatedtype Value: FixedWidthInteger & Sendable
  /// Creates a word holding `value`.
  init(_ value: Value)
  /// Reads; orders nothing.
  func loadRelaxed() -> Value
  /// Reads; what the writer released before is visible afterwards.
  func loadAcquire() -> Value
  /// Reads in the single total order of all sequentially consistent operations.
  func loadSeqCst() -> Value
  /// Writes; orders nothing.
  func storeRelaxed(_ value: Value)
  /// Writes `desired` if the value is `expected`; orders nothing.
  func casRelaxed(_ expected: Value, _ desired: Value) -> (exchanged: Bool, original: Value)
  /// Writes `desired` if the value is `expected`; acquires.
  func casAcquire(_ expected: Value, _ desired: Value) -> (exchanged: Bool, original: Value)
  /// Writes `desired` if the value is `expected`; acquires and releases.
  func casAcqRel(_ expected: Value, _ desired: Value) -> (exchanged: Bool, original: Value)
  /// Writes `desired` if the value is `expected`, in the single total order.
  func casSeqCst(_ expected: Value, _ desired: Value) -> (exchanged: Bool, original: Value)
  /// Adds, wrapping, and returns the old value; orders nothing.
  func addRelaxed(_ value: Value) -> Value
}

extension Atomic64: AtomicWord {}
extension Atomic32: AtomicWord {}

// MARK: a word that no explorer sees, also under the trait `Explore`

// For what a program cannot tell, and how often it is touched depends on what ran before.

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

// MARK: a point between a word that was read and what is then done to plain memory

// Without the trait `Explore` nothing.

extension Atomic64 {
  /// The caller has read the word, and does to plain memory what that allows: others may come before it does.
  @inlinable @inline(__always) public func passStep() {
    #if Explore
    _ = loadRelaxed()  // relaxed: a point alone; the value is not used
    #endif
  }
}
