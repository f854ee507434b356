// LockRowTests.swift: what rows about locks have beyond others: peers in the same pairs, bars against them, a loop that excludes.
import BenchSupport
import Synchronization
import Testing

@Suite("Verdicts of rows about locks") struct LockVerdictTests {
  fileprivate static func result(
    bar: Bar, ours: [Double], theirs: [Double], peers: [[Double]] = [], floor: [Double] = steady(4), isJudged: Bool = true
  ) -> RowResult {
    let row = Row("lock-x", .locks, "take and give back", bar: bar, floor: .swapPair) { .timed { _ in } }
    func lane(_ samples: [Double]) -> LaneResult { LaneResult(samples: samples, operationsPerSample: 100) }
    return RowResult(
      row: row, signalbox: lane(ours), toolchain: lane(theirs), floor: lane(floor), reference: nil,
      peers: peers.enumerated().map { PeerResult(name: "peer \($0)", lane: lane($1)) }, isJudged: isJudged)
  }

  @Test("A row that may be near the floor is judged by the floor alone")
  func nearFloorLooksAtTheFloorAlone() {
    let bar = Bar.nearFloor(atMost: 1.3)
    #expect(Self.result(bar: bar, ours: steady(13), theirs: steady(1), floor: steady(10)).verdict == .met)
    #expect(Self.result(bar: bar, ours: steady(14), theirs: steady(999), floor: steady(10)).verdict == .missed)
    #expect(Self.result(bar: bar, ours: [12, 13, 14, 15, 16], theirs: steady(9), floor: steady(10)).verdict == .open)
  }

  @Test("A row is judged against every peer")
  func everyPeerCounts() {
    let bar = Bar.ratioBesidePeers(2.5)
    #expect(Self.result(bar: bar, ours: steady(10), theirs: steady(25), peers: [steady(10), steady(9.5)]).verdict == .met)
    #expect(Self.result(bar: bar, ours: steady(10), theirs: steady(25), peers: [steady(99), steady(9.4)]).verdict == .missed)
    #expect(Self.result(bar: bar, ours: steady(10), theirs: steady(24), peers: [steady(99)]).verdict == .missed)
    #expect(Self.result(bar: bar, ours: steady(10), theirs: steady(25), peers: [[8, 8, 9, 10, 11]]).verdict == .open)
    #expect(
      Self.result(bar: bar, ours: steady(10), theirs: steady(25), peers: [steady(1)], isJudged: false).verdict == .notJudged)
  }

  @Test("A row without a bar is not judged")
  func rowsWithoutABarAreNotJudged() {
    #expect(Self.result(bar: .none, ours: steady(10), theirs: steady(1)).verdict == .notJudged)
  }

  @Test("The table shows the peers and the multiples")
  func theTableShowsPeersAndMultiples() throws {
    let table = Table(ink: .plain, subjectName: "Signalbox")
    let row = Self.result(bar: .ratioBesidePeers(2.5), ours: steady(10), theirs: steady(25), peers: [steady(12), steady(20)])
    #expect(table.line(row).contains("met (≥ 2.5x, peers ≥ 0.95x)"))
    #expect(try #require(table.peers(row)).hasSuffix("beside peer 0 12.0 (1.20x), peer 1 20.0 (2.00x)"))
    let plain = Self.result(bar: .nearFloor(atMost: 1.3), ours: steady(12), theirs: steady(25), floor: steady(10))
    #expect(table.peers(plain) == nil)
    #expect(table.line(plain).contains("met (≤ 1.3x floor): 1.20x"))
    #expect(plain.verdict == .met)
  }
}

@Suite("The loop of lock rows excludes other threads") struct LockLoopTests {
  /// A lock that counts how often it was taken, and by how many at once.
  private struct Watched: BenchLock {
    final class Counts: Sendable {
      let taken = Atomic<Int>(0), inside = Atomic<Int>(0), overlaps = Atomic<Int>(0)
    }
    let lock = GlibcMutex(.normal)
    let counts = Counts()

    func around(_ body: () -> Void) {
      lock.around {
        counts.taken.add(1, ordering: .relaxed)
        if counts.inside.add(1, ordering: .relaxed).oldValue > 0 { counts.overlaps.add(1, ordering: .relaxed) }
        body()
        counts.inside.subtract(1, ordering: .relaxed)
      }
    }
  }

  @Test("Every operation of the loop takes the lock once", arguments: [1, 2, 5], [Section.short, .long])
  func everyOperationTakesTheLockOnce(threads: Int, section: Section) {
    let lock = Watched()
    #expect(lockWorkload(lock, threads: threads, section).run(200) > 0)
    #expect(lock.counts.taken.load(ordering: .relaxed) == 200)
    #expect(lock.counts.overlaps.load(ordering: .relaxed) == 0)
  }

  @Test("Every peer's lock keeps other threads out")
  func everyPeerExcludes() {
    func overlaps<Lock: BenchLock>(_ lock: Lock) -> Int {
      let counts = Watched.Counts()
      let crew = Crew(threads: 3) { _, share in
        for _ in 0..<share {
          lock.around {
            if counts.inside.add(1, ordering: .relaxed).oldValue > 0 { counts.overlaps.add(1, ordering: .relaxed) }
            opaqueWork()
            counts.inside.subtract(1, ordering: .relaxed)
          }
        }
      }
      _ = crew.run(3_000)
      return counts.overlaps.load(ordering: .relaxed)
    }
    for kind in [GlibcMutex.Kind.normal, .adaptive, .errorCheck, .recursive] { #expect(overlaps(GlibcMutex(kind)) == 0) }
    #expect(overlaps(GlibcSpinLock()) == 0)
    #expect(overlaps(GlibcReaderWriterLock(.write)) == 0)
    #expect(overlaps(SwiftMutex()) == 0)
  }

  @Test("A long section lasts longer than a short one")
  func aLongSectionIsLong() {
    let long = lockWorkload(SwiftMutex(), threads: 1, .long), short = lockWorkload(SwiftMutex(), threads: 1, .short)
    #expect(long.run(1_000) > 5 * short.run(1_000))
    #expect(Floor.longBody.prepare().run(10) > 0)
  }
}

@Suite("Rows run against several peers") struct PeerRunTests {
  /// Notes which workloads ran, in order. Used by one thread.
  private final class Journal {
    var names: [String] = []
  }

  @Test("Peers run in the same pairs as the two libraries")
  func peersRunInTheSamePairs() {
    let journal = Journal()
    func workload(_ name: String, _ cost: Double) -> Workload {
      .selfTimed { count in
        journal.names.append(name)
        return cost * Double(count)
      }
    }
    func subject(_ name: String, _ cost: Double) -> Subject {
      var row = Row("row", .locks, "nothing", bar: .ratioBesidePeers(2), floor: .body(calls: 1), batch: .fixed(10)) {
        workload(name, cost)
      }
      row.peers = [Peer("a") { workload("a", 2) }, Peer("b") { workload("b", 4) }]
      return Subject(name: name, rows: [row])
    }
    let ours = subject("ours", 1)
    let runner = Runner(signalbox: ours, toolchain: subject("theirs", 3), rounds: 2, pace: .smoke, counter: nil)
    let result = runner.run(ours.rows[0]) { _, _ in }
    let turns = journal.names.dropFirst(4).enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    #expect(turns == ["ours", "theirs", "a", "b", "b", "a", "theirs", "ours"])
    #expect(result.peers.map(\.name) == ["a", "b"])
    #expect(result.peers.map { result.ratio(to: $0).median } == [2, 4])
    #expect(result.ratio.median == 3)
  }
}

@Suite("Contention in lock rows") struct LockContentionTests {
  private func contention(threads: Int, seen: LockContention?) -> (LockContention?, calls: [String]) {
    let calls = Mutex<[String]>([])
    var row = Row("lock-x", .contendedLocks, "take", bar: .none, floor: .body(calls: 1), batch: .fixed(100)) {
      .selfTimed { _ in
        calls.withLock { $0.append("run") }
        return 1
      }
    }
    row.contest = LockContest(lock: "x", opponent: "y", threads: threads, section: .short)
    let counter = LockCounter {
      calls.withLock { $0 = ["start"] }
    } stop: {
      calls.withLock { $0.append("stop") }
      return seen
    }
    let half = Subject(name: "half", rows: [row])
    let runner = Runner(signalbox: half, toolchain: half, rounds: 2, pace: .smoke, counter: nil, lockCounter: counter)
    return (runner.run(row) { _, _ in }.contention, calls.withLock { $0 })
  }

  @Test("Contention is counted once, after the timed samples")
  func itIsCountedOnceAfterTheTimedSamples() {
    let seen = LockContention(acquisitions: 120, contended: 30, longestWaitNanoseconds: 2.5e6, holder: "crew 1")
    let (found, calls) = contention(threads: 4, seen: seen)
    #expect(found == seen && calls == ["start", "run", "stop"])
  }

  @Test("Contention is left out where nobody competes, and where another lock is counted")
  func itIsLeftOutWithoutCompetitionAndWhereTheCountedLockIsAnother() {
    let seen = LockContention(acquisitions: 120, contended: 30, longestWaitNanoseconds: 1, holder: nil)
    #expect(contention(threads: 1, seen: seen).0 == nil)
    #expect(contention(threads: 1, seen: seen).calls.contains("start") == false)
    #expect(contention(threads: 4, seen: nil).0 == nil)
    let other = LockContention(acquisitions: 12, contended: 3, longestWaitNanoseconds: 1, holder: nil)
    #expect(contention(threads: 4, seen: other).0 == nil)
  }

  @Test("The table and the JSON show the contention")
  func tableAndJSONShowIt() throws {
    var row = LockVerdictTests.result(bar: .none, ours: steady(10), theirs: steady(20))
    let table = Table(ink: .plain, subjectName: "Signalbox")
    #expect(table.contention(row) == nil && row.json.text.contains("\"contention\":null"))
    row.contention = LockContention(acquisitions: 1_000, contended: 125, longestWaitNanoseconds: 2.5e6, holder: "crew 1")
    let line = try #require(table.contention(row))
    #expect(line.hasSuffix("counted: taken 1000 times, 12.5 % contended, longest wait 2.50 ms behind \"crew 1\""), "\(line)")
    let json =
      "\"contention\":{\"acquisitions\":1000,\"contended\":125,\"share\":0.125,\"longestWait\":2.5,\"holder\":\"crew 1\"}"
    #expect(row.json.text.contains(json), "\(row.json.text)")
  }
}
