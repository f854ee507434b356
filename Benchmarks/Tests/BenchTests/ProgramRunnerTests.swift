// ProgramRunnerTests.swift: rows of unmodified programs: which is started when, and what the figures say. No program is
// started.
import BenchSupport
import Testing

@Suite("Rows of unmodified programs") struct ProgramRunnerTests {
  private struct Problem: Error {}

  private func row(_ name: String) throws -> ProgramRow { try #require(ProgramRow.all.first { $0.name == name }) }

  private func run(
    _ row: ProgramRow, rounds: Int = 9, pace: Pace = .full, opponent: BenchOptions.Opponent = .signalbox,
    _ sample: (ProgramSide) throws -> Double
  ) throws -> ProgramResult {
    try ProgramRunner(rounds: rounds, pace: pace, opponent: opponent).run(row, progress: { _, _ in }) { try sample($1) }
  }

  @Test("The names of the timed programs are unique")
  func namesAreUnique() {
    let names = ProgramRow.all.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test("The libraries that a program runs on take turns, and turn round")
  func librariesTakeTurnsAndTurnRound() throws {
    var sides: [ProgramSide] = []
    let result = try run(row("c-async-f"), rounds: 4) { side in
      sides.append(side)
      return side == .toolchain ? 30 : 10
    }
    #expect(
      sides == [
        .toolchain, .signalbox, .signalbox, .toolchain, .toolchain, .signalbox, .signalbox, .toolchain,
      ])
    #expect(result.ratio.median == 3)
    #expect(result.verdict == .notJudged, "four pairs are too few")
  }

  @Test("The ratio of a program's times is judged", arguments: [(15.0, Verdict.met), (14.0, .missed)])
  func ratiosAreJudged(toolchain: Double, verdict: Verdict) throws {
    let result = try ProgramResult(
      row: row("c-async-f"), signalbox: [10, 10], toolchain: [toolchain, toolchain], isJudged: true)
    #expect(result.verdict == verdict)
  }

  @Test("The start of a program is judged by the difference", arguments: [(8e6, Verdict.met), (8.1e6, .missed)])
  func startsAreJudgedByTheDifference(signalbox: Double, verdict: Verdict) throws {
    let result = try ProgramResult(row: row("start-c"), signalbox: [signalbox], toolchain: [3e6], isJudged: true)
    #expect(result.millisecondsMore.median == (signalbox - 3e6) / 1e6)
    #expect(result.verdict == verdict)
  }

  @Test("A run against itself and a smoke run judge nothing")
  func aRunOfItselfAndASmokeRunJudgeNothing() throws {
    let itself = try run(row("semaphore"), opponent: .itself) { side in
      #expect(side == .toolchain)
      return 1
    }
    #expect(itself.verdict == .notJudged)
    #expect(try run(row("semaphore"), pace: .smoke) { _ in 1 }.verdict == .notJudged)
  }

  @Test("A problem of the program ends its row")
  func aProblemEndsTheRow() throws {
    let row = try row("semaphore")
    #expect(throws: Problem.self) { try run(row) { _ in throw Problem() } }
  }
}
