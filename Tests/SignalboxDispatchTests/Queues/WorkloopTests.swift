// WorkloopTests.swift: workloops: the most urgent first, order among equals, nothing lost however submitted.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Workloops", .timeLimit(.minutes(10))) struct WorkloopTests {
  /// What ran, in order. SAFETY: written by items of one workloop only, read after they have ended.
  private final class Log: @unchecked Sendable { var entries: [Int] = [] }

  private func item(_ qos: DispatchQoS, _ body: @escaping @Sendable () -> Void) -> DispatchWorkItem {
    DispatchWorkItem(qos: qos, block: body)
  }

  @Test("Thousands of pending items run by class, and in order in each class")
  func byClass() {
    let loop = DispatchWorkloop(label: "many", attributes: .initiallyInactive)
    let log = Log()
    let classes: [DispatchQoS] = [.background, .utility, .default, .userInitiated, .userInteractive]
    for number in 0..<5_000 {
      loop.async(execute: item(classes[number % 5]) { log.entries.append(number) })
    }
    loop.activate()
    loop.asyncAndWait(execute: item(.background) {})
    let expected = (0..<5).reversed().flatMap { rank in (0..<1_000).map { $0 * 5 + rank } }
    let isOrdered = log.entries == expected  // compared here: a failure would print them all
    #expect(isOrdered)
  }

  /// The ways to submit a closure with a class of its own.
  enum Way: CaseIterable { case async, inGroup, barrier, after, afterOnWall, groupEnd, itemEnd }

  @Test("A closure keeps its class, whichever call submits it", arguments: Way.allCases)
  func closures(way: Way) {
    let loop = DispatchWorkloop(label: "closures", attributes: .initiallyInactive)
    let log = Log()
    let group = DispatchGroup()
    let done = DispatchWorkItem {}
    done.perform()
    for (number, qos) in [DispatchQoS.background, .userInteractive, .utility, .unspecified].enumerated() {
      let body: @Sendable () -> Void = { log.entries.append(number) }
      switch way {
      case .async: loop.async(qos: qos, execute: body)
      case .inGroup: loop.async(group: group, qos: qos, execute: body)
      case .barrier: loop.async(qos: qos, flags: .barrier, execute: body)
      case .after: loop.asyncAfter(deadline: .now(), qos: qos, execute: body)
      case .afterOnWall: loop.asyncAfter(wallDeadline: .now(), qos: qos, execute: body)
      case .groupEnd: group.notify(qos: qos, queue: loop, execute: body)
      case .itemEnd: done.notify(qos: qos, queue: loop, execute: body)
      }
    }
    loop.activate()
    loop.asyncAndWait(execute: item(.background) {})
    #expect(log.entries == [1, 3, 2, 0])
  }

  @Test("A closure keeps its class and rank while a timer holds it, and is destroyed if it never runs")
  func closuresKept() {
    let queue = DispatchQueue(label: "kept")
    weak var gone: Count?
    do {
      let count = Count()
      gone = count
      queue.asyncAfter(deadline: .distantFuture, qos: .utility) { count.add() }
    }
    #expect(gone == nil)
    var node = ItemNode()
    node.qos = DispatchQoS(qosClass: .utility, relativePriority: -7)
    #expect(node.qos == DispatchQoS(qosClass: .utility, relativePriority: -7))
    #expect(MemoryLayout<ItemNode>.size <= 32)
  }

  @Test("An item submitted between two others is considered before the next")
  func meanwhile() {
    let loop = DispatchWorkloop(label: "meanwhile")
    let log = Log()
    let gate = DispatchSemaphore(value: 0)
    loop.async { gate.wait() }
    loop.async(execute: item(.background) { log.entries.append(3) })
    loop.async(
      execute: item(.utility) {
        log.entries.append(1)
        loop.async(execute: DispatchWorkItem(qos: .userInteractive) { log.entries.append(2) })
      })
    gate.signal()
    loop.asyncAndWait(execute: item(.background) {})
    #expect(log.entries == [1, 2, 3])
  }

  @Test("Queues that target a workloop are ordered among each other, and keep their own order")
  func targetingQueues() {
    let loop = DispatchWorkloop(label: "target", attributes: .initiallyInactive)
    let log = Log()
    let slow = DispatchQueue(label: "slow", qos: .background, target: loop)
    let quick = DispatchQueue(label: "quick", qos: .userInitiated, target: loop)
    for number in 0..<10 { slow.async { log.entries.append(100 + number) } }
    for number in 0..<10 { quick.async { log.entries.append(number) } }
    loop.activate()
    slow.sync {}
    quick.sync {}
    #expect(log.entries == Array(0..<10) + Array(100..<110))
  }

  @Test(
    "Many threads submit, wait, sync through queues, suspend and resume: every item runs once, one at a time", arguments: 1...3)
  func storm(_ round: Int) {
    let loop = DispatchWorkloop(label: "storm")
    let queues = (0..<3).map { DispatchQueue(label: "inner \($0)", target: loop) }
    let wide = DispatchQueue(label: "wide", attributes: .concurrent, target: loop)
    let (ran, inside) = (Count(), Count())
    let body: @Sendable () -> Void = {
      #expect(inside.add() == 1)
      ran.add()
      inside.add(~0)
    }
    let (threads, turns) = (6, 1_000)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for turn in 0..<turns {
        switch (turn &+ thread) % 8 {
        case 0: loop.asyncAndWait(execute: body)
        case 1: queues[turn % 3].sync(execute: body)
        case 2: queues[turn % 3].async(execute: body)
        case 3: wide.async(flags: .barrier, execute: body)
        case 4: loop.async(execute: DispatchWorkItem(qos: .userInteractive, block: body))
        case 5: loop.async(execute: DispatchWorkItem(qos: .background, block: body))
        case 6:
          loop.suspend()
          loop.async(execute: body)
          loop.resume()
        default: loop.async(execute: body)
        }
      }
    }
    #expect(eventually { ran.value == UInt64(threads * turns) }, "\(ran.value)")
  }

  @Test("A workloop is freed when its items have run, with what they captured")
  func freed() {
    final class Captured: Sendable {
      let gone: Count
      init(_ gone: Count) { self.gone = gone }
      deinit { gone.add() }
    }
    let gone = Count()
    weak var weakLoop: DispatchWorkloop?
    do {
      let loop = DispatchWorkloop(label: "freed")
      weakLoop = loop
      for _ in 0..<200 {
        let captured = Captured(gone)
        loop.async { withExtendedLifetime(captured) {} }
      }
    }
    #expect(eventually { gone.value == 200 })
    #expect(eventually { weakLoop == nil })
  }

  @Test("A sync onto a workloop stops the program")
  func sync() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      DispatchWorkloop(label: "loop").sync {}
    }
    expectStop(result, saying: "sync onto workloop \"loop\"")
  }
}

@Suite("Queues of run loops", .timeLimit(.minutes(10))) struct RunLoopQueueTests {
  @Test("Items run one for each perform, on the performing thread, and are lost nowhere")
  func performed() {
    let queue = RunLoopQueue(label: "loop")
    let inner = DispatchQueue(label: "inner", target: queue)
    let ran = Count()
    for _ in 0..<10 { queue.async { ran.add() } }
    #expect(queue.perform() && ran.value == 1)
    while queue.perform() {}
    #expect(ran.value == 10)
    // Submitted from elsewhere while this thread performs.
    let threads = 4
    let helpers = DispatchGroup()
    for thread in 0..<threads {
      DispatchQueue.global().async(group: helpers) {
        for turn in 0..<500 {
          switch (thread + turn) % 3 {
          case 0: queue.async { ran.add() }
          case 1: inner.async { ran.add() }
          default: inner.sync { _ = ran.add() }
          }
        }
      }
    }
    #expect(
      eventually {
        _ = queue.perform()
        return ran.value == UInt64(10 + threads * 500)
      })
    helpers.wait()
    queue.handleIsReleased()
  }

  @Test("Performing from inside an item runs the next one there")
  func nested() {
    let queue = RunLoopQueue(label: "loop")
    let (ran, insideBefore, insideAfter) = (Count(), Count(), Count())
    queue.async {
      insideBefore.value = ran.value
      for _ in 0..<2 { queue.async { ran.add() } }
      #expect(queue.perform() && !queue.perform() && !queue.perform())
      insideAfter.value = ran.value
    }
    #expect(!queue.perform())
    #expect(insideBefore.value == 0 && insideAfter.value == 2 && ran.value == 2)
    queue.handleIsReleased()
  }

  @Test("After the last handle what is pending, and what comes, runs on the pool; the queue is freed")
  func abandoned() {
    let ran = Count()
    weak var weakQueue: RunLoopQueue?
    do {
      let queue = RunLoopQueue(label: "abandoned")
      weakQueue = queue
      queue.async { ran.add() }
      queue.handleIsRetained()
      queue.handleIsReleased()
      queue.async { ran.add() }
      #expect(ran.value == 0)
      queue.handleIsReleased()
      #expect(eventually { ran.value == 2 })
      queue.async { ran.add() }
      #expect(eventually { ran.value == 3 })
      #expect(queue.sync { 4 } == 4)
    }
    #expect(eventually { weakQueue == nil })
  }
}
