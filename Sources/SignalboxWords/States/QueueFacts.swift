// QueueFacts.swift: what few operation queues have to do beside their turns, in one word that is read without the lock.
// Pure. Each bit is set once, forever, and stands for something that lies under the queue's lock.
//
//   3  operations that wait for nothing and are not ready    1  progress was asked for
//   2  dependencies were added to listed operations          0  there are, or were, observers

@usableFromInline package struct QueueFacts: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package static var observed: Field { Field(0..<1) }
  @inlinable package static var progress: Field { Field(1..<2) }
  @inlinable package static var lateDependencies: Field { Field(2..<3) }
  @inlinable package static var reluctant: Field { Field(3..<4) }
  @inlinable package static var unused: Field { Field(4..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("observed", observed), ("progress", progress), ("late dependencies", lateDependencies), ("reluctant", reluctant),
      ("unused", unused),
    ]
  }

  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// nil if it is known.
  @inlinable package func after(_ fact: Field) -> Self? {
    if self[fact] == 1 { return nil }
    var next = self
    next[fact] = 1
    return next
  }

  @usableFromInline package var brokenInvariant: String? { self[Self.unused] == 0 ? nil : "unused" }
}
