// DamagedTaskTests.swift: core dumps of a program with tasks (TaskProbe) in which words of the tasks are others, or
// which end in the midst of them: what is whole is shown, and a refusal is one clear line. Damage of all else in a core
// dump is DamagedCoreTests.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords
import Testing

@testable import SignalboxInspector

@Suite("Damaged tasks") struct DamagedTaskTests {
  private static let program = InspectedProgram.programs + "TaskProbe"

  /// A core dump of the program, with the addresses of its tasks; removed with the value.
  private final class Dump {
    let place: String
    var file: String { place + "/core" }
    let core: CoreProcess
    let whole: TaskSet
    let library: ConcurrencyLibrary

    init() throws {
      place = try InspectedProgram.makePlace()
      let program = try InspectedProgram([], words: [DamagedTaskTests.program, "kinds"])
      // The two that are queued come last.
      _ = try program.inspect(until: { $0.tasks.all.count == 22 && $0.deeds["queued 1"] == "queued on Store" })
      try WrittenCore.write(program.child.id, to: place + "/core")
      core = try CoreProcess(place + "/core", program: DamagedTaskTests.program)
      guard case .found(let library) = ConcurrencyLibrary.find(in: core) else {
        throw InspectRefusal(.foreign, "the core dump has no runtime of tasks")
      }
      self.library = library
      whole = TaskSet(core.memory, core.written, library.runtime)
    }
    deinit { InspectedProgram.remove(place) }

    /// The tasks that lie in memory of their own, in the order of their numbers.
    var own: [TaskView] { whole.sorted.filter { !$0.isAsyncLet } }
  }

  @Test("The core dump that is to be damaged is whole: 22 tasks, besides those of timers")
  func whole() throws {
    let dump = try Dump(), found = try CoreInspection(dump.file, program: Self.program)
    #expect(found.inspections.first?.tasks.all.count == 22 && found.damage == [])
    #expect(dump.own.count >= 20, "\(dump.whole.sorted)")
  }

  @Test(
    "Words of tasks are others: it is read to the end, and each task that is whole is shown",
    arguments: 1...3 as ClosedRange<UInt64>)
  func words(seed: UInt64) throws {
    let dump = try Dump(), own = dump.own
    // Only the tasks are damaged, so that the rest is read once.
    var dice = Dice(seed: seed), inspection = ToolchainInspection(dump.core).inspection { _ in nil }
    for _ in 0..<40 {
      var words: [UInt64: UInt64] = [:], damaged: Set<UInt64> = []
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let task = own.randomElement(using: &dice)!
        let place = task.address + 8 * .random(in: 0..<TaskLayout.size / 8, using: &dice)
        let other = own.randomElement(using: &dice)!.address
        let values = DamagedMemoryTests.wild + [other, other + 8, task.address, place, .random(in: 0 ... .max, using: &dice)]
        words[place] = values.randomElement(using: &dice)!
        damaged.insert(task.address)
      }
      let process = OverlaidProcess(dump.core, memory: PatchedMemory(memory: dump.core.memory, words: words))
      let read = ProcessTasks(process) { _, _ in }
      let found = try #require(read.set?.tasks, "\(words)")
      // An `async let` lives if its parent says so.
      for task in dump.whole.tasks.values where !damaged.contains(task.address) && !damaged.contains(task.parent) {
        #expect(found[task.address] == task, "\(words)")
      }
      inspection.tasks = Inspection.Tasks(read, process, due: [:])
      let text = InspectionTables([inspection], process: "1 (TaskProbe)", .plain, PlaceNames(wantsLines: false)).text
      #expect(!text.isEmpty && !inspection.json.text.isEmpty, "\(words)")
    }
  }

  @Test("Bytes of the file are others where tasks lie: there is an answer, or one clear line")
  func bytes() throws {
    let dump = try Dump(), copy = dump.place + "/damaged", whole = try FileBytes(RawString(dump.file))
    let all = whole.read(at: 0, count: Int(whole.size)), places = try Self.places(of: dump)
    var dice = Dice(seed: 4)
    for _ in 0..<20 {
      var bytes = all
      for _ in 0..<8 {
        let place = places.randomElement(using: &dice)! + .random(in: 0..<Int(TaskLayout.size), using: &dice)
        bytes[place] ^= UInt8.random(in: 1...255, using: &dice)
      }
      try PrivateFile.replace(copy) { write in _ = write(bytes) }
      try Self.expectAnswer(copy)
    }
  }

  @Test("The file ends in the midst of tasks: there is an answer that says what is missing, or one clear line")
  func cut() throws {
    let dump = try Dump(), copy = dump.place + "/cut", whole = try FileBytes(RawString(dump.file))
    let all = whole.read(at: 0, count: Int(whole.size)), places = try Self.places(of: dump).sorted()
    for place in [places[0], places[places.count / 2], places[places.count - 1]] {
      for distance in [0, 8, 100, Int(TaskLayout.size) - 1] {
        try PrivateFile.replace(copy) { write in _ = write(Array(all[..<(place + distance)])) }
        let found = try Self.expectAnswer(copy)
        #expect(found?.damage.contains { $0.hasSuffix(" of the core, which is cut off or damaged") } != false)
      }
    }
  }

  /// Where in the file the tasks lie.
  private static func places(of dump: Dump) throws -> [Int] {
    let segments = try CoreFile(dump.file).segments
    return try dump.own.map { task in
      let segment = try #require(
        segments.first { task.address >= $0.address.bits && task.address < $0.address.bits + $0.size.bits })
      return Int(segment.offset.bits + task.address - segment.address.bits)
    }
  }

  /// What is found in a file; nil: it was refused.
  @discardableResult
  private static func expectAnswer(_ file: String) throws -> CoreInspection? {
    do throws(InspectRefusal) {
      let found = try CoreInspection(file, program: program)
      #expect(!Shown.everything(found.inspections).isEmpty)
      #expect(found.inspections.allSatisfy { $0.unread.allSatisfy { !$0.contains("\n") } })
      return found
    } catch {
      #expect(!error.message.isEmpty && !error.message.contains("\n"), "\(error.message)")
      return nil
    }
  }
}
