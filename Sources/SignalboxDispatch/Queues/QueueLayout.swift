// QueueLayout.swift: where in a queue's memory its words lie, for those who read queues that may be gone. What the words mean is
// QueueState.swift; who reads them is QueueWaits.swift.
import SignalboxSystem
import SignalboxWords

enum QueueLayout {
  // Learnt from the first queue that is made, so before anything leads a reader to a queue's memory. So reading learns nothing, which might
  // allocate: readers may hold the notes' lock, which freeing takes.
  private static let places = UnseenWord(0)

  // relaxed, both: whoever has a queue's address has it from a thread that has made one, and so learnt them
  static var state: UInt { UInt(places.loadRelaxed() & 0xFFFF) }
  static var target: UInt { UInt(places.loadRelaxed() >> 16 & 0xFFFF) }  // relaxed: as above

  /// Of the label it was made with; 0: not known.
  private static var label: UInt { UInt(places.loadRelaxed() >> 32) }  // relaxed: as above

  /// Of the byte with the kind, which is a constant and so has no address that Swift would give: it follows the sanitizer's width.
  static let kindByte = UInt(SanitizerOffset.width + MemoryLayout<UInt16>.size)

  /// The first queue has been made, and says where the words lie: of all queues of the same.
  static func learn(from queue: DispatchQueue) {
    guard places.loadRelaxed() == 0 else { return }  // relaxed: two that learn write the same
    let base = queue.address
    let state = withUnsafePointer(to: queue.state) { UInt(bitPattern: $0) - base }
    let target = withUnsafePointer(to: queue.targetBits) { UInt(bitPattern: $0) - base }
    let label = QueueDescription.label(of: queue, behind: target)
    places.storeRelaxed(UInt64(label << 32 | target << 16 | state))  // relaxed: numbers alone
    QueueDescription.write(from: queue, state: state, target: target)
  }

  /// The kind of the queue at `address`, which may be gone, or something else by now: nil then, or any kind.
  static func kind(of address: UInt) -> QueueKind? {
    let place = address + kindByte
    let word = SafeMemory.word64(place & ~7)
    return word.flatMap { QueueKind(rawValue: UInt8(truncatingIfNeeded: $0 >> UInt64((place & 7) * 8))) }
  }

  /// The label of the queue at `address`, which may be gone, or something else by now: nil then, or any text. Allocates.
  static func label(of address: UInt) -> String? { label == 0 ? nil : StringForm.text(at: address + label) }
}
