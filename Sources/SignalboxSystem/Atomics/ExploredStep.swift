// ExploredStep.swift: a point between a word that was read and what is then done to plain memory. Without the trait `Explore` nothing.

extension Atomic64 {
  /// The caller has read the word, and does to plain memory what that allows: others may come before it does.
  @inlinable @inline(__always) public func passStep() {
    #if Explore
    _ = loadRelaxed()  // relaxed: a point alone; the value is not used
    #endif
  }
}
