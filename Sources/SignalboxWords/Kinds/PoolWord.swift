// PoolWord.swift: what a process says of each of its pools, to all that read its memory. What else it describes is
// DescribedWord.swift.

/// The words of one pool in the table at `DescribedWord.pools`, by their place.
@usableFromInline package enum PoolWord: Int, CaseIterable, Sendable {
  /// Its address, which its workers have; where its `PoolState` is written.
  case address, state
  /// How many threads there may be; its band, by number.
  case bound, band
  /// The rings of its workers: a table of their addresses, and where it is written how many there are.
  case rings, ringCount

  /// How far into the table of one pool the word lies, and how long that is.
  package var offset: UInt64 { UInt64(rawValue) * 8 }
  package static var size: UInt64 { UInt64(allCases.count) * 8 }
}

/// The names of bands, which share threads.
package enum PoolBand {
  /// By number: for the classes that each serves.
  package static var names: [String] { ["default", "utility", "background"] }
  /// The name of a band whose number was read; nil: there is none of that number.
  package static func name(_ number: UInt64) -> String? { number < UInt64(names.count) ? names[Int(number)] : nil }
}
