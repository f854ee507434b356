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

  @Test("For how long tasks ran, were queued and slept: each of them, and by function") func spans() throws {
    let program = try program("timed")
    func computing(_ inspection: Inspection) -> [Inspection.Task] {
      inspection.tasks.all.filter { $0.name.hasPrefix("computes") }
    }
    let inspection = try program.inspect(until: { inspection in
      let all = computing(inspection) + inspection.tasks.all.filter { $0.name == "has slept" }
      return all.count > 4 && all.allSatisfy { $0.state == .continuation && $0.times?.since != nil }
    })
    let all = computing(inspection), times = all.compactMap(\.times)
    #expect(times.count == all.count && times.allSatisfy { $0.parts == 1 }, "\(times)")
    for time in times {
      let (began, wentOn, since) = (try #require(time.began), try #require(time.wentOn), try #require(time.since))
      let (busy, queued) = (try #require(time.busy), try #require(time.queued))
      // What it has been is what it was queued, ran, and has waited since then, but for roundings and a preemption.
      #expect(busy >= 0.049 && queued >= 0 && since >= 0 && since <= wentOn && busy <= wentOn && queued <= began, "\(time)")
      #expect(abs(queued + busy + since - began) < 0.001, "\(time)")
    }
    #expect(times.contains { $0.queued ?? 0 >= 0.049 }, "\(times)")
    let slept = try #require(inspection.tasks.all.first { $0.name == "has slept" }?.times)
    #expect(slept.parts == 2 && (slept.began ?? 0) - (slept.since ?? 0) >= 0.02, "\(slept)")
    var names = PlaceNames(wantsLines: false)
    names.learn([inspection])
    let functions = inspection.tasks.functions.map { (name: names.function($0.places, on: []) ?? "", sum: $0) }
    let ours = functions.filter { $0.name.contains("TaskProbe.timed()") }.map(\.sum)
    let computed = try #require(ours.first { $0.tasks == all.count }, "\(functions)")
    #expect(computed.parts == all.count && computed.busy ?? 0 >= 0.049 * Double(all.count) && computed.queued ?? 0 >= 0.049)
    let sleeping = try #require(ours.first { $0.tasks == 1 }, "\(functions)")
    // The sleep begins within the first part. All of the task's time is accounted for.
    let known = (slept.queued ?? 0) + (slept.busy ?? 0) + (sleeping.between ?? 0) + (slept.since ?? 0)
    #expect(sleeping.parts == 2 && abs(known - (slept.began ?? 0)) < 0.001, "\(sleeping) \(slept)")
    let lines = TaskFunctionTable(inspection.tasks.functions, names).whole.lines()
    #expect(lines.contains { $0.contains("\(all.count)") && $0.contains("TaskProbe.timed()") }, "\(lines)")
  }

  @Test("Tasks that come and go by the hundred thousand: what is noted of those that stay is theirs")
  func churn() throws {
    let program = try program("churn")
    var known = 0
    for _ in 0..<20 {
      let inspection = try program.inspect(until: { _ in true })
      for task in inspection.tasks.all {
        guard let times = task.times, let began = times.began else { continue }
        known += 1
        #expect(times.wentOn.map { times.parts >= 1 && $0 <= began } ?? (times.parts == 0), "\(task)")
        #expect(times.busy ?? 0 <= began && times.queued ?? 0 <= began && times.since ?? 0 <= began, "\(task)")
        #expect((times.busy ?? 0) + (times.queued ?? 0) <= began + 0.001, "\(task)")
      }
    }
    #expect(known > 20, "\(known): those that stay, at least")
  }

  @Test("Without figures nothing is noted, and nothing said") func unprepared() throws {
    let inspection = try program("many", "20", isPrepared: false).inspect(
      until: { $0.tasks.all.filter { $0.state == .continuation }.count >= 20 })
    #expect(inspection.tasks.all.allSatisfy { $0.times == nil } && inspection.tasks.functions.isEmpty)
    let lines = TaskTables(inspection, InspectionNames(inspection, PlaceNames(wantsLines: false))).shared.lines()
    #expect(lines.first?.contains("since") == false)
  }
}
