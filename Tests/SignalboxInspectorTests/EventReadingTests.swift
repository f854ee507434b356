// EventReadingTests.swift: timers, monitored descriptors and other events of programs that are read from outside: what
// is there, and no more.
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector
@testable import SignalboxSystem

@Suite("Timers and descriptors that are read") struct EventReadingTests {
  /// What there is of each timer and each descriptor, without how soon it is due.
  private func facts(_ inspection: Inspection) -> [String] {
    inspection.armed.map { "\($0.kind) \($0.queue) \($0.function)" }
      + inspection.monitored.map { "\($0.number) \($0.direction) \($0.label)" }
      + ["\(inspection.timers ?? -1) armed, \(inspection.events ?? -1) others"]
  }

  @Test("Of a running program, and of a core dump the same, but when timers are due")
  func same() throws {
    let program = try InspectedProgram(["events"])
    let read = try program.inspect()
    #expect(read.timers == 2 && read.armed.map(\.kind) == ["timer source", "asyncAfter"] && read.events == 1)
    #expect(try read.armed.allSatisfy { try $0.queue == read.queue("probe.later").address } && read.monitored.count == 1)
    var places = PlaceNames(wantsLines: false)
    places.learn([read])
    let function = places.function(read.armed[1].function, on: []) ?? ""
    #expect(function.contains("Probe.events()"), "\(function)")
    let text = InspectionTables([read], process: "1 (InspectProbe)", InspectOptions()).text
    for part in ["2 timers armed, the soonest first", "asyncAfter", "probe.later", "readable", "1 other event monitored"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(!text.contains("not read: timers") && !text.contains(" timers,"), "\(text)")
    let file = program.place + "/core"
    _ = try WrittenCore.write(program.child.id, to: file)
    let core = try #require(try CoreInspection(file, program: InspectedProgram.programs + "InspectProbe").inspections.first)
    #expect(Set(facts(core)) == Set(facts(read)) && core.armed.allSatisfy { $0.due == nil } && core.lost == 0)
  }

  @Test("A program that has armed and monitored nothing has no timers, and that is known")
  func none() throws {
    let read = try InspectedProgram(["only"], isPrepared: false).inspect()
    #expect(read.timers == 0 && read.armed.isEmpty && read.monitored.isEmpty && read.events == 0)
  }

  @Test("What comes and goes while it is read is shown as one that was there, and what stays is found")
  func changing() throws {
    let program = try InspectedProgram(["alarms"], isPrepared: false), pipe = try #require(Int(program.line))
    var staying = 0, whole = 0
    for _ in 0..<100 {
      let read = try program.inspect(), queue = try read.queue("alarms.queue").address
      for timer in read.armed {
        let due = try #require(timer.due)
        #expect(timer.queue == queue && ["asyncAfter", "timer source"].contains(timer.kind), "\(timer)")
        // A machine that is busy may be late by much.
        let isSoon = due < 100, stays = (100..<1000.1).contains(due), isLater = (1100..<2000.1).contains(due)
        #expect(timer.kind == "asyncAfter" ? isSoon || stays : stays || isLater, "\(timer)")
        #expect(timer.kind != "asyncAfter" || !timer.function.isEmpty, "\(timer)")
      }
      #expect(read.armed.count <= 10 + 10 + 20 + 1 && (read.timers ?? 0) >= 20, "\(read.armed.count) of \(read.timers ?? -1)")
      let long = read.armed.filter { (100..<1000.1).contains($0.due ?? 0) }
      #expect(long.count <= 20)
      staying = max(staying, long.count)
      let pipes = read.monitored
      #expect(pipes.count <= 2 && pipes.filter { $0.number == pipe }.count <= 1, "\(pipes)")
      #expect(pipes.allSatisfy { $0.label == pipes[0].label && $0.direction == "readable" }, "\(pipes)")
      if pipes.contains(where: { $0.number == pipe }), long.count == 20 { whole += 1 }
    }
    #expect(staying == 20 && whole > 50, "\(staying) \(whole)")
  }
}
