// OperationBridgeTests.swift: queues of Foundation's type over ours, ours inside of theirs, and dependencies across the two
// kinds.
import Foundation
import FoundationNetworking
import SignalboxFoundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

private typealias Ours = SignalboxFoundation.OperationQueue
private typealias Theirs = Foundation.OperationQueue
private typealias OurBlock = SignalboxFoundation.BlockOperation
private typealias TheirBlock = Foundation.BlockOperation

/// What happened, in order, by any thread.
private final class Notes: Sendable {
  private let lock = SignalboxFoundation.NSLock()
  private nonisolated(unsafe) var notes: [String] = []  // guarded by `lock`
  func add(_ note: String) { lock.withLock { notes.append(note) } }
  var all: [String] { lock.withLock { notes } }
}

/// Of Foundation's type, and finished only on request.
// SAFETY of @unchecked: the stage is atomic.
private final class Download: Foundation.Operation, @unchecked Sendable {
  private let stage = Atomic32(0)
  let hasBegun = SignalboxFoundation.DispatchSemaphore(value: 0)
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { stage.loadAcquire() == 1 }
  override var isFinished: Bool { stage.loadAcquire() == 2 }
  override func start() {
    move(to: 1, "isExecuting")
    hasBegun.signal()
    if isCancelled { finish() }
  }
  func finish() { move(to: 2, "isFinished") }
  private func move(to next: UInt32, _ key: String) {
    willChangeValue(forKey: key)
    stage.storeRelease(next)
    didChangeValue(forKey: key)
  }
}

@Suite("Operation queues and dependencies across both libraries", .serialized) struct OperationBridgeTests {
  private static let patience = SignalboxFoundation.DispatchTimeInterval.seconds(60)

  /// Runs `body` on a thread of its own, and says whether it has ended in time.
  private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
    let end = SignalboxFoundation.DispatchSemaphore(value: 0)
    Foundation.Thread.detachNewThread {
      body()
      end.signal()
    }
    return end.wait(timeout: .now() + Self.patience) == .success
  }

  @Test("Foundation's blocks and operations in a bridged queue run as ours, one at a time, by priority")
  func inside() {
    let ours = Ours()
    ours.maxConcurrentOperationCount = 1
    ours.isSuspended = true
    let theirs = ours.makeFoundationQueue()
    let notes = Notes()
    theirs.addOperation { notes.add("block \(Ours.current === ours)") }
    for (name, priority) in [("low", Foundation.Operation.QueuePriority.low), ("high", .veryHigh)] {
      let operation = TheirBlock { notes.add("\(name) \(Ours.current === ours)") }
      operation.queuePriority = priority
      operation.name = name
      theirs.addOperation(operation)
    }
    #expect(ours.operationCount == 3 && ours.operations.compactMap(\.name) == ["low", "high"])
    theirs.addBarrierBlock { notes.add("barrier") }
    #expect(theirs.isSuspended)
    theirs.isSuspended = false
    #expect(ends { theirs.waitUntilAllOperationsAreFinished() })
    #expect(notes.all == ["high true", "block true", "low true", "barrier"])
  }

  @Test("Foundation's dependencies hold, inside of a bridged queue and across to a queue of Foundation's")
  func dependencies() {
    let ours = Ours(), elsewhere = Theirs()
    let theirs = ours.makeFoundationQueue()
    let notes = Notes()
    let first = TheirBlock { notes.add("first") }, second = TheirBlock { notes.add("second") }
    let third = TheirBlock { notes.add("third") }, fourth = TheirBlock { notes.add("fourth") }
    second.addDependency(first)
    third.addDependency(second)
    fourth.addDependency(third)
    theirs.addOperation(fourth)
    elsewhere.addOperation(third)
    theirs.addOperation(second)
    #expect(notes.all.isEmpty)
    theirs.addOperation(first)
    #expect(ends { fourth.waitUntilFinished() })
    #expect(notes.all == ["first", "second", "third", "fourth"])
  }

  /// Of Foundation's type, and ready when it is told to be.
  // SAFETY of @unchecked: the flag is atomic.
  private final class Picky: Foundation.Operation, @unchecked Sendable {
    let isAllowed = Atomic32(0)
    override var isReady: Bool { isAllowed.loadAcquire() == 1 && super.isReady }
  }

  @Test("Foundation's operations in a bridged queue are started when they are ready, never before")
  func readiness() {
    let ours = Ours()
    let theirs = ours.makeFoundationQueue()
    let count = Atomic64(0)
    let picky = Picky()
    theirs.addOperation(picky)
    for _ in 0..<50 {
      var last: Foundation.Operation?
      for _ in 0..<10 {
        let next = TheirBlock { _ = count.addAcqRel(1) }
        if let last { next.addDependency(last) }
        last = next
        theirs.addOperation(next)
      }
    }
    #expect(eventually(within: 60) { count.loadAcquire() >= 500 })
    #expect(!picky.isFinished)
    picky.isAllowed.storeRelease(1)
    #expect(ends { theirs.waitUntilAllOperationsAreFinished() })
    #expect(picky.isFinished)
  }

  @Test("A dependency that is added when the operation is queued already holds all the same")
  func lateDependency() {
    let ours = Ours()
    ours.isSuspended = true
    let theirs = ours.makeFoundationQueue()
    let notes = Notes()
    let first = TheirBlock { notes.add("first") }, second = TheirBlock { notes.add("second \(Ours.current === ours)") }
    theirs.addOperation(second)
    second.addDependency(first)
    ours.isSuspended = false
    #expect(eventually(within: 60) { ours.operations.contains(where: \.isExecuting) })
    first.start()
    #expect(ends { second.waitUntilFinished() })
    #expect(notes.all == ["first", "second true"])
  }

  @Test("An asynchronous operation of Foundation's keeps its place until it is finished")
  func asynchronous() {
    let ours = Ours()
    ours.maxConcurrentOperationCount = 1
    let theirs = ours.makeFoundationQueue()
    let (download, notes) = (Download(), Notes())
    theirs.addOperation(download)
    theirs.addOperation { notes.add("behind it") }
    #expect(download.hasBegun.wait(timeout: .now() + Self.patience) == .success)
    #expect(notes.all.isEmpty && ours.operationCount == 2)
    Foundation.Thread.detachNewThread { download.finish() }
    #expect(ends { theirs.waitUntilAllOperationsAreFinished() })
    #expect(notes.all == ["behind it"])
  }

  @Test("Cancelling all cancels what came through the bridge, and only that")
  func cancelling() {
    let ours = Ours()
    ours.maxConcurrentOperationCount = 1
    ours.isSuspended = true
    let theirs = ours.makeFoundationQueue()
    let notes = Notes()
    let waiting = TheirBlock { notes.add("cancelled") }, download = Download()
    ours.addOperation { notes.add("ours") }
    theirs.addOperation(waiting)
    theirs.addOperation(download)
    theirs.addOperation { notes.add("cancelled block") }
    theirs.cancelAllOperations()
    #expect(waiting.isCancelled && download.isCancelled)
    ours.isSuspended = false
    #expect(ends { theirs.waitUntilAllOperationsAreFinished() })
    #expect(ends { ours.waitUntilAllOperationsAreFinished() })
    #expect(notes.all == ["ours"] && waiting.isFinished && download.isFinished)
    ours.isSuspended = true
    theirs.addOperation { notes.add("cancelled by ours") }
    theirs.addBarrierBlock { notes.add("cancelled barrier") }
    ours.cancelAllOperations()
    ours.isSuspended = false
    #expect(ends { theirs.waitUntilAllOperationsAreFinished() })
    #expect(notes.all == ["ours"])
  }

  @Test("Adding and waiting in one call; waiting concerns what came through the bridge")
  func waiting() {
    let ours = Ours()
    let theirs = ours.makeFoundationQueue()
    let (never, behind) = (OurBlock {}, OurBlock {})
    behind.addDependency(never)
    ours.addOperation(behind)
    let count = Atomic64(0)
    let operations = (0..<100).map { _ in TheirBlock { _ = count.addAcqRel(1) } }
    #expect(ends { theirs.addOperations(operations, waitUntilFinished: true) })
    #expect(count.loadAcquire() == 100 && operations.allSatisfy(\.isFinished))
    #expect(ends { theirs.waitUntilAllOperationsAreFinished() })
    never.start()
    #expect(ends { behind.waitUntilFinished() })
  }

  @Test("Operations of either kind wait for the other, and stop waiting when the stand-in is removed")
  func across() {
    let ours = Ours(), theirs = Theirs()
    let notes = Notes()
    let one = OurBlock { notes.add("one") }, two = TheirBlock { notes.add("two") }, three = OurBlock { notes.add("three") }
    two.addDependency(one)
    three.addDependency(two)
    ours.addOperation(three)
    theirs.addOperation(two)
    ours.addOperation(one)
    #expect(ends { three.waitUntilFinished() })
    #expect(notes.all == ["one", "two", "three"])
    let never = TheirBlock {}, free = OurBlock { notes.add("free") }
    let standIn = free.addDependency(never)
    ours.addOperation(free)
    #expect(!free.isReady)
    free.removeDependency(standIn)
    #expect(ends { free.waitUntilFinished() })
    never.start()
  }

  @Test("Foundation's own way of delivering on a queue works over the bridge")
  func notifications() {
    let ours = Ours(), center = NotificationCenter()
    let theirs = ours.makeFoundationQueue()
    defer { withExtendedLifetime(theirs) {} }  // Foundation's centre does not keep it
    let notes = Notes()
    let name = Notification.Name("news")
    let token = center.addObserver(forName: name, object: nil, queue: theirs) { _ in
      notes.add("\(Ours.current === ours)")
    }
    #expect(ends { for _ in 0..<10 { center.post(name: name, object: nil) } })
    #expect(notes.all == [String](repeating: "true", count: 10))
    center.removeObserver(token)
  }

  /// Hears of a session's tasks, on whatever queue that calls it.
  private final class Hearer: NSObject, URLSessionDataDelegate, Sendable {
    let notes = Notes()
    let end = SignalboxFoundation.DispatchSemaphore(value: 0)
    let queue: Ours
    init(on queue: Ours) { self.queue = queue }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      notes.add("\(String(decoding: data, as: UTF8.self)) \(Ours.current === queue)")
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      notes.add("\(error.map { "\($0)" } ?? "complete") \(Ours.current === queue)")
      end.signal()
    }
  }

  @Test("A URL session calls its delegate and completion handlers on our queue")
  func session() throws {
    let server = try #require(LoopbackServer())
    let address = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let ours = Ours()
    ours.maxConcurrentOperationCount = 1
    let hearer = Hearer(on: ours)
    let session = URLSession(configuration: .ephemeral, delegate: hearer, delegateQueue: ours.makeFoundationQueue())
    session.dataTask(with: address).resume()
    #expect(hearer.end.wait(timeout: .now() + Self.patience) == .success)
    #expect(hearer.notes.all == ["\(LoopbackServer.text) true", "complete true"])
    for _ in 0..<20 {
      session.dataTask(with: address) { data, _, _ in
        hearer.notes.add("\(data?.count ?? 0) \(Ours.current === ours)")
        hearer.end.signal()
      }.resume()
    }
    for _ in 0..<20 { #expect(hearer.end.wait(timeout: .now() + Self.patience) == .success) }
    #expect(hearer.notes.all.dropFirst(2) == ArraySlice(repeating: "\(LoopbackServer.text.utf8.count) true", count: 20))
    session.invalidateAndCancel()
    server.stop()
  }

  @Test("A queue of ours on top of one of Foundation's takes turns with it, in our order")
  func forwarding() {
    let theirs = Theirs()
    theirs.maxConcurrentOperationCount = 1
    let ours = Ours.forwarding(to: theirs, name: "inner")
    let inside = Atomic64(0), overlaps = Atomic64(0)
    let notes = Notes()
    @Sendable func visit(_ note: String) {
      if inside.addAcqRel(1) != 0 { _ = overlaps.addAcqRel(1) }
      notes.add(note)
      _ = inside.addAcqRel(UInt64.max)
    }
    #expect(
      ends {
        for number in 0..<500 {
          ours.addOperation { visit("ours \(number) \(Theirs.current === theirs) \(Ours.current === ours)") }
          theirs.addOperation { visit("theirs") }
        }
        ours.waitUntilAllOperationsAreFinished()
        theirs.waitUntilAllOperationsAreFinished()
      })
    #expect(overlaps.loadAcquire() == 0)
    #expect(notes.all.filter { $0 != "theirs" } == (0..<500).map { "ours \($0) true true" })
    #expect(notes.all.count == 1_000)
  }

  @Test("When Foundation's queue cancels its own operations, ours go on")
  func forwardingCancelled() {
    let theirs = Theirs()
    theirs.isSuspended = true
    let ours = Ours.forwarding(to: theirs)
    let count = Atomic64(0)
    for _ in 0..<10 { ours.addOperation { _ = count.addAcqRel(1) } }
    theirs.cancelAllOperations()
    #expect(count.loadAcquire() == 0)
    theirs.isSuspended = false
    #expect(ends { ours.waitUntilAllOperationsAreFinished() })
    #expect(count.loadAcquire() == 10)
  }
}
