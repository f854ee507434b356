// TokenTests.swift: the spelling of schedules, and the pure parts of the core.
import CSignalboxExplore
import Testing

@testable import SignalboxExplorer

@Suite("Tokens of schedules") struct TokenTests {
  private func token(_ decisions: [Decision]) -> Token {
    Token(
      strategy: 3, flags: 2, wall: 1_800_000_000, steps: StepNumber(seen: 31), hash: 0xDEAD_BEEF, decisions: decisions,
      checks: [1, 0, 127, 64])
  }
  private let decisions = [
    Decision(thread: 3, point: 7, next: 1, check: 5), Decision(thread: 1, point: 300, next: 0, check: 127),
    Decision(thread: 1, point: 2, next: 1023, check: 0),
  ]

  @Test("What is spelled is read") func roundTrip() throws {
    for count in 0...decisions.count {
      let token = token(Array(decisions.prefix(count)))
      #expect(Token(token.text) == token)
    }
  }

  @Test("Decisions are in the order of threads and points") func order() {
    #expect(token(decisions).decisions.map(\.point) == [2, 300, 7])
  }

  @Test("A letter that was changed or lost is noticed") func damage() {
    let text = token(decisions).text
    for index in text.indices.dropFirst(4) {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      #expect(Token(changed) == nil, "\(changed)")
    }
    #expect(Token(String(text.dropLast())) == nil)
  }

  @Test("Other words are no tokens", arguments: ["", "xp1:", "xp1:A", "xp2:AAAA", "xp1:!!!!", "hello"])
  func nonsense(_ text: String) { #expect(Token(text) == nil) }
}

@Suite("The core's pure parts") struct CoreTests {
  @Test("The first run is plain, and the others come from number and seed alone") func plans() {
    var first = sbx_run(), again = sbx_run()
    sbx_plan_run(1, 7, 0, &first)
    #expect(first.strategy == SBX_PLAIN.rawValue)
    for number in 2..<200 as Range<UInt64> {
      sbx_plan_run(number, 7, 0, &first)
      sbx_plan_run(number, 7, 0, &again)
      #expect(first.seed == again.seed && first.strategy == again.strategy && first.flags == again.flags)
      sbx_plan_run(number, 8, 0, &again)
      #expect(first.seed != again.seed)
    }
  }

  @Test("Every strategy has its turn, and each flag is drawn in a good part of the runs") func portfolio() {
    var strategies: [UInt32: Int] = [:], held = 0, points = 0, timers = 0, wakes = 0
    for number in 2..<1_002 as Range<UInt64> {
      var run = sbx_run()
      sbx_plan_run(number, 1, 0, &run)
      strategies[run.strategy, default: 0] += 1
      held += run.flags & SBX_HOLD_NEWBORN.rawValue != 0 ? 1 : 0
      points += run.flags & SBX_API_POINTS.rawValue != 0 ? 1 : 0
      timers += run.flags & SBX_TIMERS.rawValue != 0 ? 1 : 0
      wakes += run.flags & SBX_SPURIOUS.rawValue != 0 ? 1 : 0
    }
    // All but the exhaustive search, which is no company for others.
    #expect(Set(strategies.keys) == Set(Strategy.all.map(\.number)).subtracting([SBX_EXHAUSTIVE.rawValue]))
    #expect(strategies.values.allSatisfy { $0 >= 100 })
    #expect((400...600).contains(held) && (650...850).contains(points) && (400...600).contains(timers))
    #expect((180...320).contains(wakes))
  }

  @Test("A strategy that is asked for is the only one") func wanted() {
    for strategy in Strategy.all {
      for number in 2..<40 as Range<UInt64> {
        var run = sbx_run()
        sbx_plan_run(number, 1, 1 << strategy.number, &run)
        #expect(run.strategy == strategy.number)
      }
    }
  }

  @Test("Changes of priority are distinct steps, in order", arguments: [1, 5, 6, 100] as [UInt32])
  func changes(_ steps: UInt32) {
    var random: UInt64 = 42
    for count in 1...4 as ClosedRange<UInt32> {
      var drawn = [UInt64](repeating: 0, count: 4)
      sbx_draw_changes(&random, steps, count, &drawn)
      let used = drawn.prefix(Int(count))
      #expect(Array(Set(used)).sorted() == Array(used))
      #expect(used.allSatisfy { (1...UInt64(max(steps, count))).contains($0) })
    }
  }

  @Test("Numbers are packed and unpacked, and what is cut off is noticed") func packing() {
    let numbers: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, .max]
    var bytes = [UInt8](repeating: 0, count: 100), back = [UInt64](repeating: 0, count: 100)
    let size = sbx_pack(numbers, Int32(numbers.count), &bytes, 100)
    #expect(size == 1 + 1 + 1 + 2 + 2 + 3 + 10)
    #expect(sbx_unpack(bytes, size, &back, 100) == Int32(numbers.count))
    #expect(Array(back.prefix(numbers.count)) == numbers)
    #expect(sbx_unpack(bytes, size - 1, &back, 100) == -1)
    #expect(sbx_pack(numbers, Int32(numbers.count), &bytes, 5) == -1)
  }
}

@Suite("Where a run leaves a token") struct PartingTests {
  private func parting(_ evidence: [(UInt32, Bool)]) -> ClosedRange<UInt32>? {
    Parting(evidence.map { Parting.Evidence(step: StepNumber(seen: $0.0), isAlike: $0.1) })?.steps
  }

  @Test("It is between the last evidence that they are alike and the first that they are not") func between() {
    #expect(parting([(4, true), (8, true), (12, false), (16, false)]) == 9...12)
    #expect(parting([(16, false), (12, false), (8, true), (4, true)]) == 9...12)
    #expect(parting([(8, true), (9, false)]) == 9...9)
    #expect(parting([(3, false)]) == 1...3)
    #expect(parting([]) == nil && parting([(3, true)]) == nil)
  }

  @Test("What is alike by chance after they have parted says nothing") func chance() {
    #expect(parting([(4, true), (8, false), (12, true), (16, false)]) == 5...8)
  }

  @Test("Of one step the evidence that they are alike is weaker than that they are not") func both() {
    #expect(parting([(4, true), (4, false)]) == 5...5)
  }
}

@Suite("What is repeated") struct RepetitionTests {
  private func part(_ text: String) -> String {
    let list = Array(text)
    return String(Repetition.part(of: list).map { list[$0] })
  }

  @Test("The shortest part that comes three times in a row at the end") func repeated() {
    #expect(part("xyzababab") == "ab")
    #expect(part("xabcabcabc") == "abc")
    #expect(part("aaaa") == "a")
    #expect(part("abaabaaba") == "aba")
  }

  @Test("Where nothing is repeated, each of what there is, once") func each() {
    #expect(part("abcacd") == "bacd")
    #expect(part("ab") == "ab" && part("a") == "a" && part("").isEmpty)
  }
}
