// SpecialWords.swift: words for one purpose each: through which nothing is read, or which are written before their
// address is known. A word that publishes something, or that threads sleep on, is Atomics.swift's.

// MARK: through which nothing is read: a counter, a hint, a setting

/// A number of 64 bits that stands by itself.
public typealias Relaxed64 = RelaxedWord<Atomic64>
/// A number of 32 bits that stands by itself.
public typealias Relaxed32 = RelaxedWord<Atomic32>

/// An atomic word whose value says nothing of any other memory, so that no operation on it orders anything.
///
/// Each declaration says why that is so: who else orders what the value stands for, or that nothing depends on it.
///
/// Thread safety: every method may be called from any thread. A value does not move once another thread may reach it.
@frozen
public struct RelaxedWord<Word: AtomicWord & ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let word: Word

  /// Creates a word holding `value`.
  @inlinable @inline(__always) public init(_ value: Word.Value) { word = Word(value) }

  /// The value of a moment ago. relaxed: nothing is read through it.
  @inlinable @inline(__always) public func load() -> Word.Value { word.loadRelaxed() }
  /// Writes. relaxed: nothing is published by it.
  @inlinable @inline(__always) public func store(_ value: Word.Value) { word.storeRelaxed(value) }
  /// Adds, wrapping; the value before. relaxed: no addition is lost, and more is not promised.
  @inlinable @inline(__always) @discardableResult
  public func add(_ value: Word.Value) -> Word.Value { word.addRelaxed(value) }
  /// Writes `desired` if the value is `expected`; the value before. relaxed: decides who is first, and nothing more.
  @inlinable @inline(__always)
  public func cas(_ expected: Word.Value, _ desired: Word.Value) -> (exchanged: Bool, original: Word.Value) {
    word.casRelaxed(expected, desired)
  }
}

// MARK: written before others know where it lies, and only read from then on

// Plain memory. Under the trait `Explore` writing and reading it are points, so that an explorer sees a publication
// that is too weak: as a word not yet written.

/// A number that never changes once its address is published. Who reads it has acquired what the publisher released.
///
/// Thread safety: any thread may read, after the publication.
public struct PublishedWord: ~Copyable, Sendable {
  private let value: UInt64
  #if Explore
  private let seen = Atomic64(0)
  #endif

  /// Creates a word holding `value`.
  public init(_ value: UInt64) { self.value = value }

  /// The word lies where others will read it: called before its address is published.
  @inline(__always) public borrowing func lies() {
    #if Explore
    seen.storeRelaxed(value)  // relaxed: as plain memory, which whoever publishes the address orders
    #endif
  }

  /// The number.
  @inline(__always) public borrowing func read() -> UInt64 {
    #if Explore
    return seen.loadRelaxed()  // relaxed: as above; 0 where the publication did not order it
    #else
    return value
    #endif
  }
}
