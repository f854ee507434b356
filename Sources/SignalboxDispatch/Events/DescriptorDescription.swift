// DescriptorDescription.swift: the program's monitored descriptors in the table that describes the process to all that
// read its memory (ProcessDescription.swift). Who reads them is DescriptorsView.swift (SignalboxView), without a lock.
import SignalboxSystem
import SignalboxWords

enum DescriptorDescription {
  /// The table was made, and has no entry yet.
  static func write(table: UInt, entries: UInt) {
    ProcessDescription.write(.descriptors, near.contains(entries &- table) && learnEntries() ? entries : 1)
  }

  /// Where in entries and subscriptions their words lie, as a sample has them; false: they, or arrays and strings of
  /// Swift's, are not as readers know them.
  private static func learnEntries() -> Bool {
    let sample = DescriptorSubscription.sample(), entry = sample.entry
    let facts = sample.placeOfFacts &- address(sample), watches = entry.placeOfWatches &- address(entry)
    guard StringForm.isKnown, ArrayForm.isKnown, near.contains(facts), near.contains(watches), areBytesKnown,
      let label = MemoryLayout<DescriptorSubscription.Facts>.offset(of: \.label),
      let direction = MemoryLayout<DescriptorSubscription.Facts>.offset(of: \.direction)
    else { return false }
    ProcessDescription.write(.entryType, type(DescriptorEntry.self))
    ProcessDescription.write(.entryWatches, watches)
    ProcessDescription.write(.watchLabel, facts &+ UInt(label))
    ProcessDescription.write(.watchDirection, facts &+ UInt(direction))
    ProcessDescription.write(.watchType, type(DescriptorSubscription.self))
    return true
  }

  /// How far into an object its own words may lie: what was copied for a call lies elsewhere.
  private static let near: Range<UInt> = 16..<512

  /// An optional label is a string, or two words of which the second is 0; the directions are the bytes 0 and 1.
  private static var areBytesKnown: Bool {
    // SAFETY: the bytes of values are read, and not kept.
    func byte(_ direction: DescriptorDirection) -> UInt8? {
      withUnsafeBytes(of: direction) { $0.count == 1 ? $0[0] : nil }
    }
    func second(_ label: String?) -> UInt64? {
      // SAFETY: as above
      withUnsafeBytes(of: label) { $0.count == 16 ? $0.load(fromByteOffset: 8, as: UInt64.self) : nil }
    }
    return byte(.readable) == 0 && byte(.writable) == 1 && second(nil) == 0 && second("a") == StringForm.words("a").second
      && second("") == StringForm.words("").second && second("") != 0
  }

  private static func address(_ object: AnyObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }
  /// An object's first word.
  private static func type(_ type: AnyObject.Type) -> UInt {
    // SAFETY: a class's type is a pointer, which is not followed.
    UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
  }
}
