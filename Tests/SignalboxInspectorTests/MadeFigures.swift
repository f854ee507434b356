// MadeFigures.swift: what the made process knows besides who waits for whom: a name, figures of a queue, and what it
// notes of itself once a second. The process is MadeProcess.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords

@testable import SignalboxInspector

extension MadeProcess {
  /// Where it lies, and what the table says of that.
  enum Figures {
    private static let base = MadeMemory.base + 0x3000
    fileprivate static let cell = base, names = base + 0x40, extras = base + 0x200, figures = base + 0x280
    fileprivate static let head = base + 0x540, threads = base + 0x580, queues = base + 0x900, tick = base + 0xA40

    static let words: [DescribedWord: UInt64] = [
      .names: cell, .queueExtras: 160, .extrasFigures: 8, .figuresQueue: 16,
      .figuresWaits: 32, .waitBuckets: UInt64(WaitBucket.count), .tickLength: tick, .samples: head,
    ]
    /// How long half of the sampled items, and 95 of a hundred, have waited: a tick is a nanosecond.
    static var half: Double { Double(WaitBucket.end(10)) * 1e-9 }
    static var most: Double { Double(WaitBucket.end(21)) * 1e-9 }
  }

  /// The lock has a name; the first queue has figures, and two items since 20 s; the third thread is a worker that has
  /// run its item for 10 s.
  static func addFigures(_ memory: inout MadeMemory) {
    func set(_ address: UInt64, _ words: [UInt64]) {
      for (place, word) in words.enumerated() { memory.set(word, at: address + UInt64(place * 8)) }
    }
    let name = StringForm.words("made.lock"), second = Place.queue(1)
    set(Figures.cell, [Figures.names])
    // One bucket.
    set(Figures.names, [0, 2, Place.lock, name.first, name.second])
    set(Place.queue(0) + 160, [Figures.extras])
    set(Figures.extras + 8, [Figures.figures])
    set(Figures.figures + 16, [Place.queues])
    set(Figures.figures + 32 + 5 * 8, [60, 0])
    set(Figures.figures + 32 + 10 * 8, [40 << 32])
    set(Figures.tick, [1_000_000_000])

    set(Figures.head, [89_000_000_000, Figures.threads, 16, Figures.queues, 1])
    set(Figures.threads + UInt64(3 * SampleLayout.threadWords * 8), [4, owners[3], 7, second | 2, 4, 80_000_000_000])
    set(Figures.queues, [6, Figures.figures, 2, 4, 70_000_000_000, 5, 75_000_000_000])
  }
}
