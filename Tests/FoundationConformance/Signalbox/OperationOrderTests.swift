// OperationOrderTests.swift: which of several ready operations starts first: by priority, then adding, whenever it became ready.
import Testing

/// A queue with one place that starts nothing yet, and what its operations log.
private struct Line {
  let queue = OperationQueue()
  let log = Recorder<String>()
  init() {
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
  }
  func make(_ name: String, _ priority: Operation.QueuePriority = .normal, after dependencies: [Operation] = []) -> Operation {
    let log = log
    let operation = BlockOperation { log.add(name) }
    operation.queuePriority = priority
    for dependency in dependencies { operation.addDependency(dependency) }
    return operation
  }
  func add(_ operations: [Operation]) { for operation in operations { queue.addOperation(operation) } }
  /// The names in the order in which the operations have run.
  func run() -> String {
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    return log.entries.joined(separator: " ")
  }
}

extension Conformance {
  @Suite("Order of operations") struct OperationOrder {
    @Test("An operation that becomes ready late still runs before those that were added after it")
    func readyLater() async {
      await isolated {
        let line = Line()
        let gate = BlockOperation {}
        line.add([line.make("a", after: [gate]), line.make("b"), line.make("c")])
        gate.start()
        expectEqual(line.run(), "a b c")
      }
    }

    @Test("An operation that becomes ready late keeps its place when its dependency is in the queue, before or behind it")
    func ownQueue() async {
      await isolated {
        var line = Line()
        var first = line.make("d")
        line.add([first, line.make("a", after: [first]), line.make("b"), line.make("c")])
        expectEqual(line.run(), "d a b c")
        line = Line()
        first = line.make("d")
        line.add([line.make("a", after: [first]), line.make("b"), first, line.make("c")])
        expectEqual(line.run(), "b d a c")
        line = Line()
        first = line.make("d", .high)
        line.add([line.make("a", after: [first]), line.make("b"), first, line.make("c")])
        expectEqual(line.run(), "d a b c")
      }
    }

    @Test("Operations made ready in any order run in the order of adding")
    func anyOrder() async {
      await isolated {
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3], [1, 4, 0, 3, 2], [3, 1, 2, 4, 0]] {
          let line = Line()
          let gates = (0..<5).map { _ in BlockOperation {} }
          line.add((0..<5).map { line.make("\($0)", after: [gates[$0]]) } + [line.make("5")])
          for index in order { gates[index].start() }
          expectEqual(line.run(), "0 1 2 3 4 5")
        }
      }
    }

    @Test("Operations that wait for one operation run in the order of adding, not of their dependencies")
    func fan() async {
      await isolated {
        let line = Line()
        let first = line.make("f")
        let (x, y, z) = (line.make("x"), line.make("y"), line.make("z"))
        for operation in [z, x, y] { operation.addDependency(first) }
        line.add([first, x, line.make("a"), y, z])
        expectEqual(line.run(), "f x a y z")
      }
    }

    @Test("Priority goes before adding, among those that are ready")
    func priority() async {
      await isolated {
        let line = Line()
        let gate = BlockOperation {}
        line.add([
          line.make("a", after: [gate]), line.make("b"), line.make("c", .high, after: [gate]), line.make("d", .high),
          line.make("e", .veryHigh, after: [line.make("never")]).cancelled(), line.make("f", .low),
        ])
        gate.start()
        expectEqual(line.run(), "c d a b f")
      }
    }

    @Test("A changed priority puts an operation behind all others of the new one; setting the same one does not")
    func changedPriority() async {
      await isolated {
        var line = Line()
        let gate = BlockOperation {}
        let (a, b, c) = (line.make("a"), line.make("b"), line.make("c"))
        line.add([a, b, c])
        a.queuePriority = .normal
        c.queuePriority = .veryHigh
        b.queuePriority = .veryHigh
        expectEqual(line.run(), "c b a")
        line = Line()
        let (ready, pending) = (line.make("r"), line.make("p", after: [gate]))
        line.add([ready, pending, line.make("x")])
        for operation in [pending, ready] {
          operation.queuePriority = .high
          operation.queuePriority = .normal
        }
        gate.start()
        expectEqual(line.run(), "x p r")
      }
    }
  }
}

extension Operation {
  fileprivate func cancelled() -> Self {
    cancel()
    return self
  }
}
