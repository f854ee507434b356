// InstructionCounts.swift: how many instructions and locked instructions an operation of a row takes on the thread that
// calls it. What steps that thread is the program's business (`Stepper`); what two builds' counts say is
// BuildComparison.swift.
import SignalboxCommandLine

/// Runs a body and counts what the calling thread executes meanwhile; the program that can do that provides it.
public struct Stepper: Sendable {
  /// What was executed.
  public struct Count: Sendable, Equatable {
    /// Instructions in user mode.
    public let instructions: Int
    /// Of these, the ones that lock a cache line.
    public let locked: Int

    /// A count.
    public init(instructions: Int, locked: Int) { (self.instructions, self.locked) = (instructions, locked) }
  }

  /// Counts a body that takes at most `limit` instructions; nil if it takes more, or nothing can be counted here.
  public let count: @Sendable (_ limit: Int, _ body: () -> Void) -> Count?

  /// A stepper made of a function.
  public init(count: @escaping @Sendable (_ limit: Int, _ body: () -> Void) -> Count?) { self.count = count }
}

/// Instructions of one operation.
public struct InstructionCounts: Sendable, Equatable {
  /// Instructions in user mode, on the calling thread.
  public let instructions: Double
  /// Of these, the ones that lock a cache line.
  public let locked: Double
  /// Whether repeated counts agree to a hundredth: they don't where the thread waits for others.
  public let isSteady: Bool

  /// Counts of an operation.
  public init(instructions: Double, locked: Double, isSteady: Bool) {
    (self.instructions, self.locked, self.isSteady) = (instructions, locked, isSteady)
  }

  /// Steps are slow: a count gets this many, and a row a third count only if it needs few.
  private static let mostSteps = 60_000, fewSteps = 20_000
  /// Calls before the first count, so that stocks are filled and nothing is bound for the first time.
  private static let warmUps = 3

  /// Counts a row: a call of twice as many operations less a call of as many, so that what is done once does not count. nil if nothing
  /// can be counted, or if other threads do the work.
  public init?(of row: Row, _ stepper: Stepper) {
    let workload = row.prepare()
    for _ in 0..<Self.warmUps { _ = workload.run(row.batch.smallest) }
    guard var operations = Self.operations(row, workload, stepper) else { return nil }
    operations = max(1, operations / 2)
    var found: [(instructions: Double, locked: Double)] = [], spent = 0
    while found.count < 2 || found.count < 5 && spent < Self.fewSteps {
      guard let once = Self.count(operations, workload, stepper), let twice = Self.count(2 * operations, workload, stepper)
      else { return nil }
      let (more, moreLocked) = (twice.instructions - once.instructions, twice.locked - once.locked)
      found.append((Double(more) / Double(operations), Double(moreLocked) / Double(operations)))
      spent += once.instructions + twice.instructions
    }
    instructions = median(of: found.map(\.instructions))
    locked = median(of: found.map(\.locked))
    // Less than a call and its return: others do the work.
    guard instructions >= 2 else { return nil }
    let limits = (found.map(\.instructions).min() ?? 0, found.map(\.instructions).max() ?? 0)
    isSteady = limits.1 - limits.0 <= max(1, 0.01 * instructions)
  }

  /// How many operations one call may be given so that it can be counted: the row's smallest call, or a tenth, and so on.
  private static func operations(_ row: Row, _ workload: Workload, _ stepper: Stepper) -> Int? {
    var operations = row.batch.smallest
    while count(operations, workload, stepper) == nil {
      guard operations >= 20 else { return nil }
      operations /= 10
    }
    return operations
  }

  private static func count(_ operations: Int, _ workload: Workload, _ stepper: Stepper) -> Stepper.Count? {
    stepper.count(mostSteps) { _ = workload.run(operations) }
  }

  /// The counts as a JSON object.
  public var json: JSON {
    .object([("instructions", .number(instructions)), ("locked", .number(locked)), ("isSteady", .boolean(isSteady))])
  }

  /// The counts as people read them: "~" where repeated counts differ.
  public var text: String { (isSteady ? "" : "~") + countText(instructions) + " (" + countText(locked) + ")" }
}
