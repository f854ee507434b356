// PublishedWord.swift: a word that is written before others know where it lies, and only read from then on: plain memory. Under the trait
// `Explore` writing and reading it are points, so that an explorer sees a publication that is too weak: as a word not yet written.

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
