// SampleReaderTests.swift: what a process has noted of its threads and queues, in tables that are made up word by word;
// stamps of items; and how long sampled items waited.
import SignalboxSystem
import SignalboxView
import SignalboxWords
import Testing

@Suite("What a process notes of itself") struct SampleReaderTests {
  private static let head: UInt64 = 0x100, threads: UInt64 = 0x1000, queues: UInt64 = 0x2000, owner: UInt64 = 0x5_0002
  private static let stamp = ItemStamp(progress: 7, frame: 0x4002, done: 9)

  private static func made() -> WordProcess {
    var made = WordProcess()
    made.describe([.samples: head])
    made.memory.set(head, [90, threads, 4, queues, 2])
    made.memory.set(threads, [UInt64](repeating: 0, count: 4 * SampleLayout.threadWords))
    made.memory.set(threads + 2 * 48, [2, owner, 7, 0x4002, 9, 40])
    made.memory.set(queues, [UInt64](repeating: 0, count: 2 * SampleLayout.queueWords))
    made.memory.set(queues + UInt64(SampleLayout.queueWords) * 8, [4, 0x7000, 2, 10, 30, 12, 60])
    return made
  }

  @Test("An item of the same stamp and thread runs since it was noted; any other does not")
  func threads() {
    let reader = SampleReader(Self.made().reading), stamp = Self.stamp
    #expect(reader.isThere && reader.last == 90 && reader.since(stamp, of: Self.owner) == 40)
    #expect(reader.since(stamp, of: 0x6_0002) == nil && reader.since(stamp, of: 0x5_0003) == nil)
    #expect(reader.since(stamp, of: 0x5_0004) == nil, "beyond the table")
    for other in [
      ItemStamp(progress: 8, frame: 0x4002, done: 9), ItemStamp(progress: 7, frame: 0x4003, done: 9),
      ItemStamp(progress: 7, frame: 0x4002, done: 10),
    ] { #expect(reader.since(other, of: Self.owner) == nil) }
    #expect(!SampleReader(WordProcess().reading).isThere)
  }

  @Test("What was counted of a queue, by its figures")
  func queues() {
    let all = SampleReader(Self.made().reading).queues
    #expect(all.keys.sorted() == [0x7000] && all[0x7000]?.since(taken: 9) == 30 && all[0x7000]?.since(taken: 10) == 60)
  }

  @Test("Entries that change while they are read count for nothing", arguments: [3, .max] as [UInt64])
  func torn(sequence: UInt64) {
    var made = Self.made()
    made.memory.set(Self.threads + 2 * 48, [sequence])
    made.memory.set(Self.queues + UInt64(SampleLayout.queueWords) * 8, [sequence])
    let reader = SampleReader(made.reading)
    #expect(reader.since(Self.stamp, of: Self.owner) == nil && reader.queues.isEmpty)
  }

  @Test("A head that says anything leads to nothing, and reading ends", arguments: [0, 1, .max, 1 << 63, 0x2000] as [UInt64])
  func damaged(word: UInt64) {
    for place in 1..<SampleLayout.headWords {
      var made = Self.made()
      made.memory.words[Self.head + UInt64(place) * 8] = word
      let reader = SampleReader(made.reading)
      _ = (reader.queues, reader.since(Self.stamp, of: Self.owner), reader.since(Self.stamp, of: .max))
    }
    var made = Self.made()
    made.memory.words[Self.queues + UInt64(SampleLayout.queueWords) * 8 + 16] = word
    #expect(SampleReader(made.reading).queues.count <= 1)
  }

  @Test("A thread's stamp: its worker's count, its frame, and what was taken off where it alone takes any")
  func stamps() {
    var made = WordProcess()
    made.describe([
      .queueState: 8, .queueKind: 24, .listTaken: 32, .listHead: 40, .frames: 0, .threadWorker: 8, .workerProgress: 16,
    ])
    // A record, a worker, a queue and two frames: a sync in a drain.
    made.memory.set(0x100, [0x300, 0x200])
    made.memory.set(0x200, [0, 0, 7])
    made.memory.set(0x300, [0x400 | UInt64(FrameKind.syncAlone.rawValue), 0x320])
    made.memory.set(0x320, [0x400 | UInt64(FrameKind.drainAlone.rawValue), 0])
    made.memory.set(0x400, [0, 0, 0, UInt64(QueueKind.serial.rawValue), 20 << 1, 3])
    func stamp() -> ItemStamp? { ItemStampReader(made.reading).stamp(ofRecord: 0x100) }
    let alone = ItemStamp(progress: 7, frame: 0x400 | UInt64(FrameKind.drainAlone.rawValue), done: 23)
    #expect(stamp() == alone)
    made.memory.words[0x420] = 20 << 1 | 1
    #expect(stamp() == nil, "the owner changes the count")
    made.memory.words[0x420] = 20 << 1
    made.memory.words[0x320] = 0x400 | UInt64(FrameKind.drainShared.rawValue)
    #expect(stamp() == ItemStamp(progress: 7, frame: 0x400 | UInt64(FrameKind.drainShared.rawValue), done: 0))
    // No worker: what its own queue has counted, and nothing for another's.
    made.memory.words[0x108] = 0
    #expect(stamp() == nil)
    made.memory.words[0x320] = 0x400 | UInt64(FrameKind.drainAlone.rawValue)
    made.memory.words[0x418] = UInt64(QueueKind.main.rawValue)
    #expect(stamp() == ItemStamp(progress: 23, frame: 0x400 | UInt64(FrameKind.drainAlone.rawValue), done: 23))
    made.memory.words[0x328] = 0x320
    #expect(stamp() != nil, "a way round and round ends")
    made.memory.words[0x100] = 0
    #expect(stamp() == nil)
  }

  @Test("How long sampled items waited: of the figures that name the queue, in seconds of both clocks or of the last known")
  func waits() {
    var made = WordProcess()
    made.describe([
      .queueExtras: 96, .extrasFigures: 8, .figuresQueue: 16, .figuresWaits: 24, .waitBuckets: UInt64(WaitBucket.count),
      .originTicks: 1_000, .originUptime: 5_000_000,
    ])
    made.memory.set(0x100, [0, 0x200])
    made.memory.set(0x200, [0, 0, 0x4000] + [UInt64](repeating: 0, count: WaitBucket.count / 2))
    made.memory.words[0x218 + 5 * 8] = 3 | 1 << 32
    let reader = FiguresReader(made.reading)
    #expect(reader.figures(0x100, ofQueue: 0x4000) == 0x200 && reader.figures(0x100, ofQueue: 0x5000) == 0)
    #expect(reader.figures(0, ofQueue: 0x4000) == 0 && reader.figures(0x900, ofQueue: 0x4000) == 0)
    let counts = reader.waits(ofFigures: 0x200)
    #expect(counts?[10] == 3 && counts?[11] == 1 && counts?.count == WaitBucket.count && reader.waits(ofFigures: 0x300) == nil)
    #expect(WaitBucket.time(of: 50, in: counts ?? []) == WaitBucket.end(10))
    #expect(WaitBucket.time(of: 95, in: counts ?? []) == WaitBucket.end(11) && WaitBucket.time(of: 50, in: []) == nil)
    #expect(reader.secondsPerTick(now: (ticks: 1_000 + 4_000_000, uptime: 7_000_000)) == 0.5e-9)
    #expect(reader.secondsPerTick(now: (ticks: 900, uptime: 7_000_000)) == nil)
    #expect(reader.secondsPerTick(now: (ticks: 2_000, uptime: 5_000_001)) == nil && reader.secondsPerTick(now: nil) == nil)
    made.describe([.tickLength: 0x900])
    made.memory.words[0x900] = 500_000_000
    #expect(FiguresReader(made.reading).secondsPerTick(now: nil) == 0.5e-9)
  }
}
