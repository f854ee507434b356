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
}
