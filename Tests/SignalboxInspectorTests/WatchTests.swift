// WatchTests.swift: `signalbox watch` and `signalbox inspect --check`: what hangs is reported, what is well or ends is
// not.
import SignalboxCommandLine
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("Processes that hang in time") struct WatchTests {
  private func program(_ kind: String) throws -> InspectedProgram {
    try InspectedProgram([], words: [InspectedProgram.programs + "HungProbe", kind])
  }

  private func watch(_ process: Int32, still: Double) throws -> Watch {
    var options = try WatchOptions(["\(process)"])
    options.still = still
    return try Watch(options)
  }

  private func reason(_ ending: Watch.Ending) -> String? {
    if case .hangs(let reason, _) = ending { reason } else { nil }
  }

  @Test("A deadlock is reported at the first reading at which it stands, of either library", arguments: ["queues", "mutex"])
  func deadlock(kind: String) throws {
    let program = try program(kind), reason = try reason(watch(program.child.id, still: 1_000).run())
    #expect(reason == (kind == "queues" ? "deadlock: " : "suspected deadlock: ") + "2 threads wait for one another")
    let own = try InspectedProgram(["deadlock"])
    #expect(try self.reason(watch(own.child.id, still: 1_000).run())?.hasPrefix("deadlock: ") == true)
  }

  @Test("Tasks that wait for one another are reported at once; tasks that nothing can resume, once nothing moves any more")
  func tasks() throws {
    func reason(_ kind: String) throws -> String? {
      let program = try InspectedProgram([], words: [InspectedProgram.programs + "TaskProbe", kind])
      return try self.reason(watch(program.child.id, still: kind == "none" ? 1 : 1_000).run())
    }
    #expect(try reason("values") == "deadlock: 2 tasks wait for one another")
    let still = try #require(try reason("none"))
    #expect(still.hasSuffix("and a task waits, and nothing is left that could resume it"), "\(still)")
  }

  @Test(
    "A process in which nothing moves any more: threads that wait for what does not come",
    arguments: [("chain", "threads wait for locks or queues"), ("clibrary", "no thread can run any more")])
  func still(kind: String, part: String) throws {
    // Longer than the library's manager sleeps, which counts its threads once a second.
    let program = try program(kind), reason = try #require(try reason(watch(program.child.id, still: 3).run()))
    #expect(reason.hasPrefix("no thread has run for ") && reason.contains(part), "\(reason)")
  }

  @Test("Items and waits that nothing ends are a reason; what a thread keeps that waits for input or for a time is none")
  func reasons() throws {
    func reason(_ queue: String, _ threads: String, asleep: Set<Int>) throws -> String? {
      let json = "{\"version\": 1, \"process\": 1, \"queues\": [{\(queue)}], \"threads\": [\(threads)]}"
      let inspection = try #require(JSON(json).flatMap { Inspection($0) })
      return Stuck([inspection], asleep: asleep).reason
    }
    let queue = "\"queue\": \"0x10\", \"label\": \"full\", \"kind\": \"serial\"", full = queue + ", \"pending\": 3"
    func thread(_ id: Int, waits because: String = "", for holder: String = "", limited: Bool = false) -> String {
      let wait =
        ", \"waits\": {\"kind\": \"queue\", \"object\": \"0x10\", \"because\": \"\(because)\", \"for\": [\(holder)], \"limited\": \(limited)}"
      return "{\"thread\": \(id)\(because.isEmpty ? "" : wait)}"
    }
    let held = thread(1, waits: "held", for: "2") + ", " + thread(2)
    #expect(try reason(queue, held, asleep: [1, 2]) == "a thread waits for a lock or a queue")
    #expect(try reason(queue, held, asleep: [1]) == nil, "the holder waits for input")
    #expect(try reason(queue, held + ", " + thread(3), asleep: [1, 2]) == "a thread waits for a lock or a queue")
    #expect(
      try reason(
        queue, thread(1, waits: "held", for: "2", limited: true) + ", " + thread(2) + ", " + thread(3), asleep: [1, 2]) == nil)
    #expect(try reason(full, thread(1), asleep: [1]) == "3 items lie in serial queue \"full\"")
    #expect(try reason(full, thread(1), asleep: []) == nil, "the thread may take them")
    #expect(
      try reason(full + ", \"owner\": 1", thread(1) + ", " + thread(2), asleep: [1]) == "3 items lie in serial queue \"full\"")
    #expect(try reason(full + ", \"owner\": 2", thread(1) + ", " + thread(2), asleep: [1]) == nil, "the owner waits for input")
    #expect(try reason(full + ", \"suspended\": 1", thread(1), asleep: [1]) == nil)
    let signalled = thread(1, waits: "anyone")
    #expect(try reason(queue, signalled, asleep: [1])?.hasPrefix("no thread can run any more") == true)
    #expect(try reason(queue, signalled + ", " + thread(2), asleep: [1]) == nil)
    // Each waits for all others: the answer comes at once.
    let ring = (1...60).map { one in
      thread(one, waits: "inside", for: (1...60).filter { $0 != one }.map { "\($0)" }.joined(separator: ","))
    }.joined(separator: ", ")
    #expect(try reason(queue, ring + ", " + thread(99), asleep: []) == "60 threads wait for locks or queues")
    let armed = "\"queues\": [], \"timers\": 1, \"threads\": [\(signalled)], \"version\": 1, \"process\": 1"
    let inspection = try #require(JSON("{\(armed)}").flatMap { Inspection($0) })
    #expect(Stuck([inspection], asleep: [1]).reason == nil, "a timer is armed")
  }

  @Test("A process that sleeps for a time does not hang; its end ends the command")
  func ends() throws {
    let sleeper = try ChildProcess("/bin/sleep", ["4"])
    guard case .ended(let sentence) = try watch(sleeper.id, still: 1).run() else { return #expect(Bool(false), "it hangs") }
    #expect(sentence == "process \(sleeper.id) (sleep) has ended meanwhile")
  }

  @Test("The status of a check: 1 where threads wait for one another, 0 where none do, and nothing is printed")
  func check() throws {
    func check(_ process: Int32, _ options: RawString...) throws -> (text: String, status: Int32?) {
      let printed = try Programs.output(
        of: RawString(InspectedProgram.programs + "signalbox"),
        arguments: ["signalbox", "inspect", RawString("\(process)"), "--check"] + options,
        environment: [], seconds: 500)
      return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
    }
    let hung = try program("queues"), well = try program("group")
    #expect(eventually { (try? check(hung.child.id).status) == 1 })
    let found = try check(hung.child.id), none = try check(well.child.id)
    #expect(found.text.isEmpty && found.status == 1 && none.text.isEmpty && none.status == 0)
    // Tasks count where they are asked for.
    let tasks = try InspectedProgram([], words: [InspectedProgram.programs + "TaskProbe", "values"])
    #expect(eventually { (try? check(tasks.child.id, "--tasks").status) == 1 })
    #expect(try check(tasks.child.id).status == 0 && check(well.child.id, "--tasks").status == 0)
  }

  @Test("Command lines")
  func options() throws {
    let options = try WatchOptions(["12", "--still", "30", "--json"])
    #expect(options.process == 12 && options.still == 30 && options.isJSON)
    for (line, message) in [
      ([], "one process is to be named, by its number"), (["1", "2"], "one process is to be named, by its number"),
      (["1", "--still", "0"], "--still needs seconds, from 1 to 86400"),
      (["--still"], "--still needs seconds, from 1 to 86400"),
      (["x"], "\"x\" is no process's number"),
    ] as [([String], String)] {
      #expect(throws: InspectRefusal(.usage, message)) { try WatchOptions(line) }
    }
    #expect(throws: InspectRefusal(.usage, "--check shows nothing: leave the other options but --tasks out")) {
      try InspectOptions(["1", "--check", "--json"])
    }
  }

  @Test("Movement: time counts from the first reading that found the same counts, and only while no thread runs")
  func movement() throws {
    let program = try program("pthreads")
    var movement = Movement(), now: UInt64 = 0
    // The program's threads fall asleep in their time.
    #expect(
      eventually {
        now += 1_000_000_000
        movement.read(program.child.id, now)
        return movement.seconds(at: now) >= 5
      })
    movement.read(program.child.id, now + 7_000_000_000)
    #expect(movement.seconds(at: now + 7_000_000_000) == movement.seconds(at: now) + 7)
    movement.read(OwnProcess.id, now + 8_000_000_000)
    #expect(movement.seconds(at: now + 8_000_000_000) == 0)
  }
}
