// ReentryStorms.swift: handlers that use, from within, what called them: workloops, observers of operations, notifications.
import Foundation
import SignalboxFoundation
import SignalboxTestSupport
import Testing

private typealias Operation = SignalboxFoundation.Operation
private typealias OperationQueue = SignalboxFoundation.OperationQueue
private typealias BlockOperation = SignalboxFoundation.BlockOperation

// SAFETY of @unchecked: the lock guards the array; a token is only handed from one thread to another.
/// Tokens of observers, which several threads add and take.
private final class Tokens<Token>: @unchecked Sendable {
  private let lock = NSLock()
  private var tokens: [Token] = []
  func add(_ added: Token...) { lock.withLock { tokens += added } }
  func takeOne() -> Token? { lock.withLock { tokens.popLast() } }
  /// Tokens are destroyed, and observations end, outside of the lock.
  func removeAll() {
    let old = lock.withLock {
      defer { tokens = [] }
      return tokens
    }
    _ = consume old
  }
}

extension StressTests {
  @Suite("Handlers that use from within what called them", .serialized) struct ReentryStorms {
    private static let classes: [DispatchQoS] = [.background, .utility, .default, .userInitiated, .userInteractive]

    /// Items of a workloop and of queues that target it submit further ones, of other classes, to all of them.
    @Test("Items of a workloop that submit to it and to the queues before it all run, one at a time")
    func workloops() {
      let workloop = DispatchWorkloop(label: "storm")
      let queues: [DispatchQueue] =
        [workloop] + Self.classes.map { DispatchQueue(label: "before", qos: $0, target: workloop) }
      let (guarded, ran, submitted) = (Plain(), Tally(), Tally())
      @Sendable func submit(_ random: SeededRandom, _ depth: Int) {
        var random = random
        let queue = random.pick(queues), inner = random.fork()
        let item = DispatchWorkItem(qos: random.pick(Self.classes), flags: random.once(in: 2) ? .enforceQoS : []) {
          guarded.value += 1
          ran.add()
          if depth < 3 { for _ in 0..<2 { submit(inner, depth + 1) } }
        }
        submitted.add()
        if depth == 0, random.once(in: 4) { queue.asyncAndWait(execute: item) } else { queue.async(execute: item) }
      }
      inTime("workloops", threads: 4) { number in
        var random = Settings.random(number)
        for _ in 0..<60 * Settings.scale {
          submit(random.fork(), 0)
          if random.once(in: 10) {
            workloop.suspend()
            submit(random.fork(), 1)
            workloop.resume()
          }
        }
      }
      Watch("workloops") { ["\(ran.value) of \(submitted.value) items have run"] }.wait { ran.value == submitted.value }
      let all = Plain()
      workloop.asyncAndWait { all.value = guarded.value }
      #expect(all.value == submitted.value)
    }

    /// Observers cancel, add, observe and stop observing while the change that called them is still being reported.
    @Test("Observers that change what they observe, and operations beside it, keep no operation from its one end")
    func observers() {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 3
      let (made, ended) = (Tally(), Tally())
      let tokens = Tokens<NSKeyValueObservation>()
      @Sendable func add(_ random: SeededRandom, _ depth: Int) {
        var random = random
        let operation = BlockOperation {}
        let other = BlockOperation {}
        for one in [operation, other] {
          made.add()
          one.completionBlock = { ended.add() }
        }
        if random.once(in: 2) { other.addDependency(operation) }
        let (inner, deed) = (random.fork(), random.pick(0...5))
        let token = operation.observe(\.isExecuting, options: [.new]) { operation, _ in
          switch deed {
          case 0: operation.cancel()
          case 1: other.cancel()
          case 2: if depth < 3 { add(inner, depth + 1) }
          case 3: other.queuePriority = .high
          case 4: tokens.removeAll()
          default: tokens.add(other.observe(\.isFinished) { other, _ in other.cancel() })
          }
        }
        let ready = other.observe(\.isReady) { other, _ in if deed == 5 { other.queuePriority = .low } }
        let last = operation.observe(\.isFinished) { operation, _ in
          operation.cancel()
          if deed == 2, depth < 2 { add(inner, depth + 2) }
        }
        tokens.add(token, ready, last)
        queue.addOperations([other, operation], waitUntilFinished: false)
      }
      inTime("observers", threads: 3) { number in
        var random = Settings.random(number)
        for _ in 0..<80 * Settings.scale { add(random.fork(), 0) }
      }
      inTime("the last operations") { queue.waitUntilAllOperationsAreFinished() }
      Watch("observers") { ["\(ended.value) of \(made.value) operations have ended"] }.wait { ended.value == made.value }
      tokens.removeAll()
      #expect(ended.value == made.value)
    }

    /// Observers of a notification post it again, add observers and remove themselves, on several threads.
    @Test("Observers that post, add and remove from within are called once for each post, while they are there")
    func notifications() {
      let center = NotificationCenter()
      let name = Notification.Name("storm"), inner = Notification.Name("from within")
      let (posts, heard, fromWithin, heardWithin) = (Tally(), Tally(), Tally(), Tally())
      let passing = Tokens<any NSObjectProtocol>()
      let steady = center.addObserver(forName: name, object: nil, queue: nil) { _ in
        if heard.add() % 3 == 0 {
          fromWithin.add()
          center.post(name: inner, object: nil)
        }
      }
      let within = center.addObserver(forName: inner, object: nil, queue: nil) { _ in
        if heardWithin.add() % 2 == 0 {
          let token = center.addObserver(forName: inner, object: nil, queue: nil) { _ in }
          passing.add(token)
        } else if let token = passing.takeOne() {
          center.removeObserver(token)
        }
      }
      inTime("notifications", threads: 4) { _ in
        for _ in 0..<500 * Settings.scale {
          posts.add()
          center.post(name: name, object: nil)
        }
      }
      while let token = passing.takeOne() { center.removeObserver(token) }
      for token in [steady, within] { center.removeObserver(token) }
      center.post(name: name, object: nil)
      #expect(heard.value == posts.value)
      #expect(heardWithin.value == fromWithin.value)
    }

    /// A handler leaves the next notification with the queue that is posting, in each of the three styles by turns.
    @Test("Notifications that a handler enqueues while its queue posts are posted, each once")
    func notificationQueue() {
      let heard = Tally(), most = 2_000 * Settings.scale
      inTime("notification queue") {
        let center = NotificationCenter()
        let name = Notification.Name("queued")
        // SAFETY: the queue calls its handlers on this thread, and no other thread has it.
        nonisolated(unsafe) let queue = SignalboxFoundation.NotificationQueue(notificationCenter: center)
        let styles: [Foundation.NotificationQueue.PostingStyle] = [.asap, .whenIdle, .now]
        @Sendable func enqueue(_ number: Int) {
          queue.enqueue(
            Notification(name: name, object: number as NSNumber), postingStyle: styles[number % 3], coalesceMask: [],
            forModes: nil)
        }
        let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in
          let number = heard.add()
          if number < most { enqueue(number) }
        }
        let loop = SignalboxFoundation.RunLoop.current
        let keeper = SignalboxFoundation.Timer(timeInterval: 1_000, repeats: true) { _ in }
        loop.add(keeper, forMode: .default)
        enqueue(0)
        while heard.value < most { _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
        _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        keeper.invalidate()
        center.removeObserver(token)
      }
      #expect(heard.value == most)
    }
  }
}
