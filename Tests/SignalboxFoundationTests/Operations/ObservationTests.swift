// ObservationTests.swift: observers of operations and queues: what they get, when, in which order, until when.
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Observers of operations and operation queues") struct ObservationTests {
  private static func text<Value>(_ change: NSKeyValueObservedChange<Value>) -> String {
    func word(_ value: Value?) -> String { value.map { "\($0)" } ?? "-" }
    return "\(change.isPrior ? "prior " : "")\(word(change.oldValue))>\(word(change.newValue))"
  }

  @Test("An observer gets the states of one operation in order, with old and new values")
  func states() {
    let log = Box<[String]>([])
    let job = Job()
    let tokens = [
      job.observe(\.isExecuting, options: [.old, .new]) { _, change in log.with { $0.append("executing \(Self.text(change))") }
      },
      job.observe(\.isFinished, options: [.old, .new]) { job, change in
        log.with { $0.append("finished \(Self.text(change)) \(job.isFinished)") }
      },
    ]
    job.start()
    #expect(log.now == ["executing false>true", "executing true>false", "finished false>true true"])
    _ = tokens
  }

  @Test("Initial and prior values come only where they are asked for")
  func options() {
    let log = Box<[String]>([])
    let job = Job()
    let all = job.observe(\.isCancelled, options: [.initial, .prior, .old, .new]) { _, change in
      log.with { $0.append(Self.text(change)) }
    }
    let plain = job.observe(\.isCancelled) { _, change in log.with { $0.append("plain \(Self.text(change))") } }
    #expect(log.now == ["->false"])
    job.cancel()
    job.cancel()
    #expect(log.now == ["->false", "prior false>-", "false>true", "plain ->-"])
    _ = (all, plain)
  }

  @Test("Changes of overridden properties are announced by the subclass's own calls, by name and by key path")
  func overridden() {
    let log = Box<[String]>([])
    let operation = OwnState()
    let tokens = [
      operation.observe(\.isExecuting, options: [.old, .new]) { _, change in
        log.with { $0.append("executing \(Self.text(change))") }
      },
      operation.observe(\.isFinished, options: [.old, .new]) { operation, change in
        log.with { $0.append("finished \(Self.text(change)) \(operation.isAsynchronous)") }
      },
    ]
    operation.start()
    operation.finish()
    #expect(log.now == ["executing false>true", "executing true>false", "finished false>true true"])
    operation.willChangeValue(for: \.isFinished)
    operation.didChangeValue(for: \.isFinished)
    #expect(log.now.last == "finished true>true true")
    operation.didChangeValue(forKey: "isFinnished")
    #expect(log.now.count == 4)
    _ = tokens
  }

  private final class Download: OwnState, @unchecked Sendable {
    private let count = Box(0)
    var received: Int {
      get { count.now }
      set {
        willChangeValue(forKey: "received")
        count.with { $0 = newValue }
        didChangeValue(forKey: "received")
      }
    }
  }

  @Test("An observation by the subclass's key path gets real changes")
  func subclassKeyPath() {
    let log = Box<[String]>([])
    let download = Download()
    let token = download.observe(\Download.isFinished, options: [.old, .new]) { _, change in
      log.with { $0.append(Self.text(change)) }
    }
    download.start()
    #expect(log.now.isEmpty)
    download.finish()
    #expect(log.now == ["false>true"])
    _ = token
  }

  @Test("Readiness is lost by a dependency, and comes back by its end, its removal, or a cancel")
  func readiness() {
    let log = Box<[String]>([])
    let job = Job()
    let token = job.observe(\.isReady, options: [.old, .new]) { _, change in log.with { $0.append(Self.text(change)) } }
    let (first, second) = (Job(), Job())
    job.addDependency(first)
    job.addDependency(second)
    first.start()
    #expect(log.now == ["true>false"])
    job.removeDependency(second)
    #expect(log.now == ["true>false", "false>true"])
    job.addDependency(Job())
    job.cancel()
    #expect(log.now == ["true>false", "false>true", "true>false", "false>true"])
    _ = token
  }

  @Test("An observation ends with its token, by hand or by itself, and does not keep the operation")
  func ends() {
    let log = Box(0)
    weak var gone: Job?
    do {
      let job = Job()
      gone = job
      let first = job.observe(\.name) { _, _ in log.with { $0 += 1 } }
      do {
        let second = job.observe(\.name) { _, _ in log.with { $0 += 10 } }
        job.name = "one"
        _ = second
      }
      job.name = "two"
      first.invalidate()
      job.name = "three"
    }
    #expect(log.now == 12)
    #expect(gone == nil)
  }

  @Test("Observers are called in the order in which they began, before the completion block")
  func order() {
    let log = Box<[Int]>([])
    let job = Job()
    job.completionBlock = { log.with { $0.append(9) } }
    let tokens = (0..<4).map { index in job.observe(\.isFinished) { _, _ in log.with { $0.append(index) } } }
    job.start()
    #expect(eventually { log.now.count == 5 })
    #expect(log.now == [0, 1, 2, 3, 9])
    _ = tokens
  }

  @Test("An observer may wait for the operation that it hears of")
  func waitInside() {
    let job = Job()
    let token = job.observe(\.isFinished) { job, _ in wait(for: job) }
    job.start()
    #expect(job.isFinished)
    _ = token
  }

  @Test("A queue's count, operations, suspension, limit and name can be observed")
  func queue() {
    let log = Box<[String]>([])
    let queue = OperationQueue()
    queue.isSuspended = true
    let tokens = [
      queue.observe(\.operationCount, options: [.old, .new]) { _, change in log.with { $0.append("count \(Self.text(change))") }
      },
      queue.observe(\.operations, options: [.new]) { _, change in
        log.with { $0.append("operations \(change.newValue!.count)") }
      },
      queue.observe(\.isSuspended, options: [.old, .new]) { _, change in
        log.with { $0.append("suspended \(Self.text(change))") }
      },
      queue.observe(\.maxConcurrentOperationCount, options: [.old, .new]) { _, change in
        log.with { $0.append("limit \(Self.text(change))") }
      },
    ]
    queue.addOperation {}
    queue.maxConcurrentOperationCount = 3
    #expect(log.now == ["count 0>1", "operations 1", "limit -1>3"])
    queue.isSuspended = false
    waitUntilEmpty(queue)
    #expect(eventually { log.now.count == 6 })
    #expect(Set(log.now.suffix(3)) == ["suspended true>false", "count 1>0", "operations 0"])
    _ = tokens
  }

  @Test("Every change on many threads is observed")
  func manyThreads() {
    let count = Box(0)
    let queue = OperationQueue()
    let jobs = (0..<200).map { _ in Job() }
    let tokens = jobs.map {
      $0.observe(\.isFinished, options: [.old, .new]) { _, change in
        if change.oldValue == false, change.newValue == true { count.with { $0 += 1 } }
      }
    }
    for job in jobs { queue.addOperation(job) }
    waitUntilEmpty(queue)
    #expect(count.now == 200)
    _ = tokens
  }

  @Test("An observer may end itself and others and begin new ones, and none is called after its end or before its beginning")
  func changedInside() {
    let log = Box<[String]>([])
    let tokens = Box<[String: NSKeyValueObservation]>([:])
    let job = Job()
    func observe(_ name: String, _ body: @escaping (Job) -> Void = { _ in }) {
      let token = job.observe(\.name) { job, _ in
        log.with { $0.append(name) }
        body(job)
      }
      tokens.with { $0[name] = token }
    }
    observe("once") { _ in
      let own = tokens.with { $0.removeValue(forKey: "once") }
      _ = consume own
    }
    observe("ends") { _ in tokens.with { $0["ended"] }?.invalidate() }
    observe("ended")
    observe("begins") { job in
      if tokens.with({ $0["new"] == nil }) {
        let token = job.observe(\.name) { _, _ in log.with { $0.append("new") } }
        tokens.with { $0["new"] = token }
      }
    }
    job.name = "first"
    #expect(log.now == ["once", "ends", "begins"])
    job.name = "second"
    #expect(log.now == ["once", "ends", "begins", "ends", "begins", "new"])
  }

  @Test("An observer may change the property it hears of, and cancel or finish the operation")
  func acts() {
    let log = Box<[String]>([])
    let operation = OwnState()
    let tokens = [
      operation.observe(\.name, options: [.new]) { operation, change in
        log.with { $0.append("name \(Self.text(change))") }
        if operation.name == "one" { operation.name = "two" }
      },
      operation.observe(\.isExecuting) { operation, _ in
        if operation.isExecuting { operation.finish() }
      },
      operation.observe(\.isFinished) { operation, _ in
        log.with { $0.append("finished") }
        operation.cancel()
      },
    ]
    operation.name = "one"
    #expect(log.now.count == 2 && log.now.allSatisfy { $0.contains("two") || $0.contains("one") })
    let queue = OperationQueue()
    queue.addOperation(operation)
    waitUntilEmpty(queue)
    #expect(log.now.last == "finished" && log.now.count == 3)
    #expect(!operation.isExecuting)
    _ = tokens
  }

  @Test("A queue's observer may add operations, and end itself")
  func queueActs() {
    let queue = OperationQueue()
    let added = Box(0)
    let token = Box<NSKeyValueObservation?>(nil)
    let made = queue.observe(\.operationCount) { queue, _ in
      let isLast = added.with { added in
        added += 1
        return added == 5
      }
      if isLast { token.with { $0 = nil } } else if added.now < 5 { queue.addOperation {} }
    }
    token.with { $0 = made }
    queue.addOperation {}
    waitUntilEmpty(queue)
    #expect(eventually { added.now >= 5 })
  }
}
