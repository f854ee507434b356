// Token.swift: a schedule in a word: which threads go on where, and enough of what should be seen to tell where another run leaves it.
import CSignalboxExplore
import SignalboxSystem

/// "Thread `thread` before its own point `point`: thread `next` goes on." Number 0 is the clock: time goes on.
public struct Decision: Sendable, Equatable, Comparable {
  /// Whose point.
  public var thread: UInt16
  /// The point, counted by its thread from 1.
  public var point: UInt32
  /// Who goes on; at a wake, who is woken.
  public var next: UInt16
  /// What was seen until then, in seven bits.
  public var check: UInt8

  /// The order of tokens: by thread, then by point.
  public static func < (left: Decision, right: Decision) -> Bool { (left.thread, left.point) < (right.thread, right.point) }
}

/// How many steps there were, or which step it is: of a token or of a run's memory, either of which may hold any bits.
/// At most `most`, so that sums of a few fit.
package struct StepNumber: Comparable, Hashable, Sendable, CustomStringConvertible {
  /// At most `most`.
  package let value: UInt32

  /// A run is stopped long before.
  package static let most: UInt32 = 1 << 30

  /// Of a token; nil if that is more than `most`.
  package init?(read: UInt64) {
    guard read <= UInt64(Self.most) else { return nil }
    value = UInt32(read)
  }

  /// Of a run; `most` if it is more.
  package init(seen: UInt32) { value = min(seen, Self.most) }

  /// The number in digits.
  package var description: String { String(value) }

  package static func < (one: Self, other: Self) -> Bool { one.value < other.value }

  /// The step after it.
  var next: Self { Self(seen: value + 1) }

  /// How far `other` lies behind it; 0 if it lies before.
  func distance(from other: Self) -> UInt32 { value - min(other.value, value) }
}

/// `xp1:…`: a schedule, to be run again.
public struct Token: Sendable, Equatable {
  /// What the schedule was found with: the strategy's number, for people.
  public var strategy: UInt32
  /// Whether the engine's operations are points.
  public var flags: UInt32
  /// Seconds since 1970 at the run's begin, up to `latest`.
  public var wall: UInt64
  /// How many steps it has.
  package var steps: StepNumber
  /// The hash of all that was seen.
  public var hash: UInt32
  /// The decisions, in order.
  public var decisions: [Decision]
  /// What was seen until some steps, in seven bits: evenly spread.
  public var checks: [UInt8]

  /// How many checks a token has at most.
  static let mostChecks = 24
  /// The steps of the checks of a run that has `steps`.
  static func checked(steps: StepNumber) -> [StepNumber] {
    let most = UInt32(mostChecks), spacing = max(1, (steps.value + most - 1) / most)
    return stride(from: spacing, through: steps.value, by: Int(spacing)).map { StepNumber(seen: $0) }
  }
  /// The latest time of day that has a number of nanoseconds.
  private static let latest: UInt64 = 1 << 33

  init(
    strategy: UInt32, flags: UInt32, wall: UInt64, steps: StepNumber, hash: UInt32, decisions: [Decision], checks: [UInt8]
  ) {
    self.strategy = strategy
    self.flags = flags
    self.wall = wall
    self.steps = steps
    self.hash = hash
    self.decisions = decisions.sorted()
    self.checks = checks
  }

  private static let prefix = "xp1:"

  /// Its spelling.
  public var text: String {
    var numbers: [UInt64] = [UInt64(strategy), UInt64(flags), wall, UInt64(steps.value), UInt64(hash), UInt64(decisions.count)]
    var thread: UInt64 = 0, point: UInt64 = 0
    for decision in decisions {
      let step = UInt64(decision.thread) - thread
      if step > 0 { point = 0 }
      numbers += [step, UInt64(decision.point) - point, UInt64(decision.next), UInt64(decision.check)]
      (thread, point) = (UInt64(decision.thread), UInt64(decision.point))
    }
    numbers += checks.map { UInt64($0) }
    var bytes = [UInt8](repeating: 0, count: numbers.count * 10 + 2)
    let size = Int(sbx_pack(numbers, Int32(numbers.count), &bytes, Int32(bytes.count - 2)))
    return Self.spelling(Array(bytes[..<size]))
  }

  /// The spelling of packed numbers, with their sum behind them.
  package static func spelling(_ packed: [UInt8]) -> String {
    let sum = sum(packed[...]), bytes = packed + [UInt8(sum & 0xFF), UInt8(sum >> 8 & 0xFF)]
    var letters = [CChar](repeating: 0, count: bytes.count * 2 + 8)
    let length = Int(sbx_spell(bytes, Int32(bytes.count), &letters, Int32(letters.count)))
    return Self.prefix + String(decoding: letters[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Reads a spelling; nil if it is none, or is damaged, or has numbers that no run could have.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let letters = text.utf8.dropFirst(Self.prefix.utf8.count).map { CChar(bitPattern: $0) }
    var bytes = [UInt8](repeating: 0, count: letters.count + 1)
    let size = Int(sbx_read_spelling(letters, Int32(letters.count), &bytes, Int32(bytes.count)))
    guard size > 2 else { return nil }
    let sum = UInt32(bytes[size - 2]) | UInt32(bytes[size - 1]) << 8
    guard sum == Self.sum(bytes[..<(size - 2)]) & 0xFFFF else { return nil }
    var numbers = [UInt64](repeating: 0, count: size)
    let count = Int(sbx_unpack(bytes, Int32(size - 2), &numbers, Int32(numbers.count)))
    guard count >= 6 else { return nil }
    self.init(numbers: Array(numbers[..<count]))
  }

  private init?(numbers: [UInt64]) {
    let total = ReadNumber(numbers[5]).int(upTo: Int(SBX_MAX_DECISIONS) + 1)
    guard total <= Int(SBX_MAX_DECISIONS), numbers.count >= 6 + total * 4,
      numbers.count <= 6 + total * 4 + Self.mostChecks
    else { return nil }
    guard let strategy = UInt32(exactly: numbers[0]), let flags = UInt32(exactly: numbers[1]), numbers[2] <= Self.latest,
      let steps = StepNumber(read: numbers[3]), let hash = UInt32(exactly: numbers[4])
    else { return nil }
    var decisions: [Decision] = []
    var thread: UInt64 = 0, point: UInt64 = 0
    for index in 0..<total {
      let at = 6 + index * 4
      if numbers[at] > 0 { point = 0 }
      (thread, point) = (thread &+ numbers[at], point &+ numbers[at + 1])
      guard let owner = UInt16(exactly: thread), let own = UInt32(exactly: point), let next = UInt16(exactly: numbers[at + 2]),
        let check = UInt8(exactly: numbers[at + 3])
      else { return nil }
      decisions.append(Decision(thread: owner, point: own, next: next, check: check))
    }
    let checks = numbers[(6 + total * 4)...].map { UInt8(truncatingIfNeeded: $0) }
    self.init(
      strategy: strategy, flags: flags, wall: numbers[2], steps: steps, hash: hash, decisions: decisions, checks: checks)
  }

  /// FNV-1a: letters that were lost or changed on the way are noticed.
  private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
