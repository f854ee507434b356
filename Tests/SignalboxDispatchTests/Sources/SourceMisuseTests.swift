// SourceMisuseTests.swift: sources used wrongly stop the program with a message, and a storm of right uses loses nothing.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Misuse of sources stops the program") struct SourceMisuseTests {
  @Test("A source freed while suspended stops the program, active or not", arguments: [true, false])
  func freedSuspended(isActive: Bool) async {
    setenv("SIGNALBOX_TEST_ACTIVE", isActive ? "1" : "0", 1)
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let source = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "held"))
      if getenv("SIGNALBOX_TEST_ACTIVE")!.pointee == 49 { source.activate() }
      source.suspend()
    }
    expectStop(result, saying: "a data add source on queue \"held\" is freed while suspended: balance every suspend()")
  }

  @Test("Resuming more often than suspending stops the program")
  func overResumed() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let source = DispatchSource.makeUserDataOrSource(queue: DispatchQueue(label: "over"))
      source.resume()
      source.resume()
    }
    expectStop(result, saying: "a data or source on queue \"over\" is resumed more often than suspended")
  }

  @Test("Merging into a source of another kind stops the program")
  func merged() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: DispatchQueue(label: "bytes"))
      (source as? any DispatchSourceUserDataAdd)?.add(data: 1)
    }
    expectStop(result, saying: "add(data:) is called on a read source on queue \"bytes\", whose events come from elsewhere")
  }

  @Test("A source cancelled but never activated calls its cancel handler when it is released")
  func cancelledInactive() {
    let ended = DispatchSemaphore(value: 0)
    do {
      let source = DispatchSource.makeUserDataAddSource()
      source.setCancelHandler { ended.signal() }
      source.cancel()
    }
    #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
  }

  @Test("A source that was never activated can be released, and releases what it holds")
  func neverActive() {
    let freed = Count()
    do {
      let capture = TimerSourceTests.Capture(freed)
      let source = DispatchSource.makeUserDataAddSource()
      source.setEventHandler { _ = capture }
      source.add(data: 1)
    }
    #expect(eventually { freed.value == 1 })
  }

  @Test(
    "Used and released by several threads, each source runs its cancel handler once, last")
  func storm() {
    let (ended, late, freed) = (DispatchGroup(), Count(), Count())
    let queues = [DispatchQueue(label: "a"), DispatchQueue(label: "b", attributes: .concurrent), .global()]
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<100 {
        let source = DispatchSource.makeUserDataAddSource(queue: queues[(thread + round) % 3])
        let over = Count()
        let capture = TimerSourceTests.Capture(freed)
        ended.enter()
        source.setCancelHandler {
          if over.add() != 1 { late.add() }
          ended.leave()
        }
        source.setEventHandler {
          _ = capture
          if over.value > 0 { late.add() }
        }
        for step in 0..<4 {
          queues[2].async {
            source.add(data: 1)
            if step == 1 { source.setEventHandler { if over.value > 0 { late.add() } } }
            if step == 2 { source.cancel() }
          }
        }
        source.activate()
        source.suspend()
        queues[2].async { source.resume() }
      }
    }
    #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(eventually { freed.value == 800 })
    #expect(late.value == 0)
  }
}
