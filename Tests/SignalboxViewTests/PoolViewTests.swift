// PoolViewTests.swift: pools and workers in made memory: whole, torn, and of no sense; stamps of items.
import SignalboxWords
import Testing

@testable import SignalboxView

@Suite("Pools and workers, in any memory") struct PoolViewTests {
  @Test("Each pool has its numbers and the workers that threads lead to; who has not begun is counted alone")
  func whole() throws {
    var made = MadePools()
    let threads = [
      made.thread(1, 11, progress: 7), made.thread(2, 12, status: WorkerStatus.blocked),
      made.thread(3, 13, status: WorkerStatus.idle, pool: 1), made.thread(4, 14, pool: nil),
      // Of a private engine's pool.
      made.thread(5, 15, pool: 9),
    ]
    let pools = PoolReader(made.reading()).pools(threads), normal = try #require(pools[0]), background = try #require(pools[1])
    #expect(pools.count == 2 && normal.name == "default" && background.name == "background")
    #expect(normal.state[PoolState.total] == 3 && normal.state[PoolState.running] == 1 && normal.limit == 512)
    #expect(normal.workers.map(\.thread) == [11, 12] && normal.workers.map(\.word) == ["runs", "waits"])
    #expect(normal.workers[0].progress == 7 && normal.beginning == 1)
    #expect(background.workers.map(\.word) == ["idle"] && background.beginning == 0 && background.limit == 64)
  }

  @Test("Each status has its word, and a number that is none makes no worker")
  func statuses() {
    var words: [String?] = []
    for status in UInt32(0)..<7 {
      var made = MadePools()
      let thread = made.thread(1, 11, status: status)
      words.append(PoolReader(made.reading()).worker(of: thread)?.word)
    }
    #expect(words == ["runs", "waits", "sleeps in an item", "idle", "searches", "runs", nil])
  }

  @Test("A worker whose thread has gone on to another, or ended, or that is another thread's, is left out")
  func torn() {
    var made = MadePools()
    let thread = made.thread(1, 11), record = thread.record + 16, slot = MadePools.Place.slots + 16
    func found(_ change: @escaping @Sendable (UInt64, UInt64, Int) -> UInt64 = { _, word, _ in word }) -> WorkerView? {
      PoolReader(made.reading(change: change)).worker(of: thread)
    }
    #expect(found() != nil)
    #expect(found { address, word, reading in address == record && reading > 1 ? word + 0x40 : word } == nil)
    #expect(found { address, word, _ in address == slot ? word + 1 : word } == nil)
    #expect(found { address, word, _ in address == MadePools.Place.workers + 0x40 + 24 ? 12 : word } == nil)
    for offset: UInt64 in [16, 24, 32, 40] {
      made.words[MadePools.Place.workers + 0x40 + offset] = nil
      #expect(found() == nil)
      made.thread(1, 11)
    }
    made.describe(.workerPool, 0)
    #expect(found() == nil && PoolReader(made.reading()).lacksWorkers)
    #expect(PoolReader(made.reading()).pools([thread])[0].map { $0.beginning == nil && $0.workers.isEmpty } == true)
    made.describe(.threadWorker, 0)
    #expect(found() == nil && !PoolReader(made.reading()).knowsWorkers && !PoolReader(made.reading()).lacksWorkers)
  }

  @Test("While threads come or go it is not known how many begin; where more workers are seen than are counted none does")
  func counts() throws {
    var made = MadePools()
    let thread = made.thread(1, 11), state = MadePools.Place.states
    let moving = made.reading { address, word, reading in
      address == state ? PoolState(rawValue: word).adding(PoolState.total, reading).rawValue : word
    }
    let pool = try #require(PoolReader(moving).pools([thread])[0])
    #expect(pool.beginning == nil && pool.state[PoolState.total] == 5 && pool.workers.count == 1)
    made.words[state] = 0
    #expect(try #require(PoolReader(made.reading()).pools([thread])[0]).beginning == 0)
  }

  @Test("A pool of no band that there is, or whose memory is not there, is none; and no more are read than there are bands")
  func broken() {
    for word in PoolWord.allCases where word != .rings && word != .ringCount {
      var made = MadePools()
      made.words[MadePools.Place.pools + word.offset] = nil
      let pools = PoolReader(made.reading()).pools([])
      #expect(pools.count == 2 && pools[0] == nil && pools[1] != nil, "\(word)")
    }
    var made = MadePools()
    made.words[MadePools.Place.pools + PoolWord.band.offset] = .max
    made.describe(.poolCount, .max)
    let pools = PoolReader(made.reading()).pools([])
    #expect(pools.count == 3 && pools[0] == nil && pools[1] != nil && pools[2] == nil)
    made.describe(.pools, 0)
    #expect(PoolReader(made.reading()).pools([]).isEmpty && !PoolReader(made.reading()).knowsPools)
  }
}
