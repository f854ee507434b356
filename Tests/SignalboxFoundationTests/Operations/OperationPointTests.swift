// OperationPointTests.swift: each public operation of operations and their queues tells the instruments before it does something: there
// an explorer may let others go first. Those of the engine are in EveryOperationTests.swift.
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Each public operation of operations and their queues is a point for instruments", .serialized)
struct OperationPointTests {
  typealias Deed = NamedDeed<EnginePrimitive>

  @Test("The deed is noted as what it is", arguments: functions + properties)
  func passes(_ deed: Deed) {
    Instruments.set(InstrumentHooks.statistics, mask: InstrumentHooks.statistics)
    defer { Instruments.set(0, mask: InstrumentHooks.statistics) }
    let before = InstrumentHooks.count(of: deed.primitive)
    deed.body()
    #expect(InstrumentHooks.count(of: deed.primitive) > before)
  }

  @Test("No public function is forgotten") func whole() throws {
    let sources =
      "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Sources/SignalboxClasses/Operations"
    let list = try Programs.output(of: "/bin/ls", arguments: ["ls", RawString(sources)], environment: [])
    var there: Set<String> = []
    for file in String(decoding: list.bytes, as: UTF8.self).split(separator: "\n") where file.hasSuffix(".swift") {
      let text = try #require(Files.text(RawString("\(sources)/\(file)")))
      there.formUnion(publicFunctions(in: text, file: String(file)))
    }
    let here = Set(Self.functions.map(\.name)), others = Set(Self.noDeeds.map { "\($0.file).swift \($0.function)" })
    #expect(there.count > 10, "the sources are not where they are sought")
    #expect(there.subtracting(here).subtracting(others) == [], "say what point they are, or why they are none")
    #expect(others.subtracting(there) == [] && here.subtracting(there) == [] && others.isDisjoint(with: here))
  }

  private static func queue(_ body: (OperationQueue) -> Void) {
    let queue = OperationQueue()
    body(queue)
    waitUntilEmpty(queue)
  }

  private static let functions: [Deed] = [
    Deed("Operation start", .operationStart) { Job().start() },
    Deed("Operation cancel", .operationCancel) { Job().cancel() },
    Deed("Operation addDependency", .operationDependency) { Job().addDependency(Job()) },
    Deed("Operation removeDependency", .operationDependency) { Job().removeDependency(Job()) },
    Deed("Operation waitUntilFinished", .operationWait) {
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
    Deed("OperationQueue addOperation", .operationAdd) { queue { $0.addOperation(Job()) } },
    Deed("OperationQueue addOperation", .operationAdd) { queue { $0.addOperation {} } },
    Deed("OperationQueue addOperation", .operationStart) { queue { $0.addOperation {} } },
    Deed("OperationQueue addOperations", .operationAdd) {
      queue { $0.addOperations([Job(), Job()], waitUntilFinished: false) }
    },
    Deed("OperationQueue addBarrierBlock", .operationBarrier) { queue { $0.addBarrierBlock {} } },
    Deed("OperationQueue cancelAllOperations", .operationCancelAll) { queue { $0.cancelAllOperations() } },
    Deed("OperationQueue waitUntilAllOperationsAreFinished", .operationQueueWait) { queue { _ in } },
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

  private static let noDeeds: [(file: String, function: String, why: String)] = [
    ("Operation", "main", "the work: its beginning is a point"),
    ("BlockOperation", "main", "the work: its beginning is a point"),
    ("InvocationOperation", "main", "the work: its beginning is a point"),
    ("Operation", "willChangeValue", "only observers hear of it; what follows it is a point"),
    ("Operation+Observing", "observe", "adds an observer, for the operation's own threads"),
  ]
}
