// ReadAgesTests.swift: for how long items run and wait, and how long they have waited, read from outside of programs
// that run, and of core dumps.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("Ages that are read") struct ReadAgesTests {
  @Test("For how long an item runs: more with each second, and never longer than it does", arguments: ["busy", "main"])
  func running(_ mode: String) throws {
    let program = try InspectedProgram([mode]), label = mode == "busy" ? "probe.long" : "com.apple.main-thread"
    var times: [Double] = [], tooLong: [Double] = []
    // What "probe.quick" had done in the reading before, and when that began at the earliest.
    var (done, begun, ended) = (-1, Clock.uptime(), Clock.uptime())
    let last = try program.inspect(until: { inspection in
      let now = Clock.uptime()
      if let time = inspection.onQueue(label).first?.runs?.seconds { times.append(time) }
      if mode == "busy", let queue = try? inspection.queue("probe.quick") {
        let longest = Double(now - begun) / 1e9
        if queue.done != done {
          tooLong += inspection.onQueue("probe.quick").compactMap { $0.runs?.seconds }.filter { $0 > longest }
        }
        done = queue.done
      }
      (begun, ended) = (ended, now)
      return (times.last ?? 0) >= 2.5
    })
    let time = try #require(times.last)
    #expect(last.source == "memory" && times[0] >= 1 && time >= 2.5 && times == times.sorted() && tooLong.isEmpty, "\(tooLong)")
    let text = InspectionTables([last], process: "1 (InspectProbe)", InspectOptions()).text
    #expect(text.contains("s or more)"), "\(text)")
  }

  @Test("The oldest item of a queue: as old as all of them while they are taken off, and of a stopped one ever older")
  func oldest() throws {
    let start = Clock.uptime()
    let program = try InspectedProgram(["backlog"])
    var shown: [Double] = [], wrong: [String] = []
    let last = try program.inspect(until: { inspection in
      let now = Clock.uptime()
      guard let queue = try? inspection.queue("probe.backlog"), let oldest = queue.oldest else { return false }
      shown.append(oldest)
      // The first sample may have found a part of them. When those are gone, the next sample counts.
      let longest = Double(now - start) / 1e9
      if oldest > longest { wrong.append("\(oldest) after \(longest)") }
      return oldest >= 3
    })
    #expect(wrong.isEmpty && (shown.last ?? 0) >= 3, "\(shown) \(wrong)")
    let queue = try last.queue("probe.backlog")
    #expect(queue.pending > 0 && queue.done > 0 && (queue.p50 ?? 0) < 5, "\(queue)")
    let text = InspectionTables([last], process: "1 (InspectProbe)", InspectOptions()).text
    #expect(text.contains("oldest waits") && text.contains("s or more"), "\(text)")
    let empty = try program.inspect(until: { (try? $0.queue("probe.backlog").pending) == 0 })
    #expect(try empty.queue("probe.backlog").oldest == nil && empty.queue("probe.backlog").pending == 0)
  }

  @Test("How long sampled items waited: half of them at most, and 95 of a hundred")
  func waited() throws {
    let program = try InspectedProgram(["busy"]), begun = Clock.uptime()
    let queue = try program.inspect(until: { (try? $0.queue("probe.quick"))?.p95 != nil }).queue("probe.quick")
    let half = try #require(queue.p50), most = try #require(queue.p95)
    #expect(half > 0 && half <= most && most <= Double(Clock.uptime() - begun) / 1e9 * 1.3, "\(queue)")
  }

  @Test("A program that does not note it: `top` counts for itself from table to table")
  func unprepared() throws {
    let program = try InspectedProgram(["busy"], isPrepared: false)
    var oldest = OldestItems(), queue: Inspection.Queue?
    let begun = Clock.uptime()
    _ = try program.inspect(until: { inspection in
      let now = Clock.uptime()
      oldest.note([inspection], from: now, to: now)
      queue = try? inspection.queue("probe.stopped")
      return queue.flatMap { oldest.seconds($0, copy: 0) } ?? 0 >= 1
    })
    let stopped = try #require(queue), seconds = try #require(oldest.seconds(stopped, copy: 0))
    #expect(seconds >= 1 && seconds <= Double(Clock.uptime() - begun) / 1e9 && stopped.oldest == nil)
    #expect(try oldest.seconds(program.inspect().queue("probe.quick"), copy: 0) ?? 0 < 1)
    let lines = TopTable([try program.inspect()], after: nil, seconds: 1, title: "1", width: 0, oldest: oldest).lines
    #expect(lines.contains { $0.contains("probe.stopped") && $0.contains("s or more") }, "\(lines)")
    #expect(lines.contains { $0.contains("a process that is started with SIGNALBOX_INSPECT=1 notes that") }, "\(lines)")
  }

  @Test("A core dump of a program that notes it: as of its last sample")
  func core() throws {
    let program = try InspectedProgram(["busy"])
    _ = try program.inspect(until: { ($0.onQueue("probe.long").first?.runs?.seconds ?? 0) >= 3 })
    kill(program.child.id, SIGSTOP)
    let file = program.place + "/core"
    _ = try WrittenCore.write(program.child.id, to: file)
    let path = InspectedProgram.programs + "InspectProbe"
    let inspection = try #require(try CoreInspection(file, program: path).inspections.first)
    let threads = inspection.onQueue("probe.long")
    #expect(inspection.source == "core" && (threads.first?.runs?.seconds ?? 0) >= 1, "\(threads)")
    #expect(try (inspection.queue("probe.stopped").oldest ?? 0) >= 1 && inspection.queue("probe.quick").p50 != nil)
  }
}
