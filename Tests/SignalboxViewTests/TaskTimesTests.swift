// TaskTimesTests.swift: the register of tasks, made up word by word: which entry is a task's, what counts for nothing,
// and how spans and moments lie in words.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxView

private typealias Layout = TaskRegisterLayout

@Suite("The register of tasks") struct TaskTimesTests {
  private static let start: UInt64 = 0x10_0000, buckets: UInt64 = 64, task: UInt64 = 0x7F00_1230

  private func view(_ number: UInt32, at address: UInt64 = task) -> TaskView {
    TaskView(
      address: address, number: number, name: "", priority: 21, basePriority: 21, isCancelled: false, isAsyncLet: false,
      parent: 0, group: 0, state: .new, awaits: [], sleep: 0)
  }

  /// An entry of task 9 with three parts, of which the last has ended.
  private static let entry: [UInt64] = [
    9 << 32 | 3, 50, 70, span(640, 9, parts: 3), span(320, 1, parts: 3), 0, Layout.moment(2_560, parts: 3),
  ]
  private static func span(_ ticks: UInt64, _ tag: UInt64, parts: Int) -> UInt64 {
    (0..<parts).reduce(tag) { word, part in Layout.adding(part == 0 ? ticks : 0, to: word) }
  }

  /// A register of 64 buckets in which the task has an entry: in its first bucket but for `step`, at that place.
  private func made(step: Int = 0, place: Int = 0, _ words: [UInt64]) -> WordProcess {
    var made = WordProcess()
    made.describe([.taskRegister: Self.start, .taskBuckets: Self.buckets])
    made.memory.set(Self.start, [UInt64](repeating: 0, count: Int(Self.buckets) * Layout.bucketWords))
    made.memory.set(bucket(step) + UInt64(place) * 8, [Self.task])
    made.memory.set(entry(step, place), words)
    return made
  }

  private func bucket(_ step: Int) -> UInt64 { Self.start + Layout.places(of: Self.task, buckets: Self.buckets)[step] * 8 }
  private func entry(_ step: Int, _ place: Int) -> UInt64 {
    bucket(step) + UInt64(Layout.bucketEntries + place * Layout.entryWords) * 8
  }

  @Test("A task has the entry with its address and its number, in any of four buckets", arguments: 0..<4, [0, 7])
  func found(step: Int, place: Int) throws {
    let register = try #require(TaskTimes(made(step: step, place: place, Self.entry).reading))
    let times = try #require(register.times(of: view(9)))
    #expect(times.parts == 3 && times.first == 50 && times.last == 70 && times.busy == 640 && times.queued == 320)
    #expect(times.queuedSince == nil && times.idle(at: 10_240) == 7_680)
    #expect(register.times(of: view(8)) == nil && register.times(of: view(9, at: Self.task + 16)) == nil)
  }

  @Test("An entry that changes while it is read counts for nothing", arguments: 0..<7) func torn(word: Int) throws {
    var made = made(Self.entry)
    let changing = entry(0, 0) + UInt64(word) * 8, readings = Atomic64(0), value = Self.entry[word] + 1
    // The first reading is that of the bucket's addresses.
    made.memory.onReading = { _ in readings.addRelaxed(1) < 2 ? [:] : [changing: value] }
    #expect(try #require(TaskTimes(made.reading)).times(of: view(9)) == nil && readings.loadRelaxed() >= 3)
  }

  @Test("A task that is queued for the first time has no part yet") func queued() throws {
    let entry: [UInt64] = [9 << 32, 50, 0, 9, 1, 50, Layout.moment(50, parts: 0)]
    let register = try #require(TaskTimes(made(entry).reading))
    let times = try #require(register.times(of: view(9)))
    #expect(times.parts == 0 && times.first == 50 && times.last == nil && times.queuedSince == 50)
    #expect(times.busy == 0 && times.idle(at: 1_000_000) == nil)
  }

  @Test("A task whose entry is being written has no times yet") func begun() throws {
    #expect(try #require(TaskTimes(made([0, 50, 0, 9, 0, 0, 0]).reading)).times(of: view(9)) == nil)
  }

  @Test("The end of an earlier part is none of the last one's: the task runs") func runs() throws {
    var entry = Self.entry
    entry[Layout.Entry.ended] = Layout.moment(2_560, parts: 2)
    entry[Layout.Entry.busy] = Self.span(640, 9, parts: 2)
    let times = try #require(TaskTimes(made(entry).reading)?.times(of: view(9)))
    #expect(times.idle(at: 10_240) == nil && times.busy == 640)
    let spans = times.spans(.running, at: 100)
    #expect(spans.age == 50 && spans.wentOn == 30 && spans.since == 30 && spans.busy == 670)
  }

  @Test("A task that has begun more parts than can be counted still has times") func full() throws {
    var entry = Self.entry
    entry[Layout.Entry.counts] = 9 << 32 | 0xFFFF_FFFF
    entry[Layout.Entry.ended] = Layout.moment(2_560, parts: 0xFFFF_FFFF)
    #expect(try #require(TaskTimes(made(entry).reading)).times(of: view(9))?.parts == .max)
  }

  // MARK: in the midst of a change

  private typealias Write = (word: Int, value: UInt64)
  /// What threads write of a task that is queued twice and runs two parts, by TaskRegister. The first part runs from
  /// 1,000 to 3,000, after 512 in the queue. `late`: after how many words of what follows its end is written.
  private func course(late: Int) -> [Write] {
    typealias Entry = Layout.Entry
    let begun: [Write] = [
      (Entry.counts, 0), (Entry.first, 488), (Entry.last, 0), (Entry.busy, 9), (Entry.queued, 1), (Entry.queuedSince, 488),
      (Entry.ended, Layout.moment(488, parts: 0)), (Entry.counts, 9 << 32),
      (Entry.queued, Self.span(512, 1, parts: 1)), (Entry.queuedSince, 0), (Entry.last, 1_000), (Entry.counts, 9 << 32 | 1),
    ]
    let ended: [Write] = [(Entry.busy, Self.span(2_000, 9, parts: 1)), (Entry.ended, Layout.moment(3_072, parts: 1))]
    let again: [Write] = [
      (Entry.queuedSince, 4_000), (Entry.queued, Self.span(512 + 1_008, 1, parts: 2)), (Entry.queuedSince, 0),
      (Entry.last, 5_008), (Entry.counts, 9 << 32 | 2),
    ]
    // The moment is that of the part whose number the counts have: it is not written behind them.
    let ends = late < again.count ? ended : [ended[0]]
    return begun + again.prefix(late) + ends + again.dropFirst(late)
  }

  @Test("Wherever a thread is stopped while it writes, no span counts twice or is missing", arguments: 0...5)
  func stopped(late: Int) throws {
    var words = [UInt64](repeating: 0, count: Layout.entryWords), seen: Set<UInt32> = [], unknown = 0
    for write in course(late: late) {
      words[write.word] = write.value
      guard let times = try #require(TaskTimes(made(words).reading)).times(of: view(9)) else {
        unknown += 1
        continue
      }
      seen.insert(times.parts)
      let runs = times.parts > 0 && times.idle(at: 6_144) == nil
      let spans = times.spans(runs ? .running : times.queuedSince == nil ? .continuation(1) : .queued(0), at: 6_144)
      // Between the parts is what is neither: 1,000 less the rounding of a moment, before it is queued again.
      let between = times.parts == 2 ? 1_000 : 0
      let sum = spans.busy + spans.queued + (runs || times.queuedSince != nil ? 0 : spans.since) + UInt64(between)
      let isQueuedAgain = times.parts == 1 && times.queuedSince != nil
      #expect(abs(Int(sum + (isQueuedAgain ? 1_000 : 0)) - Int(spans.age)) <= 256, "\(words) \(spans)")
    }
    #expect(seen == [0, 1, 2] && unknown >= 8 + 3, "\(seen) \(unknown)")
  }

  @Test("Without a register, or with one that makes no sense, there are no times")
  func none() throws {
    #expect(TaskTimes(WordProcess().reading) == nil)
    for (start, buckets) in [(Self.start, 0), (Self.start, UInt64.max), (Self.start + 1, Self.buckets), (0, Self.buckets)] {
      var made = WordProcess()
      made.describe([.taskRegister: start, .taskBuckets: buckets])
      #expect(TaskTimes(made.reading) == nil, "\(start) \(buckets)")
    }
    var made = WordProcess()
    made.describe([.taskRegister: Self.start, .taskBuckets: Self.buckets])
    #expect(try #require(TaskTimes(made.reading)).times(of: view(9)) == nil)
  }

  // MARK: words

  @Test("A span keeps its tag, counts its parts by four, adds up, and stays at its most") func spans() {
    var word: UInt64 = 0x3BCD
    for parts in 1...1_001 {
      word = Layout.adding(160, to: word)
      #expect(word & Layout.spanParts(3) == Layout.spanParts(UInt64(parts)))
    }
    #expect(Layout.ticks(word) == 160_160 && word & Layout.spanTag == 0x3BCD)
    for ticks in [.max, 1 << 52, (1 << 52) - 16] as [UInt64] { word = Layout.adding(ticks, to: word) }
    #expect(word == 0xFFFF_FFFF_FFFF_3BCD && Layout.adding(16, to: word) == 0xFFFF_FFFF_FFFF_7BCD)
  }

  @Test("A moment is as long ago as its ticks say, also where the counter's highest bits differ")
  func moments() {
    for ended in [0, 256, 1 << 40, (1 << 56) - 256, UInt64.max - 4_095] as [UInt64] {
      for span in [0, 256, 1 << 30, 1 << 50] as [UInt64] {
        let word = Layout.moment(ended, parts: 0x1_0003)
        #expect(Layout.ticks(from: word, to: ended &+ span) == span && word & Layout.tag == 3, "\(ended) \(span)")
      }
    }
    #expect(Layout.ticks(from: Layout.moment(5_120, parts: 1), to: 256) == 0)
  }

  // MARK: functions

  @Test("A function's sums are those of all tables; a row without tasks is none") func functions() throws {
    var made = WordProcess()
    made.describe([.taskFunctions: Self.start])
    made.memory.set(Self.start, [UInt64](repeating: 0, count: Layout.functionsWords))
    func row(_ row: Int) -> UInt64 { Self.start + UInt64(row * Layout.functionWords) * 8 }
    func sums(_ table: Int, _ row: Int) -> UInt64 {
      Self.start + UInt64(Layout.sums + (table * Layout.rows + row) * Layout.sumWords) * 8
    }
    made.memory.set(row(5), [0x40_0000, 0])
    made.memory.set(row(6), [0x40_1000, 0])
    for table in [0, 3, Layout.sumTables - 1] { made.memory.set(sums(table, 5), [1, 2, 10, 20, 30]) }
    made.memory.set(sums(1, 0), [0, 7, 0, 0, 0])
    let all = TaskFunctionSum.all(in: made.reading)
    #expect(
      all == [
        TaskFunctionSum(function: 0, inner: 0, tasks: 0, parts: 7, busy: 0, queued: 0, between: 0),
        TaskFunctionSum(function: 0x40_0000, inner: 0, tasks: 3, parts: 6, busy: 480, queued: 960, between: 1_440),
      ])
    #expect(TaskFunctionSum.all(in: WordProcess().reading).isEmpty)
  }
}
