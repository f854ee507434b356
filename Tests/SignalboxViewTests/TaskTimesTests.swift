// TaskTimesTests.swift: the register of tasks, made up word by word: which entry is a task's, and what counts for
// nothing.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxView

@Suite("The register of tasks") struct TaskTimesTests {
  private static let start: UInt64 = 0x10_0000, buckets: UInt64 = 64, task: UInt64 = 0x7F00_1230

  private func view(_ number: UInt32, at address: UInt64 = task) -> TaskView {
    TaskView(
      address: address, number: number, name: "", priority: 21, basePriority: 21, isCancelled: false, isAsyncLet: false,
      parent: 0, group: 0, state: .new, awaits: [], sleep: 0)
  }

  /// A register of 64 buckets in which the task has an entry: in its first bucket but for `step`, at that place.
  private func made(step: Int = 0, place: Int = 0, _ words: [UInt64]) -> WordProcess {
    var made = WordProcess()
    made.describe([.taskRegister: Self.start, .taskBuckets: Self.buckets])
    made.memory.set(
      Self.start,
      [UInt64](repeating: 0, count: Int(Self.buckets) * TaskRegisterLayout.bucketEntries * TaskRegisterLayout.entryWords))
    made.memory.set(address(step, place), words)
    return made
  }

  private func address(_ step: Int, _ place: Int) -> UInt64 {
    let words = TaskRegisterLayout.places(of: Self.task, buckets: Self.buckets)[step]
    return Self.start + (words + UInt64(place * TaskRegisterLayout.entryWords)) * 8
  }

  @Test("A task has the entry with its address and its number, in any of four buckets", arguments: 0..<4, [0, 7])
  func found(step: Int, place: Int) throws {
    let register = try #require(TaskTimes(made(step: step, place: place, [Self.task, 9 << 32 | 3, 50, 70]).reading))
    let times = try #require(register.times(of: view(9)))
    #expect(times.parts == 3 && times.first == 50 && times.last == 70)
    #expect(register.times(of: view(8)) == nil && register.times(of: view(9, at: Self.task + 16)) == nil)
  }

  @Test("An entry that changes while it is read counts for nothing", arguments: 1..<4) func torn(word: Int) throws {
    var made = made([Self.task, 9 << 32 | 3, 50, 70])
    let changing = address(0, 0) + UInt64(word) * 8, readings = Atomic64(0)
    made.memory.onReading = { _ in readings.addRelaxed(1) == 0 ? [:] : [changing: 9 << 32 | 4] }
    #expect(try #require(TaskTimes(made.reading)).times(of: view(9)) == nil && readings.loadRelaxed() >= 2)
  }

  @Test("A task whose first part is being noted has no times yet") func begun() throws {
    #expect(try #require(TaskTimes(made([Self.task, 0, 50, 0]).reading)).times(of: view(9)) == nil)
  }

  @Test("Without a register, or with one that makes no sense, there are no times")
  func none() throws {
    #expect(TaskTimes(WordProcess().reading) == nil)
    for (start, buckets) in [(Self.start, 0), (Self.start, UInt64.max), (Self.start + 1, Self.buckets), (0, Self.buckets)] {
      var made = WordProcess()
      made.describe([.taskRegister: start, .taskBuckets: buckets])
      #expect(TaskTimes(made.reading) == nil, "\(start) \(buckets)")
    }
    var made = WordProcess()
    made.describe([.taskRegister: Self.start, .taskBuckets: Self.buckets])
    #expect(try #require(TaskTimes(made.reading)).times(of: view(9)) == nil)
  }
}
