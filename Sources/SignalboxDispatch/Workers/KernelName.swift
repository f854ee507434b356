// KernelName.swift: the 15 bytes of a label that the kernel shows as a thread's name, as two words: copied without the label.
import SignalboxSystem

struct KernelName: Equatable {
  var low: UInt64 = 0
  var high: UInt64 = 0

  static let idle = KernelName("signalbox")

  /// At most 15 bytes of `label`, cut at a character.
  init(_ label: String) {
    var room = 15
    let cut = label.prefix { character in
      room -= character.utf8.count
      return room >= 0
    }
    for (index, byte) in cut.utf8.enumerated() {
      if index < 8 { low |= UInt64(byte) << UInt64(8 * index) } else { high |= UInt64(byte) << UInt64(8 * (index - 8)) }
    }
    if low == 0 { self = .unnamed }
  }
  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }
  /// For queues without a label: "queue".
  private static let unnamed = KernelName("queue")

  /// The bytes with a zero behind them.
  func withBytes<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 17) { buffer in
      for index in 0..<16 {
        let word = index < 8 ? low : high
        buffer[index] = CChar(truncatingIfNeeded: word >> UInt64(8 * (index & 7)))
      }
      buffer[16] = 0
      return body(UnsafePointer(buffer.baseAddress!))
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
    low.storeRelaxed(name.low)
    high.storeRelaxed(name.high)
  }
}

extension DispatchQueue {
  /// Made at first use; every thread makes the same.
  final var kernelName: KernelName {
    let low = kernelName0.loadRelaxed()
    if low != 0 { return KernelName(low: low, high: kernelName1.loadRelaxed()) }
    let made = KernelName(name)
    kernelName1.storeRelaxed(made.high)
    kernelName0.storeRelease(made.low)
    return made
  }
}
