// TaskRegisterTests.swift: programs with tasks on Signalbox's pool, which note when each task goes on: what readers
// from outside say of that, and that a process that does not note it says nothing.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("The register of tasks in a process") struct TaskRegisterTests {
  private func program(_ words: String..., isPrepared: Bool = true) throws -> InspectedProgram {
    let programs = InspectedProgram.programs
    return try InspectedProgram(
      [], isPrepared: isPrepared, words: [programs + "signalbox", "run", "--", programs + "TaskProbe"] + words)
  }

  @Test("Each task that has run on the pool has a count of parts, and when the first and the last began")
  func times() throws {
    let begin = Clock.uptime(), program = try program("many", "300")
    let inspection = try program.inspect(until: { $0.tasks.all.filter { $0.state == .continuation }.count >= 300 })
    let seconds = Double(Clock.uptime() - begin) / 1e9
    let waiting = inspection.tasks.all.filter { $0.state == .continuation }
    let times = waiting.compactMap(\.times)
    #expect(times.count == waiting.count && times.allSatisfy { $0.parts >= 1 }, "\(times.count) of \(waiting.count)")
    for time in times {
      let (began, wentOn) = (try #require(time.began), try #require(time.wentOn))
      #expect(wentOn >= 0 && wentOn <= began && began <= seconds * 1.5 + 1, "\(time) of \(seconds) s")
    }
    // A second reading finds the same parts, and more time.
    let later = try program.inspect(until: { $0.tasks.all.count == inspection.tasks.all.count })
    let after = Dictionary(later.tasks.all.map { ($0.number, $0.times) }, uniquingKeysWith: { first, _ in first })
    for task in waiting {
      let (one, other) = (task.times, after[task.number] ?? nil)
      #expect(one?.parts == other?.parts && one?.wentOn ?? 9e9 <= other?.wentOn ?? 0, "\(task.number)")
    }
    let lines = TaskTables(inspection, InspectionNames(inspection, PlaceNames(wantsLines: false))).shared.lines()
    #expect(lines.first?.contains("since") == true, "\(lines.prefix(2))")
  }

  @Test("Tasks that come and go by the hundred thousand: what is noted of those that stay is theirs")
  func churn() throws {
    let program = try program("churn")
    for _ in 0..<20 {
      let inspection = try program.inspect(until: { _ in true })
      for task in inspection.tasks.all {
        guard let times = task.times, let began = times.began, let wentOn = times.wentOn else { continue }
        #expect(times.parts >= 1 && wentOn <= began, "\(task)")
      }
    }
  }

  @Test("Without figures nothing is noted, and nothing said") func unprepared() throws {
    let inspection = try program("many", "20", isPrepared: false).inspect(
      until: { $0.tasks.all.filter { $0.state == .continuation }.count >= 20 })
    #expect(inspection.tasks.all.allSatisfy { $0.times == nil })
    let lines = TaskTables(inspection, InspectionNames(inspection, PlaceNames(wantsLines: false))).shared.lines()
    #expect(lines.first?.contains("since") == false)
  }
}
