// RunnerTests.swift: how rows are run: interleaved, both ways round, with counts that fit, by all threads at once.
import BenchSupport
import Synchronization
import Testing

@Suite("How rows are run") struct RunnerTests {
  /// Notes which workloads ran, in order. Used by one thread.
  private final class Journal {
    var names: [String] = []
  }

  private func subject(_ name: String, _ journal: Journal, nanosecondsPerOperation cost: Double, batch: Batch) -> Subject {
    let row = Row("row", .sync, "nothing", bar: .ratio(2), floor: .body(calls: 1), batch: batch, sampleMilliseconds: 1) {
      .selfTimed { count in
        journal.names.append("\(name) \(count)")
        return cost * Double(count)
      }
    }
    return Subject(name: name, rows: [row])
  }

  @Test("The two libraries take turns, and turn round after each pair")
  func librariesTakeTurnsAndTurnRound() {
    let journal = Journal()
    let ours = subject("ours", journal, nanosecondsPerOperation: 1, batch: .fixed(10))
    let theirs = subject("theirs", journal, nanosecondsPerOperation: 3, batch: .fixed(10))
    let runner = Runner(signalbox: ours, toolchain: theirs, rounds: 4, pace: .smoke, counter: nil)
    var rounds: [Int] = []
    let result = runner.run(ours.rows[0]) { round, _ in rounds.append(round) }
    #expect(rounds == [1, 2, 3, 4])
    // Each sample has a call that warms up and one that counts; the first call of each library fits the count.
    let turns = journal.names.dropFirst(2).enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    #expect(turns == ["ours 10", "theirs 10", "theirs 10", "ours 10", "ours 10", "theirs 10", "theirs 10", "ours 10"])
    #expect(result.ratio == Estimate(of: [3, 3, 3, 3]))
    #expect(result.verdict == .notJudged)
    #expect(result.signalbox.allocationsPerOperation == nil)
  }

  @Test("The number of operations fits the wanted time")
  func countsFitTheWantedTime() {
    let journal = Journal()
    let ours = subject("ours", journal, nanosecondsPerOperation: 10, batch: .elastic(minimum: 50))
    let theirs = subject("theirs", journal, nanosecondsPerOperation: 10_000_000, batch: .elastic(minimum: 50))
    let runner = Runner(signalbox: ours, toolchain: theirs, rounds: 1, pace: .full, counter: nil)
    let result = runner.run(ours.rows[0]) { _, _ in }
    #expect(result.signalbox.operationsPerSample == 100_000)
    #expect(result.toolchain.operationsPerSample == 50)
  }

  @Test("A batch of fixed size is repeated to fill the time")
  func fixedBatchesAreRepeated() {
    let journal = Journal()
    let ours = subject("ours", journal, nanosecondsPerOperation: 10, batch: .fixed(20_000))
    let theirs = subject("theirs", journal, nanosecondsPerOperation: 1_000, batch: .fixed(20_000))
    let runner = Runner(signalbox: ours, toolchain: theirs, rounds: 1, pace: .full, counter: nil)
    let result = runner.run(ours.rows[0]) { _, _ in }
    #expect(result.signalbox.operationsPerSample == 100_000)
    #expect(result.toolchain.operationsPerSample == 20_000)
  }

  @Test("Calls of malloc are counted per operation")
  func allocationsAreCountedPerOperation() {
    let journal = Journal()
    let ours = subject("ours", journal, nanosecondsPerOperation: 1, batch: .fixed(10))
    let runner = Runner(
      signalbox: ours, toolchain: ours, rounds: 1, pace: .smoke, counter: AllocationCounter(start: {}, stop: { 25 }))
    #expect(runner.run(ours.rows[0]) { _, _ in }.signalbox.allocationsPerOperation == 2.5)
  }

  @Test("The bare work beside every row runs")
  func everyFloorRuns() {
    let floors: [Floor] = [
      .body(calls: 2), .swapPair, .contendedSwapPairs(threads: 3), .storedCall, .storedContext(bytes: 48),
      .allocation(bytes: 64), .wakeRoundTrip, .wakeAfterIdle, .lateAlarm, .clock,
    ]
    for floor in floors {
      #expect(floor.prepare().run(10) > 0, "\(floor.text)")
      #expect(!floor.text.isEmpty)
    }
  }
}

@Suite("Rows run by several threads") struct CrewTests {
  @Test("A crew does every operation once", arguments: [1, 2, 7], [0, 1, 63, 64, 65, 10_000])
  func everyOperationIsDoneOnce(threads: Int, count: Int) {
    let done = CountingCell()
    let crew = Crew(threads: threads) { _, share in done.value.add(share, ordering: .relaxed) }
    for _ in 0..<3 { #expect(crew.run(count) >= 0) }
    #expect(done.value.load(ordering: .relaxed) == 3 * count)
  }

  @Test("Equal parts go to each member of a crew once")
  func equalPartsGoToEachMemberOnce() {
    let first = CountingCell(), second = CountingCell()
    let crew = Crew(threads: 2, division: .equalParts, placement: .free) { member, share in
      (member == 0 ? first : second).value.add(share, ordering: .relaxed)
    }
    _ = crew.run(200)
    #expect(first.value.load(ordering: .relaxed) == 100)
    #expect(second.value.load(ordering: .relaxed) == 100)
  }

  @Test("A count-down wakes its waiter at the last hit")
  func countDownWakesAtTheLastHit() {
    let countDown = CountDown()
    let crew = Crew(threads: 2) { _, share in for _ in 0..<share { countDown.hit() } }
    countDown.arm(1_000)
    _ = crew.run(1_000)
    countDown.wait()
  }

  private final class CountingCell: Sendable {
    let value = Atomic<Int>(0)
  }
}

@Suite("The provenance of results") struct ProvenanceTests {
  @Test("The toolchain's library is known by lying beside its runtime")
  func theToolchainsLibraryLiesBesideItsRuntime() {
    let images: Set = ["/opt/swift/lib/libdispatch.so", "/opt/swift/lib/libswiftDispatch.so", "/usr/bin/program"]
    let found = Provenance(images: images, runtimeLibrary: "/opt/swift/lib/libswiftCore.so")
    #expect(found.finding == .toolchain("/opt/swift/lib/libdispatch.so"))
  }

  @Test("A library of that name elsewhere is not the toolchain's")
  func aLibraryOfThatNameElsewhereIsAStranger() {
    let images: Set = ["/opt/private/libdispatch.so", "/usr/bin/program"]
    for runtimeLibrary in ["/opt/swift/lib/libswiftCore.so", nil] {
      let found = Provenance(images: images, runtimeLibrary: runtimeLibrary)
      #expect(found.finding == .stranger("/opt/private/libdispatch.so"))
    }
  }

  @Test("Without the toolchain's library nothing is claimed")
  func withoutItNothingIsClaimed() {
    let images: Set = ["/usr/bin/program", "/lib/libc.so.6", "/opt/swift/lib/libswiftDispatch.so"]
    #expect(Provenance(images: images, runtimeLibrary: "/opt/swift/lib/libswiftCore.so").finding == .notLibdispatch)
  }

  @Test("The images on a real call stack are collected")
  func stacksAreReallyLookedAt() throws {
    let collector = ImageCollector()
    collector.collect()
    let runtime = try #require(imageHolding(symbol: "swift_retain"))
    #expect(Provenance.fileName(of: runtime).hasPrefix("libswiftCore"))
    #expect(!collector.paths.isEmpty)
  }
}
