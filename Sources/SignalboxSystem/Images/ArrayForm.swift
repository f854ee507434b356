// ArrayForm.swift: where an array of objects lies in memory that is not ours, by the one word of the array. Whether
// this is how arrays lie is tried in the process itself, before it says where such arrays are: `isKnown`.

/// The form of arrays of objects, whose word is the address of what holds their elements.
package enum ArrayForm {
  /// How far behind that address the number of elements lies, and the first of them; each is an object's address, or 0.
  package static let count: UInt64 = 16, elements: UInt64 = 32

  private final class Sample {}

  /// Whether arrays of this program lie so: short ones, empty ones, ones that have grown.
  package static let isKnown: Bool = {
    let one = Sample(), other = Sample()
    var grown: [Sample?] = []
    for _ in 0..<10 { grown.append(one) }
    return [[], [one], [one, nil, other], grown].allSatisfy { lies($0) }
  }()

  private static func lies(_ samples: [Sample?]) -> Bool {
    guard MemoryLayout<[Sample?]>.size == 8 else { return false }
    // SAFETY: an array is one word, which is an address: `samples` keeps what lies there for the call, and the kernel copies it.
    let word = UInt64(UInt(bitPattern: unsafeBitCast(samples, to: UnsafeRawPointer.self)))
    let wanted = samples.map { sample -> UInt64 in
      sample.map { UInt64(UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque())) } ?? 0
    }
    return withExtendedLifetime(samples) {
      SafeMemory.word64(UInt(word &+ count)) == UInt64(samples.count)
        && wanted.indices.allSatisfy { SafeMemory.word64(UInt(word &+ elements) &+ UInt($0) * 8) == wanted[$0] }
    }
  }
}
