// BuildComparisonTests.swift: two builds of Signalbox side by side: which is started when, and what the figures say. No
// build is started.
import BenchSupport
import Testing

@Suite("Comparison of two builds") struct BuildComparisonTests {
  private struct Problem: Error {}

  private func result(_ this: [Double], _ other: [Double], mallocs: (Double?, Double?) = (0, 0)) -> BuildResult {
    BuildResult(
      name: "row", this: this.map { BuildSample(nanoseconds: $0, allocations: mallocs.0) },
      other: other.map { BuildSample(nanoseconds: $0, allocations: mallocs.1) }, isJudged: true)
  }

  @Test("The builds take turns, and turn round after each pair")
  func turns() {
    var sides: [BuildSide] = []
    let result = BuildRunner(rounds: 3, pace: .full).run("row", progress: { _, _ in }) { side in
      sides.append(side)
      return BuildSample(nanoseconds: side == .this ? 10 : 20, allocations: nil)
    }
    #expect(sides == [.other, .this, .this, .other, .other, .this])
    #expect(result.ratio.median == 2 && result.allocations == nil && !result.allocatesMore)
    #expect(result.verdict == .notJudged, "three pairs are too few")
  }

  @Test("Slower is a build whose whole interval lies below 0.95", arguments: [(100.0, Verdict.met), (106, .missed)])
  func slower(this: Double, verdict: Verdict) {
    #expect(result(Array(repeating: this, count: 9), Array(repeating: 100, count: 9)).verdict == verdict)
  }

  @Test("An interval that spans the bar leaves it open")
  func open() {
    let this: [Double] = [100, 100, 100, 108, 108, 108, 108, 108, 108]
    #expect(result(this, Array(repeating: 100, count: 9)).verdict == .open)
  }

  @Test("One more call of malloc per operation is reported, a hundredth of one is not")
  func allocations() {
    #expect(result([1], [1], mallocs: (1, 0)).allocatesMore)
    #expect(!result([1], [1], mallocs: (0.009, 0)).allocatesMore && !result([1], [1], mallocs: (nil, 0)).allocatesMore)
    #expect(result([1], [1], mallocs: (1, 0)).json.text.contains("\"allocations\":[1,0],\"allocatesMore\":true"))
  }

  @Test("A problem ends the row")
  func problem() {
    #expect(throws: Problem.self) {
      try BuildRunner(rounds: 9, pace: .full).run("row", progress: { _, _ in }) { _ in throw Problem() }
    }
  }
}
