// KernelName.swift: the 15 bytes of a label that the kernel shows as a thread's name, as two words: copied without the label.
import SignalboxSystem

struct KernelName: Equatable {
  var low: UInt64 = 0
  var high: UInt64 = 0

  static let idle = KernelName("signalbox")

  /// At most 15 bytes of `label`, cut at a character.
  init(_ label: String) {
    var count: UInt64 = 0
    var isWhole = true
    for byte in label.utf8 {
      if count == 15 {
        isWhole = byte & 0xC0 != 0x80  // else the cut lies inside a character
        break
      }
      set(byte, at: count)
      count += 1
    }
    while !isWhole, count > 0 {
      count -= 1
      isWhole = self[count] & 0xC0 != 0x80  // back to the character's first byte, which goes too
      set(0, at: count)
    }
    if low == 0 { self = .unnamed }
  }
  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }
  private subscript(index: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: index < 8 ? low >> (8 * index) : high >> (8 * (index - 8)))
  }
  private mutating func set(_ byte: UInt8, at index: UInt64) {
    if index < 8 {
      low = low & ~(0xFF << (8 * index)) | UInt64(byte) << (8 * index)
    } else {
      high = high & ~(0xFF << (8 * (index - 8))) | UInt64(byte) << (8 * (index - 8))
    }
  }

  /// For queues without a label: "queue".
  private static let unnamed = KernelName("queue")

  /// The bytes with a zero behind them.
  func withBytes<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    // Of sixteen bytes at most fifteen are a name's: the last is 0.
    withUnsafePointer(to: (low.littleEndian, high.littleEndian)) {
      body(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
    }
  }

  var text: String { withBytes { String(cString: $0) } }
}

/// A name that another thread may read while it changes: it then sees a mixture, which is only shown.
struct AtomicKernelName: ~Copyable {
  // relaxed: for show, nothing is read through it.
  private let low = Atomic64(0)
  private let high = Atomic64(0)
  func load() -> KernelName { KernelName(low: low.loadRelaxed(), high: high.loadRelaxed()) }
  func store(_ name: KernelName) {
    // relaxed: as above
    low.storeRelaxed(name.low)
    high.storeRelaxed(name.high)
  }
}
