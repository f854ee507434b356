// LimitedWorkerTests.swift: never more jobs than the limit, in their order, and no thread waits for a place.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

@Suite("LimitedWorker") struct LimitedWorkerTests {
  @Test("The limit is reached and never passed", arguments: [1, 2, 3, 8])
  func limit(limit: Int) {
    let worker = LimitedWorker(limit: limit, label: "test.limited"), all = DispatchGroup()
    let inside = Count(), tooMany = Count(), open = DispatchSemaphore(value: 0)
    for _ in 0..<(limit * 5) {
      worker.enqueueWork(group: all) {
        if inside.add() > limit { tooMany.add() }
        open.wait()
        inside.subtract()
      }
    }
    #expect(eventually { inside.value == limit })
    for _ in 0..<(limit * 5) { open.signal() }
    #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(tooMany.value == 0 && inside.value == 0)
    #expect(worker.limit == limit && worker.label == "test.limited")
  }

  @Test("Jobs start in the order they were given")
  func order() {
    let worker = LimitedWorker(limit: 1), started = SynchronizedArray<Int>(), all = DispatchGroup()
    for number in 0..<500 { worker.enqueueWork(group: all) { started.append(number) } }
    #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(started.values == Array(0..<500))
  }

  @Test("With several places no job starts before the ones given earlier have found theirs")
  func orderOfSeveral() {
    let worker = LimitedWorker(limit: 3), started = SynchronizedArray<Int>()
    let gates = (0..<30).map { _ in DispatchSemaphore(value: 0) }, all = DispatchGroup()
    for number in 0..<30 {
      worker.enqueueWork(group: all) {
        started.append(number)
        gates[number].wait()
      }
    }
    for number in 0..<30 {
      // Whichever place becomes free, the next to start is the one that waits longest.
      #expect(eventually { started.count == min(number + 3, 30) })
      #expect(Set(started.values) == Set(0..<min(number + 3, 30)))
      gates[number].signal()
    }
    #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
  }

  @Test("When many threads give jobs, each runs once, never too many at a time")
  func stress() {
    let worker = LimitedWorker(limit: 3), all = DispatchGroup()
    let runs = Count(), inside = Count(), tooMany = Count()
    onThreads(4) { _ in
      for _ in 0..<500 {
        worker.enqueueWork(group: all) {
          if inside.add() > 3 { tooMany.add() }
          runs.add()
          inside.subtract()
        }
      }
    }
    #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(runs.value == 2_000 && tooMany.value == 0)
  }

  @Test("Ten thousand waiting jobs keep no thread")
  func threads() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      setenv("SIGNALBOX_PROCESSORS", "4", 1)  // the pool has a thread for each, whatever this machine has
      let worker = LimitedWorker(limit: 3), inside = Count(), open = DispatchSemaphore(value: 0), all = DispatchGroup()
      for _ in 0..<10_000 {
        worker.enqueueWork(group: all) {
          inside.add()
          open.wait()
          open.signal()
        }
      }
      #expect(eventually { inside.value == 3 })
      #expect(threadCount() <= 16, "\(threadCount()) threads")
      open.signal()
      #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      #expect(inside.value == 10_000)
    }
  }

  @Test("A limit that lets nothing run stops the program", arguments: [0, -1])
  func validation(limit: Int) async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) { [limit] in
      _ = LimitedWorker(limit: limit, label: "stuck")
    }
    expectStop(result, saying: "misuse: limited worker \"stuck\" is made with the limit \(limit)", "give at least 1")
  }
}
