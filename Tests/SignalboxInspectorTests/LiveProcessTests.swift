// LiveProcessTests.swift: programs that run, hang or sleep are inspected, and what is shown is what they do.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("Live processes") struct LiveProcessTests {
  private func names(_ inspection: Inspection) -> InspectionNames {
    var places = PlaceNames(wantsLines: false)
    places.learn([inspection])
    return InspectionNames(inspection, places)
  }

  @Test("Parts that each map a small program's first page lie in one image; a second copy is another")
  func mappedAgain() throws {
    func parts(_ base: UInt64) -> [OtherImages.Part] {
      (0..<4 as Range<UInt64>).map {
        let start = ReadNumber(base + $0 * 0x1000)
        return .init(range: start..<start + 0x1000, offset: 0, path: "/w/small")
      }
    }
    let images = ReadImages(parts(0x40_0000) + parts(0x40_4000)) { $0 == "/w/small" ? 0x3f80 : nil }
    for base: UInt64 in [0x40_0000, 0x40_4000] {
      for offset: UInt64 in [0, 0x1234, 0x3fff] {
        #expect(images.image(at: ReadNumber(base + offset))?.base == ReadNumber(base))
      }
    }
    #expect(images.all.count == 2)
  }

  @Test("A busy program: queues with what lies in them, the item that runs, the count of those that did")
  func busy() throws {
    let program = try InspectedProgram(["busy"])
    let first = try program.inspect(until: { !$0.onQueue("probe.long").isEmpty }), stopped = try first.queue("probe.stopped")
    #expect(stopped.pending == 3 && stopped.suspended == 1 && stopped.kind == "serial" && stopped.owner == nil)
    let item = names(first).item(stopped.next[0].kind, stopped.next[0].function)
    #expect(stopped.next.count == 3 && item.hasPrefix("async ") && item.contains("Probe.busy()"), "\(item)")
    let inactive = try first.queue("probe.inactive")
    #expect(inactive.isInactive && inactive.pending == 1)
    let long = try first.queue("probe.long")
    #expect(long.kind == "concurrent" && long.running >= 1)
    let thread = try #require(first.onQueue("probe.long").first)
    #expect(thread.runs?.kind == "async" && thread.call == "pause", "\(thread)")
    #expect(names(first).runs(thread).contains("Probe.busy()"), "\(names(first).runs(thread))")
    #expect(first.cycles.isEmpty)
    let target = try #require(first.queues.first { $0.address == stopped.target })
    #expect(target.kind == "global")
    let done = try first.queue("probe.quick").done
    let second = try program.inspect(until: { ((try? $0.queue("probe.quick").done) ?? 0) > done })
    #expect(
      try second.queue("probe.quick").done > done && second.queue("probe.quick").address == first.queue("probe.quick").address)
    // A table for people says the same.
    let text = InspectionTables([first], process: "1 (InspectProbe)", InspectOptions()).text
    for part in ["probe.stopped", "suspended", "not active", "Probe.busy()"] { #expect(text.contains(part), "\(text)") }
  }

  @Test("A job of an actor that lies in a queue: the function in which it goes on")
  func jobs() throws {
    let program = try InspectedProgram(["jobs"])
    let inspection = try program.inspect(until: { ((try? $0.queue("probe.stopped").next.count) ?? 0) > 0 })
    let next = try #require(inspection.queue("probe.stopped").next.first)
    let item = names(inspection).item(next.kind, next.function)
    #expect(item.hasPrefix("a job of an actor ") && item.contains("Probe.jobs()"), "\(item)")
  }

  @Test("A deadlock: the cycle, who has what, names and stacks; a picture in which it stands out")
  func deadlock() throws {
    let program = try InspectedProgram(["deadlock"])
    let inspection = try program.inspectDeadlock(wantsStacks: true)
    let cycle = try #require(inspection.cycles.first)
    #expect(inspection.cycles.count == 1 && cycle.isCertain && cycle.threads.count == 2)
    let one = try #require(inspection.onQueue("probe.one").first), other = try #require(inspection.onQueue("probe.other").first)
    #expect(Set(cycle.threads) == [one.id, other.id])
    #expect(one.wait?.because == "held" && one.wait?.holders == [other.id] && other.wait?.holders == [one.id])
    #expect(one.wait?.kind == "mutex" && one.wait?.isLimited == false && (one.wait?.seconds ?? -1) >= 0)
    let names = names(inspection)
    #expect(names.places.lines(one.stack).contains { $0.contains("Probe.deadlock()") }, "\(names.places.lines(one.stack))")
    let text = InspectionTables([inspection], process: "1 (InspectProbe)", InspectOptions()).text
    #expect(text.contains("deadlock: 2 threads wait for one another, forever"), "\(text)")
    #expect(text.contains("thread \(one.id) on queue \"probe.one\" waits for"), "\(text)")
    let svg = WaitPicture([inspection], process: "1 (InspectProbe)").svg
    #expect(
      svg.ranges(of: "class=\"thread cycle\"").count == 2 && svg.ranges(of: "class=\"thing cycle\"").count == 2, "\(svg)")
    #expect(svg.ranges(of: "class=\"edge cycle\"").count == 4, "\(svg)")
  }

  @Test("Every worker asleep, and the main thread: it is read all the same")
  func asleep() throws {
    let program = try InspectedProgram(["asleep"], adding: ["SIGNALBOX_MAX_THREADS": "2"])
    let inspection = try program.inspect(until: { inspection in
      inspection.onQueue("probe.asleep").filter { $0.wait != nil }.count == 2
        && inspection.threads.contains { $0.isMain && $0.wait != nil }
    })
    let workers = inspection.onQueue("probe.asleep")
    #expect(workers.count == 2 && workers.allSatisfy { $0.wait?.kind == "semaphore" && $0.wait?.because == "anyone" })
    #expect(workers.allSatisfy { $0.wait?.holders.isEmpty == true })
    #expect(try inspection.queue("probe.asleep").pending == 4)
    let main = try #require(inspection.threads.first { $0.isMain })
    #expect(main.wait?.kind == "group")
    #expect(inspection.pools.reduce(0) { $0 + $1.threads } == 2 && inspection.pools.allSatisfy { $0.idle == 0 })
    #expect(inspection.cycles.isEmpty && inspection.unread.isEmpty, "\(inspection.unread)")
  }

  @Test("The event thread does not go on: it is read all the same")
  func events() throws {
    let program = try InspectedProgram(["events"])
    let inspection = try program.inspect(until: { $0.threads.contains { $0.name == "signalbox.event" && $0.call == "pause" } })
    #expect(inspection.threads.contains { $0.name == "signalbox.event" && $0.call == "pause" })
    // The event thread, which fires timers, is stuck: what is armed is known all the same.
    #expect(inspection.timers == 2 && inspection.armed.count == 2 && inspection.events == 1)
    let (source, after) = (try #require(inspection.armed.first), try #require(inspection.armed.last))
    #expect(source.kind == "timer source" && (900...1000).contains(source.due ?? 0), "\(source)")
    #expect(after.kind == "asyncAfter" && (1900...2000).contains(after.due ?? 0), "\(after)")
    #expect(try after.queue == inspection.queue("probe.later").address && source.queue == after.queue)
    #expect(inspection.monitored.map(\.direction) == ["readable"], "\(inspection.monitored)")
    let text = InspectionTables([inspection], process: "1 (InspectProbe)", InspectOptions()).text
    for part in ["2 timers armed", "asyncAfter", "probe.later", "readable", "1 other event monitored"] {
      #expect(text.contains(part), "\(text)")
    }
  }

  @Test("10,000 queues and 500 threads")
  func crowd() throws {
    let program = try InspectedProgram(["crowd", "10000", "500"])
    _ = try program.inspect()
    let inspection = try program.inspect(until: { $0.threads.filter { $0.wait?.kind == "semaphore" }.count == 500 })
    #expect(inspection.queues.filter { $0.label.hasPrefix("crowd.") }.count == 10_001)
    #expect(inspection.threads.filter { $0.wait?.kind == "semaphore" }.count == 500)
    #expect(try inspection.queue("crowd.target").suspended == 1)
    let text = InspectionTables([inspection], process: "1 (InspectProbe)", InspectOptions()).text
    #expect(text.split(separator: "\n").count < 100 && text.contains("and 480 more: --all"), "\(text)")
    try Crowd.expectSoon { _ = try program.inspect() }
  }

  @Test("A copy of Signalbox in the program and one that runs it are each read")
  func copies() throws {
    let program = try InspectedProgram(["tasks"], before: [InspectedProgram.programs + "signalbox", "run", "--"])
    let deadline = Clock.uptime() + 60_000_000_000
    var inspections = try program.inspections()
    while inspections.count < 2, Clock.uptime() < deadline { inspections = try program.inspections() }
    try #require(inspections.count == 2)
    #expect(Set(inspections.map(\.copy)).count == 2 && inspections.contains { $0.copy.hasSuffix("InspectProbe") })
    let linked = try #require(inspections.first { $0.copy.hasSuffix("InspectProbe") })
    let other = try #require(inspections.first { !$0.copy.hasSuffix("InspectProbe") })
    #expect(linked.queues.contains { $0.label == "probe.quick" } && !other.queues.contains { $0.label == "probe.quick" })
    let text = InspectionTables(inspections, process: "1 (InspectProbe)", InspectOptions()).text
    #expect(text.contains("copy 1 of 2 of Signalbox") && text.contains("copy 2 of 2 of Signalbox"), "\(text)")
  }

  @Test("A process whose main thread has ended before the others lives, and is read")
  func withoutMainThread() throws {
    let program = try InspectedProgram(["headless"])
    #expect(eventually { OtherProcess.threadState("\(program.child.id)", of: program.child.id) == "Z" })
    #expect(try program.inspect().queue("probe.stopped").pending == 3)
  }
}
