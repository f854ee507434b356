// LockTrialTests.swift: trials of how evenly locks serve: what a turn counts, what it means, how it is reported.
import BenchSupport
import Testing

@Suite("Trials of how fairly locks serve") struct LockTrialTests {
  private func turn(_ counts: [Int], _ milliseconds: Double) -> LockTurn {
    LockTurn(counts: counts, longestWaitNanoseconds: milliseconds * 1e6)
  }

  private func trial(_ turns: @escaping (Double) -> LockTurn, peers: [LockTrialPeer] = []) -> LockTrial {
    LockTrial("lock-evenness-x", "a lock", milliseconds: 300, longestWaitMilliseconds: 100, peers: peers, turn: turns)
  }

  private func result(_ waits: [Double], isJudged: Bool = true) -> LockTrialResult {
    let ours = LockTrialResult.Entrant(name: "Signalbox", turns: waits.map { turn([50, 100], $0) })
    let theirs = LockTrialResult.Entrant(name: "toolchain", turns: waits.map { _ in turn([0, 10], 900) })
    return LockTrialResult(trial { _ in turn([], 0) }, [ours, theirs], isJudged: isJudged)
  }

  @Test(
    "Evenness is the fewest turns divided by the most",
    arguments: [([1, 1, 1], 1.0), ([2, 8], 0.25), ([0, 5], 0), ([0, 0], 0), ([], 0)] as [([Int], Double)])
  func evennessIsFewestOverMost(counts: [Int], expected: Double) { #expect(turn(counts, 1).evenness == expected) }

  @Test("A trial's longest wait passes, fails or stays open by its interval")
  func theLongestWaitIsJudgedByTheRule() {
    #expect(result([90, 95, 99, 99, 99]).verdict == .met)
    #expect(result([90, 99, 101, 150, 200]).verdict == .open)
    #expect(result([101, 102, 103, 104, 105]).verdict == .missed)
    #expect(result([1, 1, 1, 1, 1], isJudged: false).verdict == .notJudged)
  }

  @Test("A turn of a trial counts every thread", arguments: [1, 2, 6]) func aTurnCountsEveryThread(threads: Int) {
    let turn = lockTurn(GlibcMutex(.normal), threads: threads, milliseconds: 5)
    #expect(turn.counts.count == threads)
    #expect(turn.counts.reduce(0, +) > 0)
    #expect(turn.longestWaitNanoseconds > 0)
  }

  /// A lock whose second taker sleeps in it: that wait is seen, and seen in full.
  @Test("A wait is measured from the moment the lock is asked for, in full")
  func aWaitIsMeasuredFromTheAsking() {
    struct Slow: BenchLock {
      func around(_ body: () -> Void) {
        pause(microseconds: 3_000)
        body()
      }
    }
    #expect(lockTurn(Slow(), threads: 2, milliseconds: 1).longestWaitNanoseconds >= 3e6)
  }

  @Test("The libraries and peers of a trial take turns, and turn round")
  func librariesAndPeersTakeTurnsAndTurnRound() {
    final class Journal {
      var names: [String] = []
    }
    let journal = Journal()
    func note(_ name: String) -> (Double) -> LockTurn {
      { _ in
        journal.names.append(name)
        return turn([1], 1)
      }
    }
    let peers = [LockTrialPeer(name: "peer", turn: note("peer"))]
    let ours = Subject(name: "ours", rows: [], trials: [trial(note("ours"), peers: peers)])
    let theirs = Subject(name: "theirs", rows: [], trials: [trial(note("theirs"), peers: peers)])
    let runner = Runner(signalbox: ours, toolchain: theirs, rounds: 2, pace: .smoke, counter: nil)
    let result = runner.run(ours.trials[0]) { _, _ in }
    #expect(journal.names == ["ours", "theirs", "peer", "peer", "theirs", "ours"])
    #expect(result.entrants.map(\.name) == ["ours", "theirs", "peer"])
    #expect(result.verdict == .notJudged)
  }

  @Test("The table of trials has a line for each")
  func theTableHasALineForEach() {
    let lines = Table(ink: .plain, subjectName: "Signalbox").lines(result([10, 20, 30, 40, 50]))
    #expect(lines.count == 2)
    for part in ["lock-evenness-x", "0.50", "30.0 ms", "[10.0, 50.0]", "50.0 ms", "150", "met (longest wait ≤ 100 ms)"] {
      #expect(lines[0].contains(part), "\(part) in \(lines[0])")
    }
    #expect(lines[1].contains("toolchain") && lines[1].contains("900.0 ms"))
  }

  @Test("The JSON and the summary have the trials")
  func jsonAndSummaryKnowTrials() {
    let machine = Machine(processors: 2, load: 0, kernel: "6.1", architecture: "x86_64")
    var report = Report(
      machine: machine, toolchainLibrary: "libdispatch.so", subjectName: "Signalbox", rounds: 11, pace: .full)
    report.trials = [result([101, 102, 103, 104, 105])]
    #expect(report.summary == "0 of 1 bars met; missed: lock-evenness-x")
    let text = report.json.text
    for part in [
      "\"trials\":[{\"name\":\"lock-evenness-x\"", "\"fewestOverMost\":0.5", "\"bar\":{\"longestWaitMilliseconds\":100}",
      "\"counts\":[50,100],\"longestWait\":101", "\"verdict\":\"missed\"",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
  }
}
