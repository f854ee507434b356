// DamagedTokenTests.swift: tokens with numbers that no run could have, and files of saved schedules with lines that are
// not whole.
import CSignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxExplorer

/// The same numbers in each run (xorshift).
private struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

@Suite("Damaged tokens") struct DamagedTokenTests {
  /// Strategy, flags, time, steps, hash, how many decisions; four for each decision; checks.
  private static let whole: [UInt64] = [3, 2, 1_800_000_000, 31, 0xDEAD_BEEF, 2, 1, 7, 1, 5, 2, 3, 0, 127, 1, 0, 127, 64]

  /// The token that has these numbers, with the right sum.
  private static func spelled(_ numbers: [UInt64]) -> String {
    var bytes = [UInt8](repeating: 0, count: numbers.count * 10)
    let size = Int(sbx_pack(numbers, Int32(numbers.count), &bytes, Int32(bytes.count)))
    return Token.spelling(Array(bytes[..<size]))
  }

  /// Where a run of that many steps leaves the token: an answer, and never an end.
  private static func part(_ token: Token, _ memory: SharedMemory, steps: UInt32) -> Parting? {
    let shared = OpaquePointer(memory.start)
    sbx_outcome_of(shared).pointee.steps = steps
    return Parting(RunResult(shared, output: ""), token, shared: shared)
  }

  @Test("A token's numbers are those that a run can have, or it is no token")
  func bounds() throws {
    #expect(Token(Self.spelled(Self.whole)) != nil)
    func with(_ place: Int, _ value: UInt64) -> Token? {
      var numbers = Self.whole
      numbers[place] = value
      return Token(Self.spelled(numbers))
    }
    for steps in [UInt64(StepNumber.most) + 1, UInt64(UInt32.max) - 5, .max] { #expect(with(3, steps) == nil) }
    #expect(with(3, UInt64(StepNumber.most))?.steps.value == StepNumber.most)
    // A time of day that has no number of nanoseconds.
    for time in [UInt64(1) << 34, .max] { #expect(with(2, time) == nil) }
    for count in [UInt64(4), 65_537, 1 << 62, .max] { #expect(with(5, count) == nil) }
    #expect(Token(Self.spelled(Self.whole + [UInt64](repeating: 1, count: 40))) == nil)
  }

  @Test("Whatever numbers a token has, it is refused, or a run parts from it")
  func anyNumbers() throws {
    var dice = Dice(seed: 35)
    let memory = try SharedMemory(size: sbx_shared_size())
    let wild: [UInt64] = [0, 1, 2, .max, 1 << 63, 1 << 32, 0xFFFF_FFFF, 0xFFFF_FFFA, 1 << 31, 1 << 30, 0xFFFF, 127, 24]
    var read = 0
    for _ in 0..<20_000 {
      var numbers = Self.whole
      for _ in 0..<Int.random(in: 1...3, using: &dice) {
        numbers[Int.random(in: 0..<numbers.count, using: &dice)] = wild.randomElement(using: &dice)!
      }
      if Bool.random(using: &dice) { numbers = Array(numbers.prefix(Int.random(in: 0...numbers.count, using: &dice))) }
      guard let token = Token(Self.spelled(numbers)) else { continue }
      read += 1
      #expect(Token(token.text) == token)
      for steps in [token.steps.value, 0, .max] {
        if let parting = Self.part(token, memory, steps: steps) { #expect(parting.text.hasPrefix("the two part ")) }
      }
    }
    #expect(read > 1_000, "\(read)")
  }
}

@Suite("Damaged saved schedules") struct DamagedSavedTests {
  private static let token = Token(
    strategy: 3, flags: 2, wall: 1_800_000_000, steps: StepNumber(seen: 31), hash: 7, decisions: [], checks: [1])

  @Test("Lines that are whole are read, and the others are counted")
  func lines() {
    let text =
      "# for people\n\(Self.token.text) deadlock\n \nxp1:AAAA crash\n\(Self.token.text.dropLast())\n\(Self.token.text)\n\n"
    let found = SavedSchedules.entries(in: text)
    #expect(found.entries.map(\.failure) == ["deadlock", "failure"])
    #expect(found.damage == (3, 5))
  }

  @Test("A file of anything has no schedule, and ends nothing")
  func anything() {
    var dice = Dice(seed: 36)
    let pieces = [" ", "\n", "\r", "#", "xp1:", Self.token.text, "\u{0}", "\u{FFFD}", "failure", "\u{E9}", "  "]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0...12, using: &dice)).map { _ in pieces.randomElement(using: &dice)! }.joined()
      let found = SavedSchedules.entries(in: text)
      #expect(found.entries.count + found.damage.lines == found.damage.of)
    }
  }

  @Test("A cut file says how many of its lines are not replayed")
  func cut() throws {
    let folder = try Files.makeFreshFolder("/tmp/signalbox-tests-").description
    defer { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(folder)], environment: []) }
    var saved = SavedSchedules(in: folder, program: "/bin/true", arguments: ["true"], command: "true")
    #expect(saved.damageNote == nil)
    try saved.add(.init(token: Self.token, failure: "deadlock"))
    let name = try #require(try Files.names(in: RawString(folder)).first)
    let path = RawString(folder + "/\(name)"), text = try FileBytes(path).read(at: 0, count: 10_000)
    try Files.replace(path, with: String(decoding: text + text.dropLast(12), as: UTF8.self))
    let again = SavedSchedules(in: folder, program: "/bin/true", arguments: ["true"], command: "true")
    #expect(again.entries.count == 1)
    #expect(again.damageNote == "1 of 2 lines of \(path) is no saved schedule: not replayed")
  }
}
