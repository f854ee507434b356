// BuildBench.swift: `signalbox bench --against BUILD`: each row in this build and in another one, a process each, in turn. What the
// figures say is BuildComparison in BenchSupport.
import BenchSupport
import SignalboxCommandLine
import SignalboxLaunch

import struct Foundation.Data
import class Foundation.JSONDecoder

enum BuildBench {
  static func run(_ rows: [String], against build: String, _ options: BenchOptions) -> ExitStatus {
    do throws(Refusal) {
      let benches = try Benches(other: build)
      let runner = BuildRunner(rounds: options.roundsOrDefault, pace: options.pace)
      let table = options.output == .table ? BuildTable() : nil
      let progress = ProgressLine()
      var results: [BuildResult] = []
      table?.printHead(.current(), rounds: options.roundsOrDefault, pace: options.pace, other: build)
      for (number, row) in rows.enumerated() {
        var result = try runner.run(row) { round, rounds in
          progress.show("[\(number + 1)/\(rows.count)] \(row), pair \(round) of \(rounds)")
        } sample: { (side) throws(Refusal) in
          try benches.sample(row, side, options.pace)
        }
        progress.show("[\(number + 1)/\(rows.count)] \(row), instructions")
        if options.pace == .full { result.counts = benches.counts(row) }
        progress.clear()
        results.append(result)
        table?.print(result)
      }
      table?.printFoot(results)
      if table == nil { OutputStream.output.write(JSON.array(results.map(\.json)).text + "\n") }
      let isWorse = results.contains { $0.verdict == .missed || $0.allocatesMore || $0.executesMore }
      return options.missedBars == .fail && isWorse ? .barsMissed : .success
    } catch {
      return complain("bench: \(error.message)", .unavailable)
    }
  }
}

/// The benches of both builds.
private struct Benches {
  private let this: OtherProgram
  private let other: OtherProgram

  init(other: String) throws(Refusal) {
    this = try .beside("signalbox-workshop")
    self.other = try .inBuild(other, "signalbox-workshop")
  }

  /// One pair of one row, of which Signalbox's half counts.
  func sample(_ row: String, _ side: BuildSide, _ pace: Pace) throws(Refusal) -> BuildSample {
    let words = ["--runs", "1"] + (pace == .smoke ? ["--smoke"] : [])
    let program = side == .this ? this : other
    let answer: Answer? = try ask(program, row, words)
    guard let found = answer?.rows.first(where: { $0.name == row }) else {
      throw Refusal(.programNotRunnable, "the build \(program.path) has no row \(row): leave it out by --filter")
    }
    return BuildSample(nanoseconds: found.signalbox.nanoseconds, allocations: found.signalbox.allocations)
  }

  /// Instructions of one operation in both builds; nil if one of them cannot count, or cannot count this row.
  func counts(_ row: String) -> (this: InstructionCounts, other: InstructionCounts)? {
    func counts(_ program: OtherProgram) -> InstructionCounts? {
      // A build from before `--count` refuses the word.
      let answer: CountAnswer? = try? ask(program, row, ["--count"])
      return answer?.rows.first { $0.name == row }?.signalbox.map {
        InstructionCounts(instructions: $0.instructions, locked: $0.locked, isSteady: $0.isSteady)
      }
    }
    guard let other = counts(other), let this = counts(this) else { return nil }
    return (this, other)
  }

  private func ask<Answer: Decodable>(_ program: OtherProgram, _ row: String, _ words: [String]) throws(Refusal) -> Answer? {
    // A pattern that means no longer name as well.
    let pattern = String(row.dropLast()) + "?"
    let text = try program.run(["bench", "--json", "--filter", pattern] + words, seconds: 120)
    let line = text.split(separator: "\n").last { $0.hasPrefix("{") } ?? ""
    return try? JSONDecoder().decode(Answer.self, from: Data(line.utf8))
  }

  private struct CountAnswer: Decodable {
    struct Row: Decodable {
      let name: String
      let signalbox: Counts?
    }
    struct Counts: Decodable {
      let instructions: Double
      let locked: Double
      let isSteady: Bool
    }
    let rows: [Row]
  }
  private struct Answer: Decodable {
    struct Row: Decodable {
      let name: String
      let signalbox: Lane
    }
    struct Lane: Decodable {
      let nanoseconds: Double
      let allocations: Double?
    }
    let rows: [Row]
  }
}
