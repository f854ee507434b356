// AsyncSerialWorkerTests.swift: the next job starts only after done, no thread waits for it, and a done misused is reported.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

@Suite("AsyncSerialWorker") struct AsyncSerialWorkerTests {
  private let worker = AsyncSerialWorker(label: "test.worker")

  @Test("Jobs that end elsewhere run strictly one after another, in their order")
  func order() {
    let events = SynchronizedArray<Int>(), inside = Count(), most = Count(), all = DispatchGroup()
    for number in 0..<200 {
      all.enter()
      worker.enqueueWork { done in
        if inside.add() > 1 { most.add() }
        DispatchQueue.global().async {
          events.append(number)
          inside.subtract()
          done()
          all.leave()
        }
      }
    }
    #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(events.values == Array(0..<200) && most.value == 0)
    #expect(worker.label == "test.worker")
  }

  @Test("The next job does not start before done, however long that takes")
  func waitsForDone() {
    let kept = SynchronizedArray<AsyncSerialWorker.DoneBlock>(), second = Count()
    worker.enqueueWork { done in kept.append(done) }
    worker.enqueueWork { done in
      second.add()
      done()
    }
    #expect(eventually { kept.count == 1 })
    // The worker's queue is idle, and items of its target run: were the second job to start, it would have its chances.
    for _ in 0..<200 { DispatchQueue.global().sync { _ = sched_yield() } }
    #expect(second.value == 0)
    kept[0]?()
    #expect(eventually { second.value == 1 })
  }

  @Test("A job may call done inside itself, and ends before the next one starts")
  func doneInside() {
    let events = SynchronizedArray<String>(), end = DispatchSemaphore(value: 0)
    for number in 1...3 {
      worker.enqueueWork { done in
        done()
        events.append("\(number) after done")
        if number == 3 { end.signal() }
      }
    }
    #expect(end.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(events.values == ["1 after done", "2 after done", "3 after done"])
  }

  @Test("When many threads add jobs and many call done, each job runs once")
  func stress() {
    let runs = Count(), inside = Count(), overlaps = Count(), all = DispatchGroup()
    let worker = worker
    onThreads(4) { thread in
      for number in 0..<300 {
        all.enter()
        worker.enqueueWork { done in
          if inside.add() > 1 { overlaps.add() }
          let end: @Sendable () -> Void = {
            runs.add()
            inside.subtract()
            done()
            all.leave()
          }
          if (thread + number) % 3 == 0 { end() } else { DispatchQueue.global().async(execute: end) }
        }
      }
    }
    #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(runs.value == 1_200 && overlaps.value == 0)
  }

  @Test("A released worker still runs its jobs")
  func letGo() {
    let kept = SynchronizedArray<AsyncSerialWorker.DoneBlock>(), second = Count(), freed = Count()
    do {
      let worker = AsyncSerialWorker(label: "short-lived"), witness = Witness { freed.add() }
      worker.enqueueWork { [witness] done in
        _ = witness
        kept.append(done)
      }
      worker.enqueueWork { [witness] done in
        _ = witness
        second.add()
        done()
      }
    }
    #expect(eventually { kept.count == 1 })
    kept.removeAll().first?()
    #expect(eventually { second.value == 1 })
    #expect(eventually { freed.value == 1 }, "jobs are destroyed when they have run")
  }

  @Test("Ten thousand waiting jobs keep no thread")
  func threads() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      setenv("SIGNALBOX_PROCESSORS", "4", 1)  // the pool has a thread for each, whatever this machine has
      let worker = AsyncSerialWorker(), kept = SynchronizedArray<AsyncSerialWorker.DoneBlock>(), runs = Count()
      for _ in 0..<10_000 {
        worker.enqueueWork { done in
          runs.add()
          if runs.value == 1 { kept.append(done) } else { done() }
        }
      }
      let workers = (0..<50).map { _ in AsyncSerialWorker() }
      for worker in workers { worker.enqueueWork { done in kept.append(done) } }
      #expect(eventually { kept.count == 51 })
      #expect(runs.value == 1)
      #expect(threadCount() <= 16, "\(threadCount()) threads")
      for done in kept.removeAll() { done() }
      #expect(eventually { runs.value == 10_000 })
    }
  }

  @Test("A second call of done has no effect and is reported, with the worker's name")
  func doneTwice() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      killOnHang()
      let worker = AsyncSerialWorker(label: "uploads"), inside = Count(), ends = Count()
      worker.enqueueWork { done in
        inside.add()
        done()
        done()
        inside.subtract()
      }
      for _ in 0..<10 {
        worker.enqueueWork { done in
          precondition(inside.add() == 1)
          DispatchQueue.global().async {
            inside.subtract()
            ends.add()
            done()
          }
        }
      }
      #expect(eventually { ends.value == 10 })
    }
    let lines = errorText(result).split(separator: "\n").filter { $0.contains("async serial worker") }
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.first?.contains("\"uploads\": done of job 1 is called again, which has no effect") == true, "\(lines)")
  }

  @Test("A done that is released uncalled is reported with the worker's name, and the worker continues")
  func doneDropped() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      killOnHang()
      let worker = AsyncSerialWorker(label: "forgetful"), ends = Count()
      worker.enqueueWork { done in done() }
      worker.enqueueWork { _ in }
      worker.enqueueWork { done in DispatchQueue.global().async { _ = done } }
      worker.enqueueWork { done in
        ends.add()
        done()
      }
      #expect(eventually { ends.value == 1 })
    }
    let lines = errorText(result).split(separator: "\n").filter { $0.contains("async serial worker") }
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.first?.contains("\"forgetful\": done of job 2 was released without having been called") == true, "\(lines)")
    #expect(lines.last?.contains("done of job 3 was released") == true, "\(lines)")
  }
}
