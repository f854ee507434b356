// InstructionCountTests.swift: what is counted of a row, and when two builds' counts differ too much. The stepper is a made-up one: a
// real one is run by the bench itself.
import BenchSupport
import Testing

@Suite("Counting instructions") struct InstructionCountTests {
  /// A row of which each operation adds `steps(operation)` to a count, and the stepper that reads it.
  private func counts(
    smallest: Int = 100, limit: Int = 60_000, _ steps: @escaping (Int) -> (instructions: Int, locked: Int)
  ) -> InstructionCounts? {
    final class Total: @unchecked Sendable {
      // SAFETY of @unchecked: one thread uses it.
      var instructions = 0, locked = 0
    }
    let total = Total()
    let row = Row(
      "row", .sync, "an operation", bar: .none, floor: .body(calls: 1),
      batch: .elastic(minimum: smallest)
    ) {
      Workload.timed { count in
        for operation in 0..<count {
          let (instructions, locked) = steps(operation)
          total.instructions += instructions
          total.locked += locked
        }
      }
    }
    return InstructionCounts(
      of: row,
      Stepper { limit, body in
        (total.instructions, total.locked) = (0, 0)
        body()
        // 500: what is done once, whatever the number of operations.
        return total.instructions > limit ? nil : .init(instructions: total.instructions + 500, locked: total.locked)
      })
  }

  @Test("An operation's instructions are counted without what is done once for all of them")
  func once() {
    let found = counts { _ in (40, 2) }
    #expect(found == InstructionCounts(instructions: 40, locked: 2, isSteady: true))
    #expect(found?.text == "40 (2)")
  }

  @Test("Fewer operations are counted where the row's own number takes too long")
  func long() {
    #expect(counts(smallest: 10_000) { _ in (70, 1) }?.instructions == 70)
    #expect(counts { _ in (1_000_000, 1) } == nil, "one operation is too long already")
  }

  @Test("A row whose work other threads do has no counts")
  func others() {
    #expect(counts { operation in (operation == 0 ? 50 : 0, 0) } == nil)
  }

  @Test("Counts that differ from call to call are marked")
  func unsteady() {
    var calls = 0
    let found = counts { _ in
      calls += 1
      return (20 + calls % 977 / 100, 0)
    }
    #expect(found?.isSteady == false && found?.text.hasPrefix("~") == true)
  }

  private func result(_ this: InstructionCounts, _ other: InstructionCounts) -> BuildResult {
    var result = BuildResult(name: "row", this: [], other: [], isJudged: false)
    result.counts = (this, other)
    return result
  }

  @Test("Three in a hundred instructions more are allowed, and one more of few")
  func tolerance() {
    func steady(_ instructions: Double, _ locked: Double = 1) -> InstructionCounts {
      InstructionCounts(instructions: instructions, locked: locked, isSteady: true)
    }
    #expect(!result(steady(103), steady(100)).executesMore && result(steady(104), steady(100)).executesMore)
    #expect(!result(steady(21), steady(20)).executesMore && result(steady(22), steady(20)).executesMore)
    #expect(result(steady(100, 2), steady(100, 1)).executesMore, "an instruction that locks is no small matter")
    #expect(!result(InstructionCounts(instructions: 200, locked: 1, isSteady: false), steady(100)).executesMore)
  }
}
