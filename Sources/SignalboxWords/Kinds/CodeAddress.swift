// CodeAddress.swift: which words may be the address of a function.

/// What a word that was read may be.
@usableFromInline package enum CodeAddress {
  /// Whether a word may be the address of a function: those of programs leave the upper byte free.
  @inlinable package static func mayBe(_ word: UInt64) -> Bool { word != 0 && word >> 56 == 0 }
}
