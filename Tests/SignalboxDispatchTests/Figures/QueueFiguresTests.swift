// QueueFiguresTests.swift: what is counted of queues while figures are on: items done and pending, exactly; waiting times of samples; queues
// that come and go. Each test has a process of its own.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

private func begin() {
  alarm(500)
  EngineFigures.start()
}

/// The one queue of this label that is counted.
private func figure(_ label: String) -> QueueFigure? {
  let found = EngineFigures.queues().filter { $0.label == label }
  precondition(found.count <= 1, "\(found.count) queues \"\(label)\" are counted")
  return found.first
}

/// A queue that is counted: it has run one item.
private func counted(_ label: String, _ attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
  let queue = DispatchQueue(label: label, qos: .utility, attributes: attributes), ran = DispatchGroup()
  queue.async(group: ran) {}
  ran.wait()
  awaitState("the count of the queue's first item") { figure(label)?.done == 1 }
  return queue
}

@Suite("Figures of queues") struct QueueFiguresTests {
  @Test("Items done and pending are exact on serial and concurrent queues, whatever number of pages they take")
  func exact() async {
    await #expect(processExitsWith: .success) {
      begin()
      for (label, attributes) in [("serial", []), ("concurrent", .concurrent)] as [(String, DispatchQueue.Attributes)] {
        let queue = counted(label, attributes)
        var done: UInt64 = 1
        for count in [0, 1, 3, 4, 5, 6, 7, 261, 262, 600, 5_000] {
          queue.suspend()
          let group = DispatchGroup()
          for number in 0..<count { queue.async(group: number % 2 == 0 ? group : nil) {} }
          #expect(figure(label)?.pending == UInt64(count) && figure(label)?.done == done, "\(label), \(count)")
          queue.async(group: group, flags: .barrier) {}
          done += UInt64(count) + 1
          queue.resume()
          group.wait()
          #expect(figure(label)?.done == done && figure(label)?.pending == 0, "\(label), \(count)")
        }
        #expect(figure(label)?.qos == .utility)
      }
    }
  }

  @Test("Counts of items done never go back, and all are counted, while threads submit and the list turns")
  func monotonic() async {
    await #expect(processExitsWith: .success) {
      begin()
      let queue = counted("busy"), group = DispatchGroup(), rounds = 40_000
      let threads = (0..<2).map { _ in TestThread { for _ in 0..<rounds { queue.async(group: group) {} } } }
      var last: UInt64 = 0
      while last < UInt64(2 * rounds) + 1 {
        guard let now = figure("busy")?.done else { fatalError("the queue is not counted any more") }
        #expect(now >= last)
        last = max(last, now)
      }
      for thread in threads { thread.join() }
      group.wait()
      #expect(figure("busy")?.done == UInt64(2 * rounds) + 1 && figure("busy")?.pending == 0)
    }
  }

  @Test("A sample of items says how long they waited: all of them, where all are samples, of every kind")
  func waits() async {
    await #expect(processExitsWith: .success) {
      FigureSampling.testsOnly_takeAll(true)
      begin()
      let queue = counted("sampled"), item = DispatchWorkItem {}, group = DispatchGroup()
      queue.suspend()
      let start = Clock.ticks()
      queue.async {}
      queue.async(group: group) {}
      queue.async(flags: .barrier) {}
      queue.async(execute: item)
      queue.async(group: group, execute: DispatchWorkItem {})
      sleepPlainly(milliseconds: 20)  // which they wait
      let waited = Clock.ticks() - start
      queue.resume()
      item.wait()
      queue.sync {}
      let counts = figure("sampled")!.waits
      #expect(counts.reduce(0, +) == 6, "the five and the first")
      let long = counts.indices.filter { WaitBucket.end($0) > waited / 2 }.reduce(0) { $0 + counts[$1] }
      #expect(long >= 5, "\(counts), \(waited)")  // the first may have waited for a thread
      let ends = WaitBucket.end(counts.count - 1)
      #expect(Double(ends) * EngineFigures.secondsPerTick > 0.02, "ticks in seconds")
    }
  }

  @Test("A moment of 32 bits gives the time since, also where it begins anew, and nothing for what seems to come before")
  func moments() {
    typealias Moment = FigureSampling.Moment
    #expect(Moment.ticks(from: 5, to: 5) == 0 && Moment.ticks(from: 5, to: 6) == 1_024 && Moment.ticks(from: 6, to: 5) == 0)
    #expect(Moment.ticks(from: .max, to: 0) == 1_024 && Moment.ticks(from: .max - 1, to: 8) == 10 * 1_024)
    #expect(Moment.ticks(from: 1, to: 1 << 31) == (1 << 31 - 1) << 10 && Moment.ticks(from: 20, to: 4) == 0)
    #expect(Moment.now != 0)
  }

  @Test("Of many items one of 64 is a sample, about; items of groups and barriers among them")
  func rate() async {
    await #expect(processExitsWith: .success) {
      begin()
      let queue = counted("many"), group = DispatchGroup()
      for _ in 0..<64_000 { queue.async(group: group) {} }
      group.wait()
      let samples = figure("many")!.waits.reduce(0, +)
      // Distances from 33 to 96: 64.5 on average.
      #expect(samples > 800 && samples < 1_200, "\(samples)")
    }
  }

  @Test("A sampled item runs as any other: its closure once, its barrier alone, its captures gone afterwards")
  func unchanged() async {
    await #expect(processExitsWith: .success) {
      FigureSampling.testsOnly_takeAll(true)
      begin()
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent), group = DispatchGroup()
      let inside = Atomic64(0), ran = Count(), lives = Count()
      for number in 0..<2_000 {
        let life = Life(lives)
        queue.async(group: group, flags: number % 7 == 0 ? .barrier : []) {
          let others = inside.addSeqCst(1)
          if number % 7 == 0, others != 0 { fatalError("a barrier is not alone") }
          withExtendedLifetime(life) { _ = ran.add() }
          _ = inside.subtractSeqCst(1)
        }
      }
      group.wait()
      #expect(ran.value == 2_000 && lives.value == 2_000)
    }
  }

  @Test("Queues that come and go are counted while they are there, and figures may be read meanwhile")
  func churn() async {
    await #expect(processExitsWith: .success) {
      begin()
      let isOver = Atomic32(0)
      let reader = TestThread {
        while isOver.loadAcquire() == 0 {
          for figure in EngineFigures.queues() where figure.label.hasPrefix("of ") { precondition(figure.done <= 3) }
        }
      }
      let makers = (0..<2).map { maker in
        TestThread {
          for _ in 0..<3_000 {
            let queue = DispatchQueue(label: "of \(maker)"), group = DispatchGroup()
            for _ in 0..<3 { queue.async(group: group) {} }
            group.wait()
          }
        }
      }
      for maker in makers { maker.join() }
      isOver.storeRelease(1)
      reader.join()
      awaitState("the end of all queues") { !EngineFigures.queues().contains { $0.label.hasPrefix("of ") } }
    }
  }

  @Test("While figures are off no queue is counted; those that were stay when they go off")
  func off() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let early = DispatchQueue(label: "early"), group = DispatchGroup()
      early.async(group: group) {}
      group.wait()
      #expect(EngineFigures.queues().isEmpty && !EngineFigures.isOn)
      EngineFigures.start()
      let kept = counted("kept")
      EngineFigures.stop()
      let late = DispatchQueue(label: "late")
      for queue in [late, kept] { queue.async(group: group) {} }
      group.wait()
      #expect(figure("late") == nil && figure("kept")?.done == 2 && !EngineFigures.isOn)
    }
  }

  @Test("Instruments that run around primitives are off while figures alone are on")
  func byte() {
    for bits in 0..<UInt8.max {
      #expect((bits & ~Instruments.figures == 0) == (bits & 0x7F == 0))
    }
  }

  @Test("SIGNALBOX_FIGURES=1 counts from the first queue on; another value is reported")
  func environment() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      setenv("SIGNALBOX_FIGURES", "1", 1)
      _ = counted("by the environment")
    }
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_FIGURES", "yes", 1)
      _ = ThreadSlot.owner()
      if EngineFigures.isOn { exit(3) }
    }
    expectReport(result, saying: "SIGNALBOX_FIGURES=yes is not 0 or 1: queues are not counted")
  }
}

/// Counts its end.
private final class Life: Sendable {
  private let ends: Count
  init(_ ends: Count) { self.ends = ends }
  deinit { ends.add() }
}
