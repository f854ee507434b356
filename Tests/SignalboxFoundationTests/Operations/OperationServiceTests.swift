// OperationServiceTests.swift: the class of service in which operations run, and the priority of the thread that does.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Quality of service and priority of operations") struct OperationServiceTests {
  private static let classes: [QualityOfService] = [.userInteractive, .userInitiated, .default, .utility, .background]
  /// Every global queue knows its class.
  private static let key: DispatchSpecificKey<QualityOfService> = {
    let key = DispatchSpecificKey<QualityOfService>()
    for service in classes {
      DispatchQueue.global(qos: service.dispatchClass.qosClass).setSpecific(key: key, value: service)
    }
    return key
  }()
  /// The class under whose global queue the caller runs.
  private static var band: QualityOfService? { DispatchQueue.getSpecific(key: key) }

  @Test(
    "An operation's class is the more urgent of its own and its queue's; the default is no wish", arguments: classes, classes)
  func effective(ofQueue: QualityOfService, ofOperation: QualityOfService) {
    let wanted: QualityOfService =
      switch (ofQueue, ofOperation) {
      case (.default, let own): own
      case (let queue, .default): queue
      default: Self.classes.first { $0 == ofQueue || $0 == ofOperation }!
      }
    let queue = OperationQueue()
    queue.qualityOfService = ofQueue
    let seen = Box<[QualityOfService?]>([])
    let job = Job { _ in seen.with { $0.append(Self.band) } }
    job.qualityOfService = ofOperation
    queue.addOperation(job)
    queue.addOperation { seen.with { $0.append(nil) } }
    waitUntilEmpty(queue)
    #expect(seen.now.compactMap { $0 } == [wanted] && seen.now.count == 2)
  }

  @Test("The operations of one queue each run in their own class, in the order of priority")
  func mixed() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let log = Box<[String]>([])
    for round in 0..<20 {
      let service = Self.classes[round % 5]
      let operation = BlockOperation()
      for _ in 0..<2 { operation.addExecutionBlock { if Self.band != service { log.with { $0.append("elsewhere") } } } }
      operation.completionBlock = {}
      operation.qualityOfService = service
      let job = Job { _ in log.with { $0.append("\(round) \(Self.band == service)") } }
      job.qualityOfService = service
      job.queuePriority = round % 2 == 0 ? .high : .normal
      queue.addOperation(operation)
      queue.addOperation(job)
    }
    queue.isSuspended = false
    waitUntilEmpty(queue)
    let order = (0..<20).filter { $0 % 2 == 0 } + (0..<20).filter { $0 % 2 == 1 }
    #expect(log.now == order.map { "\($0) true" })
  }

  @Test("A change of the queue's class counts for what starts from then on, of an operation's while it waits")
  func changed() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let seen = Box<[QualityOfService?]>([])
    let second = Job { _ in seen.with { $0.append(Self.band) } }
    queue.addOperation {
      seen.with { $0.append(Self.band) }
      queue.qualityOfService = .utility
      second.qualityOfService = .userInitiated
    }
    queue.addOperation(second)
    queue.addOperation { seen.with { $0.append(Self.band) } }
    waitUntilEmpty(queue)
    #expect(seen.now == [.default, .userInitiated, .utility])
  }

  @Test("An urgent operation does not wait behind others whose class gets no thread")
  func overtakes() {
    // Items of the background class that compute take all threads that the class may have.
    let queue = OperationQueue()
    queue.qualityOfService = .background
    let isOver = Box(false), begun = Box(0)
    let busy = DispatchGroup()
    for _ in 0..<Processors.available() * 2 + 2 {
      DispatchQueue.global(qos: .background).async(group: busy) {
        begun.with { $0 += 1 }
        while !isOver.now {}
      }
    }
    #expect(eventually { begun.now >= Processors.available() })
    let order = Box<[String]>([])
    queue.isSuspended = true
    for _ in 0..<200 { queue.addOperation { order.with { $0.append("background") } } }
    let urgent = Job { _ in order.with { $0.append("urgent") } }
    urgent.qualityOfService = .userInteractive
    urgent.queuePriority = .high
    queue.addOperation(urgent)
    queue.isSuspended = false
    #expect(eventually { urgent.isFinished })
    isOver.with { $0 = true }
    busy.wait()
    waitUntilEmpty(queue)
    #expect(order.now.count == 201 && order.now.first == "urgent", "\(order.now.firstIndex(of: "urgent") ?? -1)")
  }

  @Test("On an underlying queue and the main queue an operation is an item of that one")
  func underlying() {
    let queue = OperationQueue()
    let own = DispatchQueue(label: "own", qos: .utility)
    queue.underlyingQueue = own
    let seen = Box<[QualityOfService?]>([])
    let job = Job { _ in seen.with { $0.append(Self.band) } }
    job.qualityOfService = .userInteractive
    queue.addOperation(job)
    waitUntilEmpty(queue)
    #expect(seen.now == [.utility])
  }

  @available(*, deprecated, message: "tests something deprecated")
  @Test("The thread has the operation's priority while main() runs, as far as permitted, and its own again afterwards")
  func threadPriority() {
    let niceness = { @Sendable in Threads.niceness(ofThread: ThreadSlot.kernelID()) }
    let mayLower = Box(false)
    onOwnThread {
      // Whether this process may make a thread nicer and take that back.
      let (id, before) = (ThreadSlot.kernelID(), niceness()!)
      mayLower.with { $0 = (try? Threads.setNiceness(before - 1, ofThread: id)) != nil }
    }
    let seen = Box<[Int?]>([])
    onOwnThread {
      for priority in [0.5, 0.25, 0.75] {
        let job = Job { _ in seen.with { $0.append(niceness()) } }
        job.threadPriority = priority
        job.start()
        seen.with { $0.append(niceness()) }
      }
    }
    #expect(seen.now == (mayLower.now ? [0, 0, 10, 0, -10, 0] : [0, 0, 0, 0, 0, 0]))
    let queue = OperationQueue()
    let inQueue = Box<[Int?]>([])
    let job = Job { _ in inQueue.with { $0.append(niceness()) } }
    job.threadPriority = 0
    queue.addOperation(job)
    for _ in 0..<20 { queue.addOperation { inQueue.with { $0.append(niceness()) } } }
    waitUntilEmpty(queue)
    #expect(inQueue.now.sorted { $0! < $1! } == Array(repeating: 0, count: 20) + [mayLower.now ? 19 : 0])
  }
}
