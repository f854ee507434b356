// FiguresDescription.swift: the figures of queues in the table that describes the process to readers of its memory:
// where they lie, and how long a tick of the processor's counter lasts. Queues themselves are QueueDescription.swift.
import SignalboxSystem
import SignalboxWords

enum FiguresDescription {
  /// How long a tick lasts, in 10^-18 s, for readers of a core dump. relaxed: a number alone
  private static let tickLength = Relaxed64(0)

  /// The first queue that is counted says where the words lie.
  static func learn(from figures: QueueFigures, _ extras: QueueExtras, _ queue: DispatchQueue) {
    if ProcessDescription.isWritten(.queueExtras) { return }  // two that learn write the same
    let own = UInt(Lent(figures).address), waits = figures.placeOfWaits &- own
    // The queue's address is a constant, and so has no address that Swift would give: it is the one word that has this
    // value.
    let named = stride(from: own, to: own &+ waits, by: 8).first {
      SafeMemory.word64($0, isAlive: true) == UInt64(queue.address)
    }
    // Counts are read by the word.
    guard let named, waits % 8 == 0 else { return }
    ProcessDescription.write(.figuresQueue, named &- own)
    ProcessDescription.write(.figuresWaits, waits)
    ProcessDescription.write(.waitBuckets, UInt(WaitBucket.count))
    ProcessDescription.write(.extrasFigures, extras.placeOfFigures &- UInt(Lent(extras).address))
    // Last: a reader that finds it finds the others.
    ProcessDescription.write(.queueExtras, queue.placeOfExtras &- queue.address)
  }

  /// The clocks, read at one moment.
  static func write(origin: (ticks: UInt64, uptime: UInt64)) {
    ProcessDescription.write(.originUptime, origin.uptime)
    ProcessDescription.write(.originTicks, origin.ticks)
  }

  /// How long a tick lasts, as the clocks have it now.
  static func write(secondsPerTick: Double) {
    guard let length = UInt64(exactly: (secondsPerTick * 1e18).rounded()), length > 0 else { return }
    tickLength.store(length)
    ProcessDescription.write(.tickLength, withUnsafePointer(to: tickLength) { UInt(bitPattern: $0) })
  }
}

extension DispatchQueue {
  fileprivate final var placeOfExtras: UInt { withUnsafePointer(to: extrasBits) { UInt(bitPattern: $0) } }
}

extension QueueFigures {
  fileprivate var placeOfWaits: UInt { withUnsafePointer(to: waits) { UInt(bitPattern: $0) } }
}

extension QueueExtras {
  fileprivate var placeOfFigures: UInt { withUnsafePointer(to: figures) { UInt(bitPattern: $0) } }
}
