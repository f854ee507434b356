// MadeEvents.swift: what may come in the process that tests make up (MadeProcess.swift): two timers of one clock, a
// descriptor with two subscriptions, and how many other events there are.
import SignalboxSystem
import SignalboxWords

extension MadeProcess {
  private static let clock = Place.events, heads = clock + 0x100, entries = clock + 0x3800, array = clock + 0x3A00
  private static let entry = clock + 0x3B00, watchesOfEntry = clock + 0x3B80, watches = clock + 0x3C00
  private static let base: UInt64 = 80_000_000_000, opened = UInt64(WheelLayout.opened)

  /// A link between two lists' members, the number of timers, a subscription's type, the table's word, the number of
  /// other events: words that tests damage.
  static let link = entries + 8, count = clock + 48, watch = watches, table = clock + 0x80, others = clock + 0x90

  static let eventWords: [DescribedWord: UInt64] = [
    .wordCount: 128, .uptimeTimers: clock, .timerHeads: 24, .timerBase: 40, .timerCount: 48, .timerMoves: 56, .timerPrevious: 8,
    .timerLatest: 16, .timerDeadline: 40, .timerTask: 64, .timerTag: 88, .timerTags: 0x100, .timerHeadSize: 24,
    .descriptors: table, .entryType: Place.base + 0x260, .entryWatches: 24, .watchLabel: 16, .watchDirection: 32,
    .watchType: Place.base + 0x270, .otherEvents: others,
  ]

  static func addEvents(_ memory: inout MadeMemory) {
    addTimers(&memory)
    let label = StringForm.words("made.pipe")
    let words: [(UInt64, UInt64)] = [
      (table, array), (others, 4), (array + 16, 8), (array + 32 + 3 * 8, entry), (entry, Place.base + 0x260),
      (entry + 24, watchesOfEntry), (watchesOfEntry + 16, 2), (watchesOfEntry + 32, watches),
      (watchesOfEntry + 40, watches + 0x40), (watches, Place.base + 0x270), (watches + 16, label.first),
      (watches + 24, label.second), (watches + 0x40, Place.base + 0x270), (watches + 0x40 + 32, 1),
    ]
    for (place, value) in words { memory.set(value, at: place) }
  }

  /// One that is late, of an item, and one of a source, which is the second queue.
  private static func addTimers(_ memory: inout MadeMemory) {
    for (place, value) in [(24, heads), (40, base), (48, 2), (56, 2)] as [(UInt64, UInt64)] {
      memory.set(value, at: clock + place)
    }
    let late = base + 5_000_000_000, far = base + 50_000_000_000
    let list = UInt64(WheelLayout.list(of: far, after: base) ?? 0)
    for (number, timer) in [(opened, late, Place.queues, 0), (list, far, Place.queues + 0x80, 1)].enumerated() {
      let (list, deadline, object, tag) = timer, head = heads + list * 24, entry = entries + UInt64(number) * 0x80
      let words: [(UInt64, UInt64)] = [
        (head, entry), (head + 8, entry), (entry, head), (entry + 8, head), (entry + 16, deadline), (entry + 40, deadline),
        (entry + 64, object), (entry + 72, number == 0 ? Place.base + 0x240 : 0), (entry + 88, UInt64(tag)),
      ]
      for (place, value) in words { memory.set(value, at: place) }
    }
  }
}
