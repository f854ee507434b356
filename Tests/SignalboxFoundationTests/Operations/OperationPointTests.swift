// OperationPointTests.swift: each public operation of operations and their queues is an event before it does something:
// there an explorer may let other threads go first. Those of the engine are in EveryOperationTests.swift.
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxClasses

@Suite("Each public operation of operations and their queues is an event", .serialized)
struct OperationPointTests {
  typealias Deed = NamedDeed<EventKind>

  @Test("The deed is noted as what it is", arguments: functions + properties)
  func passes(_ deed: Deed) {
    Instruments.set(Instruments.counts, mask: Instruments.counts)
    defer { Instruments.set(0, mask: Instruments.counts) }
    let before = EventCounts.count(of: deed.kind)
    deed.body()
    #expect(EventCounts.count(of: deed.kind) > before)
  }

  @Test("Each kind of event of operations that the table has is emitted by one of these")
  func whole() {
    let table: Set<EventKind> = [
      .operationStartAsked, .operationCancelAsked, .operationWaitAsked, .dependencyChanged, .operationSet, .operationsAdded,
      .operationBarrierAdded, .operationsCancelled, .operationQueueWaitAsked, .operationQueueSet,
    ]
    #expect(Set((Self.functions + Self.properties).map(\.kind)) == table)
  }

  private static func queue(_ body: (OperationQueue) -> Void) {
    let queue = OperationQueue()
    body(queue)
    waitUntilEmpty(queue)
  }

  private static let functions: [Deed] = [
    Deed("Operation start", .operationStartAsked) { Job().start() },
    Deed("Operation cancel", .operationCancelAsked) { Job().cancel() },
    Deed("Operation addDependency", .dependencyChanged) { Job().addDependency(Job()) },
    Deed("Operation removeDependency", .dependencyChanged) { Job().removeDependency(Job()) },
    Deed("Operation waitUntilFinished", .operationWaitAsked) {
      let job = Job()
      job.start()
      wait(for: job)
    },
    Deed("Operation didChangeValue", .operationSet) {
      let own = OwnState()
      own.start()
      own.finish()
    },
    Deed("BlockOperation addExecutionBlock", .operationSet) { BlockOperation().addExecutionBlock {} },
    Deed("OperationQueue addOperation", .operationsAdded) { queue { $0.addOperation(Job()) } },
    Deed("OperationQueue addOperation", .operationsAdded) { queue { $0.addOperation {} } },
    Deed("OperationQueue addOperation", .operationStartAsked) { queue { $0.addOperation {} } },
    Deed("OperationQueue addOperations", .operationsAdded) {
      queue { $0.addOperations([Job(), Job()], waitUntilFinished: false) }
    },
    Deed("OperationQueue addBarrierBlock", .operationBarrierAdded) { queue { $0.addBarrierBlock {} } },
    Deed("OperationQueue cancelAllOperations", .operationsCancelled) { queue { $0.cancelAllOperations() } },
    Deed("OperationQueue waitUntilAllOperationsAreFinished", .operationQueueWaitAsked) { queue { _ in } },
  ]

  /// Properties whose setting changes when something runs.
  private static let properties: [Deed] = [
    Deed("Operation completionBlock", .operationSet) { Job().completionBlock = {} },
    Deed("Operation queuePriority", .operationSet) { Job().queuePriority = .high },
    Deed("OperationQueue isSuspended", .operationQueueSet) { queue { $0.isSuspended = false } },
    Deed("OperationQueue maxConcurrentOperationCount", .operationQueueSet) { queue { $0.maxConcurrentOperationCount = 2 } },
    Deed("OperationQueue underlyingQueue", .operationQueueSet) { queue { $0.underlyingQueue = nil } },
    Deed("OperationQueue qualityOfService", .operationQueueSet) { queue { $0.qualityOfService = .utility } },
  ]
}
