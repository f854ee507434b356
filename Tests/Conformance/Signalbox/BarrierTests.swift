// BarrierTests.swift: items that run alone on a concurrent queue, against every kind of reader. On queues without
// readers they are plain: PlainBarrierTests.swift.
import Testing

extension Conformance {
  @Suite("Barriers") struct Barriers {
    @Test("An async barrier waits for async readers before it and holds back those after it")
    func asyncBarrierAmongAsyncReaders() async {
      await isolated {
        let stage = Stage()
        stage.startAsyncReaders()
        stage.queue.async(group: stage.group, flags: .barrier) { stage.barrier() }
        for _ in 0..<2 { stage.queue.async(group: stage.group) { stage.late() } }
        stage.release()
        stage.check(late: 2)
      }
    }

    @Test("A sync barrier waits for async readers before it and holds back those after it")
    func syncBarrierAmongAsyncReaders() async {
      await isolated {
        let stage = Stage()
        stage.startAsyncReaders()
        let writer = onThread { stage.queue.sync(flags: .barrier) { stage.barrier() } }
        stage.release()
        writer.join()
        stage.queue.async(group: stage.group) { stage.late() }
        stage.check(late: 1)
      }
    }

    @Test("An async barrier waits for sync readers before it and holds back those after it")
    func asyncBarrierAmongSyncReaders() async {
      await isolated {
        let stage = Stage()
        let readers = stage.startSyncReaders()
        stage.queue.async(group: stage.group, flags: .barrier) { stage.barrier() }
        let late = (0..<2).map { _ in onThread { stage.queue.sync { stage.late() } } }
        stage.release()
        for thread in readers + late { thread.join() }
        stage.check(late: 2)
      }
    }

    @Test("A sync barrier waits for sync readers before it")
    func syncBarrierAmongSyncReaders() async {
      await isolated {
        let stage = Stage()
        let readers = stage.startSyncReaders()
        let writer = onThread { stage.queue.sync(flags: .barrier) { stage.barrier() } }
        stage.release()
        for thread in readers + [writer] { thread.join() }
        stage.queue.sync { stage.late() }
        stage.check(late: 1)
      }
    }

    @Test("Readers of both kinds and barriers of both kinds never meet, whatever the mixture")
    func storm() async {
      await isolated {
        let queue = DispatchQueue(label: "storm", attributes: .concurrent)
        let room = Room()
        let group = DispatchGroup()
        onThreads(4) { thread in
          for round in 0..<300 {
            switch (round * 7 + thread * 3 + round / 5) % 8 {
            case 0: queue.async(group: group, flags: .barrier) { room.write() }
            case 1: queue.sync(flags: .barrier) { room.write() }
            case 2, 3, 4: queue.sync { room.read() }
            default: queue.async(group: group) { room.read() }
            }
          }
        }
        group.wait()
        expectEqual(room.visits, 1200)
        expectEqual(room.intrusions, 0)
      }
    }

    @Test("Barriers keep the order in which they were submitted")
    func orderOfBarriers() async {
      await isolated {
        let queue = DispatchQueue(label: "barriers", attributes: .concurrent)
        let log = Recorder<Int>()
        for number in 0..<500 { queue.async(flags: .barrier) { log.add(number) } }
        queue.sync(flags: .barrier) {}
        expectEqual(log.entries, Array(0..<500))
      }
    }

    @Test("A sync reader sees what a barrier submitted before it wrote")
    func readersSeeWhatBarriersWrote() async {
      await isolated {
        let queue = DispatchQueue(label: "store", attributes: .concurrent)
        let store = Shared<[Int]>([])
        for number in 0..<500 {
          queue.async(flags: .barrier) { store.value.append(number) }
          expectEqual(queue.sync { store.value.count }, number + 1)
        }
      }
    }

    @Test("A work item made with the barrier flag runs alone, by async and by sync")
    func barrierWorkItems() async {
      await isolated {
        let queue = DispatchQueue(label: "items", attributes: .concurrent)
        let room = Room()
        let group = DispatchGroup()
        for round in 0..<200 {
          for _ in 0..<3 { queue.async(group: group) { room.read() } }
          let item = DispatchWorkItem(flags: .barrier) { room.write() }
          if round % 2 == 0 { queue.async(group: group, execute: item) } else { queue.sync(execute: item) }
        }
        group.wait()
        expectEqual(room.visits, 800)
        expectEqual(room.intrusions, 0)
      }
    }
  }
}

/// Two readers held inside a concurrent queue, and a log of who ran around the barrier submitted behind them.
private final class Stage: Sendable {
  let queue = DispatchQueue(label: "stage", attributes: .concurrent)
  let group = DispatchGroup()
  private let log = Recorder<String>()
  private let inside = Meeting(of: 3)
  private let exit = Gate()

  func startAsyncReaders() {
    for _ in 0..<2 { queue.async(group: group) { self.reader() } }
    inside.attend()
  }

  func startSyncReaders() -> [Helper] {
    let readers = (0..<2).map { _ in onThread { self.queue.sync { self.reader() } } }
    inside.attend()
    return readers
  }

  private func reader() {
    inside.attend()
    exit.wait()
    log.add("reader")
  }

  func barrier() { log.add("barrier") }

  func late() { log.add("late") }

  /// Lets the readers out, after a chance for others to come in wrongly.
  func release() {
    waitForWhatMustNotCome()
    expectEqual(log.entries, [])
    exit.open()
  }

  func check(late: Int) {
    group.wait()
    expectEqual(log.entries, ["reader", "reader", "barrier"] + Array(repeating: "late", count: late))
  }
}
