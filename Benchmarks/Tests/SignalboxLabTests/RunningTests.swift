// RunningTests.swift: scenarios really run: in this process, and in processes of their own.
import Glibc
import SignalboxCNames
import SignalboxLab
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Running scenarios") struct RunningTests {
  /// The command beside the test bundle, where the build puts every executable of the package.
  private static let command: String = {
    guard let path = realpath("/proc/self/exe", nil) else { return "signalbox" }
    defer { free(path) }
    let executable = String(cString: path)
    return String(executable[..<(executable.lastIndex(of: "/") ?? executable.endIndex)]) + "/signalbox"
  }()

  private static let runner = LabRunner(program: command, arguments: ["lab", LabOptions.insideWord])

  @Test(
    "A scenario that runs in this process has no problem and measures something",
    arguments: [
      "serial-async", "barrier-alone-only-while-it-runs", "limited-worker", "block-cancel", "synced-array-compound",
      "spin-lock-waits", "mutex-kinds", "mutex-who-is-next", "recursive-lock-fibonacci", "synchronized-array",
      "condition-producer-consumer", "condition-lock-threads", "timer-suspended-counts", "source-data-add", "source-file",
      "io-read-file", "io-barrier", "data-concat-and-map",
    ])
  func here(name: String) throws {
    let (recorder, measured) = ScenarioProcess.runHere(try #require(Registry.scenario(name)))
    #expect(recorder.problems.isEmpty, "\(recorder.problems)")
    #expect(!measured.isEmpty)
    #expect(!recorder.events.isEmpty)
  }

  private static let runInProcesses = [
    "serial-sync", "background-then-main", "threads-are-limited", "deadlock-scene-two", "group-left-too-often",
    "deadlock-nslocks-crosswise", "deadlock-locks-crosswise", "deadlock-semaphore-never-signalled",
    "deadlock-semaphore-on-main",
    "deadlock-group-never-left", "deadlock-pool-exhausted", "deadlock-nslock-twice", "deadlock-mixed-locks", "timer-repeating",
    "signal-stop-refused",
    "signal-continue", "source-process", "io-slices",
  ]
  /// They mostly wait, so they are done several at a time, all when the first is asked for.
  private static let results = Dictionary(
    uniqueKeysWithValues: zip(
      runInProcesses, sideBySide(runInProcesses) { runner.run(try #require(Registry.scenario($0))) }))

  @Test("A scenario that runs in a process of its own passes", arguments: runInProcesses)
  func inAProcess(name: String) throws {
    let result = try #require(Self.results[name]).get()
    #expect(result.hasPassed, "\(result.failures)")
    #expect(!result.events.isEmpty)
  }

  @Test("A scenario that hangs unreported is recognised, with its sleeping threads")
  func aHangIsSeen() throws {
    let reported = try #require(Registry.scenario("deadlock-locks-crosswise"))
    // The same without the stall detector: nothing is reported.
    let silent = Scenario(reported.name, "", .collections, "B8", article: "", documents: "", expect: .deadlocks) { _ in "" }
    let result = Self.runner.run(silent)
    #expect(result.hasPassed, "\(result.failures)")
    #expect(result.measured.hasPrefix("hangs, unreported: 3 threads sleep, main among them"), "\(result.measured)")
    #expect(result.seconds < 15)
  }

  @Test("A reported deadlock's line names the participants")
  func aReportNamesTheParticipants() throws {
    let result = Self.runner.run(try #require(Registry.scenario("deadlock-two-queues-crosswise")))
    #expect(result.hasPassed, "\(result.failures)")
    #expect(result.measured.contains("deadlock: 2 threads wait for one another"), "\(result.measured)")
    for name in ["one", "two"] { #expect(result.measured.contains("holds serial queue \"\(name)\"")) }
    #expect(!result.measured.contains("stack:"), "details are left out")
  }

  @Test("A scenario that hangs unexpectedly fails at the deadline")
  func whatHangsUnexpectedlyFailsAtTheDeadline() throws {
    let hanging = try #require(Registry.scenario("deadlock-semaphore-never-signalled"))
    let mistaken = Scenario(hanging.name, "", .notes, "B8", article: "", documents: "") { _ in "" }
    let runner = LabRunner(program: Self.command, arguments: ["lab", LabOptions.insideWord], deadlineSeconds: 1)
    let result = runner.run(mistaken)
    #expect(result.failures.first?.happened.contains("still going on after 1 s") == true, "\(result.failures)")
  }

  @Test("A command that does not exist fails the scenario")
  func aCommandThatIsNotThereFails() throws {
    let result = LabRunner(program: "/nowhere/at/all", arguments: []).run(try #require(Registry.scenario("serial-sync")))
    #expect(!result.hasPassed)
    #expect(result.measured.hasPrefix("not run: posix_spawn"), "\(result.measured)")
  }

  @Test("A recorder calls the main thread main")
  func theMainThreadIsCalledMain() throws {
    let result = Self.runner.run(try #require(Registry.scenario("serial-sync")))
    #expect(result.events.map(\.thread) == ["main", "main", "main", "main"])
    #expect(result.events.allSatisfy { $0.queue == "com.thread.demo" })
  }

  @Test("The lab's exit status says whether all scenarios passed")
  func theCommandsStatusTells() throws {
    func status(_ arguments: [String]) throws -> (ChildProcess.Ending, output: String, error: String) {
      let child = try ChildProcess(Self.command, ["lab"] + arguments)
      while child.read(milliseconds: 100) {}
      return (child.wait(), String(decoding: child.output, as: UTF8.self), String(decoding: child.errorOutput, as: UTF8.self))
    }
    let good = try status(["run", "serial-sync", "--json"])
    #expect(good.0 == .exited(0))
    #expect(good.output.hasPrefix("[{\"name\":\"serial-sync\",") && good.output.hasSuffix("}]\n"), "\(good.output)")
    let unknown = try status(["run", "serial-snyc"])
    #expect(unknown.0 == .exited(64))
    #expect(unknown.error.contains("did you mean serial-sync"), "\(unknown.error)")
    #expect(try status(["--nonsense"]).0 == .exited(64))
    let list = try status(["list"])
    #expect(list.output.contains("serial-sync  ") && !list.output.contains("\u{1B}"))
  }
}

@Suite("Recording events of a scenario") struct RecorderTests {
  @Test("A recorded event has its thread and its queue")
  func eventsKnowTheirThreadAndQueue() {
    let recorder = Recorder()
    let queue = dispatch_queue_create("a queue", DISPATCH_QUEUE_SERIAL), group = dispatch_group_create()
    dispatch_group_async(group, queue) { recorder.note("on a worker") }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
    #expect(recorder.events.map(\.thread) == ["worker 1"])
    #expect(recorder.events.map(\.queue) == ["a queue"])
  }

  @Test("A demand that is not met is kept as a problem")
  func demandsThatAreNotMetAreKept() {
    let recorder = Recorder()
    recorder.note("a")
    recorder.note("b")
    recorder.expectOrder("a", "b")
    recorder.expectAll(["b", "a"], beginning: "")
    #expect(recorder.problems.isEmpty)
    recorder.expectOrder("b", "a")
    recorder.expectAll(["a"], beginning: "")
    recorder.expectThreads("worker") { _ in true }
    recorder.expect(false, "this", "that")
    #expect(recorder.problems.count == 4)
    #expect(recorder.problems[0] == Problem(expected: "in this order: b, a", happened: "a, b"))
    #expect(recorder.problems[3] == Problem(expected: "this", happened: "that"))
  }
}
