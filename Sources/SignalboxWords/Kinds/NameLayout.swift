// NameLayout.swift: how the table of the names of locks lies in memory. NameTable (SignalboxDiagnosis) writes it,
// NameReader (SignalboxView) reads it.
//
//   head     0: how many buckets there are, less 1: a power of 2 less 1
//   bucket   eight entries, of four words each; an address stands in the bucket that its hash names, or nowhere
//   entry    0: sequence, odd while the others change   1: address, 0: none   2, 3: the words of a string of Swift's
//
// A table that is full is followed by one of more buckets, and keeps its memory: a word that is described says where
// the address of the present one stands.

/// The places in a table of names.
package enum NameLayout {
  package static var headWords: Int { 1 }
  package static var entryWords: Int { 4 }
  package static var bucketEntries: Int { 8 }
  package static var bucketWords: Int { entryWords * bucketEntries }
  /// No table that is read has more buckets.
  package static var mostBuckets: UInt64 { 1 << 24 }

  /// The number of the bucket of an address.
  package static func bucket(_ address: UInt64, mask: UInt64) -> UInt64 {
    ((address >> 2) &* 0x9E37_79B9_7F4A_7C15) >> 32 & mask
  }
  /// How far behind the table's beginning the first word of a bucket lies, in words.
  package static func place(ofBucket bucket: UInt64) -> UInt64 { UInt64(headWords) &+ bucket &* UInt64(bucketWords) }
}
