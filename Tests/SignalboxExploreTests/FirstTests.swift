import SignalboxExplore
import SignalboxFoundation
import Testing

@Suite("Bodies that are explored", .serialized) struct ExploreBodyTests {
  @Test("Two threads that take two queues the same way round never fail") func clean() throws {
    let result = try explore(schedules: 200) {
      let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
      let done = DispatchSemaphore(value: 0)
      for _ in 0..<2 {
        Thread.detachNewThread {
          a.sync { b.sync {} }
          done.signal()
        }
      }
      done.wait()
      done.wait()
    }
    #expect(result.schedules == 200)
    print(result, result.steps, result.switches)
  }

  @Test("Two threads that take two queues in turn are told as a deadlock") func crossed() throws {
    do {
      try explore(schedules: 2_000) {
        let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          a.sync { b.sync {} }
          done.signal()
        }
        Thread.detachNewThread {
          b.sync { a.sync {} }
          done.signal()
        }
        done.wait()
        done.wait()
      }
      Issue.record("no failure was found")
    } catch let failure as ExploreFailure {
      print(failure)
      #expect(failure.kind == .deadlock)
    }
  }

  actor Stock {
    var left = 1
    func isFree() -> Bool { left > 0 }
    func take() { left -= 1 }
  }

  @Test("An actor that is asked and then told is found to be reentered") func checkThenAct() async throws {
    do {
      try await explore(schedules: 2_000) {
        let stock = Stock()
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<2 { group.addTask { if await stock.isFree() { await Task.yield(); await stock.take() } } }
        }
        let left = await stock.left
        if left < 0 { throw Oversold() }
      }
      Issue.record("no failure was found")
    } catch let failure as ExploreFailure {
      print(failure)
      #expect(failure.kind == .error)
    }
  }
  struct Oversold: Error {}

  @Test("Sleeps, delays and timers take no time") func time() async throws {
    let clock = ContinuousClock()
    let took = try await clock.measure {
      try await explore(schedules: 20) {
        try await Task.sleep(for: .seconds(3600))
        await withCheckedContinuation { c in
          DispatchQueue.main.asyncAfter(deadline: .now() + 3600) { c.resume() }
        }
        await MainActor.run { Thread.sleep(forTimeInterval: 3600) }
      }
    }
    print(took)
  }

  @Test("What is left behind is named") func left() throws {
    do {
      try explore(schedules: 3) {
        let group = DispatchGroup()
        group.enter()
        DispatchQueue.global().asyncAfter(deadline: .now() + 5) { group.leave() }
      }
      Issue.record("no failure was found")
    } catch let failure as ExploreFailure {
      print(failure)
      #expect(failure.kind == .unfinished)
    }
  }

  @Test("Speed") func speed() throws {
    let clock = ContinuousClock()
    var result: ExploreResult?
    let took = try clock.measure {
      result = try explore(schedules: 20_000) {
        let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread { a.sync { b.sync {} }; done.signal() }
        Thread.detachNewThread { a.sync { b.sync {} }; done.signal() }
        done.wait()
        done.wait()
      }
    }
    print(took, result!, result!.steps, result!.switches)
  }
}
