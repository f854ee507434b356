// SerialExecutorTests.swift: actors on serial queues: isolation with items and `sync`, order, lifetimes, the main queue.
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import SignalboxView
import Testing

@testable import SignalboxDispatch

/// An actor on a queue, which counts without any lock, and notes what is done to it.
actor Counter {
  let queue: DispatchQueue
  private(set) var count = 0
  private(set) var log: [Int] = []
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(on queue: DispatchQueue) { self.queue = queue }

  func add() { count += 1 }
  func note(_ number: Int) { log.append(number) }
  /// The label of the queue that runs the actor, and whether that is the actor's, alone.
  func place() -> (label: String?, isAlone: Bool) { (DispatchQueue.currentLabel, queue.isCurrentAlone) }
  /// Runs `body`, then another actor's method, then says so.
  func run(_ body: @Sendable () -> Void, then other: Counter) async {
    body()
    await other.note(2)
  }
}

@Suite("Serial queues as executors of actors", .timeLimit(.minutes(10))) struct SerialExecutorTests {
  /// The kinds of queues that may be.
  enum Kind: CaseIterable {
    case serial, typed, workloop, onSerial, onConcurrent
    func queue(_ label: String) -> DispatchQueue {
      switch self {
      case .serial: DispatchQueue(label: label)
      case .typed: DispatchSerialQueue(label: label)
      case .workloop: DispatchWorkloop(label: label)
      case .onSerial: DispatchQueue(label: label, target: DispatchQueue(label: "below"))
      case .onConcurrent: DispatchQueue(label: label, target: DispatchQueue(label: "below", attributes: .concurrent))
      }
    }
  }

  @Test("An actor's jobs run in turns of its queue", arguments: Kind.allCases) func place(_ kind: Kind) async {
    let counter = Counter(on: kind.queue("place"))
    for _ in 0..<100 {
      let place = await counter.place()
      #expect(place.label == "place")
      #expect(place.isAlone)
    }
  }

  @Test("Jobs, items and sync of one queue never run at the same time", arguments: Kind.allCases)
  func isolation(_ kind: Kind) async {
    let counter = Counter(on: kind.queue("isolation"))
    let queue = counter.queue
    let rounds = 2_000
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<rounds { await counter.add() } } }
    }
    let threads = (0..<2).map { _ in
      TestThread {
        for _ in 0..<rounds {
          queue.async { counter.assumeIsolated { $0.add() } }
          // A workloop has no sync.
          queue.asyncAndWait { counter.assumeIsolated { $0.add() } }
          if kind != .workloop { queue.sync { counter.assumeIsolated { $0.add() } } }
        }
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<rounds { await counter.add() } } }
    }
    for thread in threads { thread.join() }
    let perThread = kind == .workloop ? 2 : 3
    // The items that were submitted last lie before this job.
    #expect(await counter.count == 8 * rounds + 2 * perThread * rounds)
  }

  @Test("Jobs keep their place among the items of the queue") func order() async {
    let queue = DispatchQueue(label: "order", attributes: .initiallyInactive)
    let counter = Counter(on: queue)
    queue.async { counter.assumeIsolated { $0.note(0) } }
    let first = Task.immediate { await counter.note(1) }
    queue.async { counter.assumeIsolated { $0.note(2) } }
    let second = Task.immediate { await counter.note(3) }
    queue.activate()
    await first.value
    await second.value
    #expect(await counter.log == [0, 1, 2, 3])
  }

  @Test("Actors on one queue call one another without a new turn") func shared() async {
    let queue = DispatchQueue(label: "shared")
    let (one, other) = (Counter(on: queue), Counter(on: queue))
    await one.run({ queue.async { other.assumeIsolated { $0.note(3) } } }, then: other)
    // The task may still be in the actor's turn, and read the log before the item has run.
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    #expect(await other.log == [2, 3])
  }

  @Test("A workloop takes the most urgent job next") func priorities() async {
    let queue = DispatchWorkloop(label: "urgent", attributes: .initiallyInactive)
    let counter = Counter(on: queue)
    let priorities: [TaskPriority] = [.background, .low, .high, .medium]
    let tasks = priorities.enumerated().map { number, priority in
      Task.immediate(priority: priority) { await counter.note(number) }
    }
    queue.activate()
    for number in [2, 3, 1, 0] { await tasks[number].value }
    #expect(await counter.log == [2, 3, 1, 0])
  }

  @Test("Whether code is isolated is known in items, sync, and queues that target the actor's") func context() async {
    let queue = DispatchQueue(label: "inner")
    let counter = Counter(on: queue)
    #expect(queue.isIsolatingCurrentContext() == nil, "outside")
    queue.sync {
      #expect(queue.isIsolatingCurrentContext() == true)
      counter.preconditionIsolated()
    }
    let above = DispatchQueue(label: "above", target: queue)
    above.sync { counter.assertIsolated() }
    above.asyncAndWait { #expect(counter.assumeIsolated { _ in true }) }
    let beside = DispatchQueue(label: "beside", attributes: .concurrent)
    beside.sync(flags: .barrier) { #expect(beside.isIsolatingCurrentContext() == nil, "a concurrent queue isolates nobody") }
    // A queue that isolates no code is asked without harm.
    DispatchQueue(label: "other").sync { #expect(queue.isIsolatingCurrentContext() == nil) }
  }

  @Test("The main queue is the main actor's executor") func mainQueue() async {
    func words(_ executor: UnownedSerialExecutor) -> (UInt, UInt) { unsafeBitCast(executor, to: (UInt, UInt).self) }
    let (ours, theirs) = (words(DispatchQueue.main.asUnownedSerialExecutor()), words(MainActor.sharedUnownedExecutor))
    #expect(ours == theirs)
    let counter = Counter(on: .main)
    #expect(await counter.place() == ("com.apple.main-thread", true))
    await MainActor.run {
      counter.assumeIsolated { $0.add() }
      #expect(DispatchQueue.main.isIsolatingCurrentContext() == true)
    }
    #expect(await counter.count == 1)
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { continuation.resume() }
      }
    }
  }

  @Test("What a stopped queue holds is named") func names() async {
    let queue = DispatchQueue(label: "stopped", attributes: .initiallyInactive)
    let counter = Counter(on: queue)
    let job = Task.immediate { await counter.add() }
    let task = Task(executorPreference: queue) {}
    var held: [RunningItem] = []
    queue.itemsOfOwnTurn().forEach { held.append(ItemReader.own.pending($0) ?? RunningItem()) }
    #expect(held.map(\.kind) == ["a job of an actor", "a job of a task"])
    let images = MappedImages()
    let own = images.place(of: UInt(bitPattern: #dsohandle))?.image
    #expect(own != nil)
    for item in held {
      #expect(([item.function] + item.inner).contains { images.place(of: $0)?.image == own }, "where it goes on")
    }
    queue.activate()
    await job.value
    await task.value
  }

  @Test("A queue and its actor go with the last job") func lifetimes() async {
    for _ in 0..<500 {
      weak var queue: DispatchQueue?
      do {
        let counter = Counter(on: DispatchQueue(label: "short"))
        queue = counter.queue
        Task.immediate { await counter.add() }
      }
      #expect(await eventuallyYielding { queue == nil })
    }
  }

  @Test("Thousands of jobs hop between actors on many queues, and none is lost") func stress() async {
    let below = DispatchQueue(label: "below")
    let counters = (0..<16).map { Counter(on: DispatchQueue(label: "queue \($0)", target: $0 % 4 == 0 ? below : nil)) }
    await withTaskGroup(of: Void.self) { group in
      for start in 0..<32 {
        group.addTask {
          for step in 0..<200 { await counters[(start + step * 7) % counters.count].add() }
        }
      }
    }
    var sum = 0
    for counter in counters { sum += await counter.count }
    #expect(sum == 32 * 200)
  }
}
