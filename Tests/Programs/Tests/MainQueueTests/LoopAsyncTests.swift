// LoopAsyncTests.swift: the main thread and its loop in a program whose asynchronous main has let the first thread go. The program is
// Probes/LoopAsync.
import Testing

@Suite("The main loop of an asynchronous main") struct LoopAsyncTests {
  private func lines(_ test: String) throws -> [String] {
    let run = try ProbeRun("LoopAsync", test)
    #expect(run.status == 0, "signal \(run.signal ?? 0)")
    return run.lines
  }

  @Test("With the first thread gone, thread, loop and notification queue are the main ones on main queue and main actor")
  func identity() throws {
    let main = "another thread: [true, true, true, true, true]"
    let global = "global, another thread: [false, false, false, false, false]"
    #expect(try lines("identity") == ["actor, \(main)", "item, \(main)", global])
  }

  @Test("Timers, blocks, inputs and notifications on the main loop are served while main awaits")
  func served() throws {
    let place = "on the main loop, in the default mode"
    let idle = "notification \(1): \(place)", soon = "notification \(2): \(place)"
    #expect(
      try lines("served") == [
        "perform: \(place)", "block: \(place)", "timer of another thread: \(place)", "moved timer: \(place)", "waited for",
        "input: \(place)", soon, idle, "a thousand in order",
      ])
  }

  @Test("A timer from before the first suspension fires after it, again and again")
  func early() throws {
    let fire = "timer: on the main loop, in the default mode"
    #expect(try lines("early") == ["\(fire); \(fire); \(fire)"])
  }

  @Test("A first thread that never met Signalbox is found to be gone")
  func unmet() throws { #expect(try lines("unmet") == ["block: on the main loop, in the default mode"]) }

  @Test("A run of the main loop within a job serves timers and blocks, and sleeps until its date")
  func nested() throws { #expect(try lines("nested") == ["timer, block, until its date"]) }

  @Test("A timer on the main loop fires under dispatchMain, too")
  func dispatchMain() throws { #expect(try lines("dispatch-main") == ["timer: on the main loop, in the default mode"]) }

  @Test(
    "The thread that counts as the main one is found in a deadlock with a queue",
    arguments: ["deadlock", "deadlock-first"])
  func deadlock(test: String) throws {
    let run = try ProbeRun("LoopAsync", test)
    #expect(run.signal == 6, "\(run.lines)")
    #expect(run.lines == [])
  }
}
