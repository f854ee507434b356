// CustomOperationScenarios.swift: subclasses of Operation as the articles write them, with a state of their own or without.
import SignalboxFoundation

private func end(_ operations: [Operation]) { for operation in operations { operation.waitUntilFinished() } }

enum CustomOperationScenarios {
  static let all: [Scenario] = [
    Scenario(
      "operation-main-only", "A subclass that overrides main() alone", .operations, "D2",
      article:
        "enough for synchronous work; without an own start() it is finished as soon as main() returns, even if work goes on",
      documents: "the default start() marks the operation as finished when main() returns"
    ) { lab in
      let open = Gate(), ended = Gate()
      let operation = MainOnly {
        DispatchQueue.global().async {
          open.pass()
          lab.note("the work ends")
          ended.open()
        }
      }
      let queue = OperationQueue()
      queue.addOperations([operation], waitUntilFinished: true)
      lab.note("finished \(operation.isFinished)")
      open.open()
      ended.pass()
      lab.expectOrder("finished true", "the work ends")
      return lab.order()
    },
    Scenario(
      "operation-asynchronous", "start, isExecuting and isFinished overridden", .operations, "D2",
      article: "the subclass says itself when it is finished, between willChangeValue and didChangeValue",
      documents: "an asynchronous operation announces changes of isExecuting and isFinished, and dependents go by it"
    ) { lab in
      let begun = Gate()
      let operation = Asynchronous { begun.open() }
      let after = BlockOperation { lab.note("the next one") }
      after.addDependency(operation)
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.addOperations([operation, after], waitUntilFinished: false)
      begun.pass()
      lab.expect(operation.isExecuting && !after.isReady, "executing, and the next one waits")
      lab.note("the subclass says that it is finished")
      operation.finish()
      end([after])
      lab.expectOrder("the subclass says that it is finished", "the next one")
      return lab.order()
    },
    Scenario(
      "operation-detached-main", "start detaches a thread for main; one key is misspelt", .notes, "D2",
      article:
        "start announces \"isExcuting\", detaches a thread that runs main, which counts down and then announces both changes",
      documents: "names of properties that nobody observes have no effect; isFinished is what queues go by",
      errs: "the misspelt key reports to nobody that it executes; that it is finished is reported correctly"
    ) { lab in
      let operation = CountDown(from: 5, lab), completed = Gate()
      operation.completionBlock = { completed.open() }
      let queue = OperationQueue()
      queue.addOperations([operation], waitUntilFinished: true)
      completed.pass()
      lab.expectThreads("thread") { $0.hasPrefix("left") }
      lab.expect(lab.texts.filter { $0.hasPrefix("left") }.count == 5, "five steps", lab.order())
      lab.expect(operation.isFinished && !operation.isExecuting, "finished")
      return lab.order()
    },
    Scenario(
      "operation-cancelled-custom", "Cancelled before its turn", .survey, "D1, D2",
      article: "start checks isCancelled first, and if so says that it is finished without working",
      documents: "start() must move a cancelled operation to finished, and what depends on it becomes ready then"
    ) { lab in
      let queue = OperationQueue()
      queue.isSuspended = true
      let operation = Asynchronous { lab.note("never") }
      let after = BlockOperation { lab.note("the next one") }
      after.addDependency(operation)
      queue.addOperations([operation, after], waitUntilFinished: false)
      operation.cancel()
      queue.isSuspended = false
      end([operation, after])
      lab.expect(lab.texts == ["the next one"], "the next one only", lab.order())
      return "finished without work; " + lab.order()
    },
  ]

  private final class MainOnly: Operation, @unchecked Sendable {
    // SAFETY of @unchecked: constant.
    private let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) {
      self.work = work
      super.init()
    }
    override func main() { work() }
  }

  private final class Asynchronous: Operation, @unchecked Sendable {
    // SAFETY of @unchecked: a constant, and boxes with locks of their own.
    private let work: @Sendable () -> Void
    private let executing = Box(false), finished = Box(false)
    init(_ work: @escaping @Sendable () -> Void) {
      self.work = work
      super.init()
    }
    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { executing.value }
    override var isFinished: Bool { finished.value }
    override func start() {
      if isCancelled { return finish() }
      set("isExecuting", executing, true)
      work()
    }
    func finish() {
      if isExecuting { set("isExecuting", executing, false) }
      set("isFinished", finished, true)
    }
    private func set(_ key: String, _ box: Box<Bool>, _ value: Bool) {
      willChangeValue(forKey: key)
      box.value = value
      didChangeValue(forKey: key)
    }
  }

  private final class CountDown: Operation, @unchecked Sendable {
    // SAFETY of @unchecked: constants, and boxes with locks of their own.
    private let executing = Box(false), finished = Box(false), left: Counter
    private let lab: Recorder
    init(from count: Int, _ lab: Recorder) {
      left = Counter(count)
      self.lab = lab
      super.init()
    }
    override var isConcurrent: Bool { true }
    override var isExecuting: Bool { executing.value }
    override var isFinished: Bool { finished.value }
    override func start() {
      willChangeValue(forKey: "isExcuting")
      _ = lab.thread { self.main() }
      executing.value = true
      didChangeValue(forKey: "isExcuting")
    }
    override func main() {
      while !isCancelled && !isFinished {
        let rest = left.add(-1)
        lab.note("left \(rest)")
        if rest == 0 { complete() }
      }
    }
    private func complete() {
      willChangeValue(forKey: "isFinished")
      willChangeValue(forKey: "isExecuting")
      executing.value = false
      finished.value = true
      didChangeValue(forKey: "isExecuting")
      didChangeValue(forKey: "isFinished")
    }
  }
}
