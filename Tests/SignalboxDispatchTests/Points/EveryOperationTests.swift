// EveryOperationTests.swift: each public operation of queues, groups, semaphores, work items, once, sources, timers and
// channels is an event before it does something: there an explorer may let other threads go first. Those of operations
// are in the tests of SignalboxFoundation.
import Glibc
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

/// The older names, by a protocol that is not deprecated: no warning.
private protocol OlderNames {
  static func oneshot(_ timer: any DispatchSourceTimer)
  static func repeating(_ timer: any DispatchSourceTimer)
}

private struct OlderForms: OlderNames {
  @available(*, deprecated)
  static func oneshot(_ timer: any DispatchSourceTimer) { timer.scheduleOneshot(deadline: .distantFuture) }
  @available(*, deprecated)
  static func repeating(_ timer: any DispatchSourceTimer) { timer.scheduleRepeating(deadline: .distantFuture, interval: 1.0) }
}

private var older: any OlderNames.Type { OlderForms.self }

@Suite("Each public operation is an event", .serialized) struct EveryOperationTests {
  typealias Operation = NamedDeed<EventKind>

  @Test("The operation is noted as what it is", arguments: operations)
  func passes(_ operation: Operation) {
    Instruments.set(Instruments.counts, mask: Instruments.counts)
    defer { Instruments.set(0, mask: Instruments.counts) }
    let before = EventCounts.count(of: operation.kind)
    operation.body()
    #expect(EventCounts.count(of: operation.kind) > before)
  }

  @Test("Each kind of operation that the table has is emitted by one of these, or by operations, locks and drains")
  func whole() {
    let elsewhere: Set<EventKind> = [
      .started, .lockAsked, .lockReleased, .operationStartAsked, .operationCancelAsked, .operationWaitAsked,
      .dependencyChanged, .operationSet, .operationsAdded, .operationBarrierAdded, .operationsCancelled,
      .operationQueueWaitAsked, .operationQueueSet,
    ]
    let table = Set(EventKind.allCases.filter { $0.subscribers.contains(.counts) })
    #expect(Set(Self.operations.map(\.kind)) == table.subtracting(elsewhere) && elsewhere.isSubset(of: table))
  }

  // MARK: what each is

  private static func serial() -> DispatchQueue { DispatchQueue(label: "points") }
  private static func stopped() -> DispatchQueue { DispatchQueue(label: "points", attributes: .initiallyInactive) }
  private static func timer(_ body: (any DispatchSourceTimer) -> Void) {
    let timer = DispatchSource.makeTimerSource(queue: serial())
    body(timer)
    timer.activate()
    timer.cancel()
  }
  private static func added(_ body: (any DispatchSourceUserDataAdd) -> Void) {
    let source = DispatchSource.makeUserDataAddSource(queue: serial())
    source.activate()
    body(source)
    source.cancel()
  }
  /// A channel on the reading end of a pipe with four bytes in it, or on the writing end.
  private static func channel(writes: Bool = false, _ body: (DispatchIO) -> Void) {
    let pipe = IOPipe()
    if !writes { _ = Glibc.write(pipe.input, "abcd", 4) }
    let ended = DispatchSemaphore(value: 0)
    let channel = DispatchIO(type: .stream, fileDescriptor: writes ? pipe.input : pipe.output, queue: serial()) { _ in
      ended.signal()
    }
    body(channel)
    channel.close()
    withExtendedLifetime(pipe) { #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
  }

  static let operations: [Operation] = queues + groups + sources + channels

  /// Hands on the job of a new task.
  private enum Handing {
    final class Executor: TaskExecutor {
      let deed: @Sendable (UnownedJob) -> Void
      init(_ deed: @escaping @Sendable (UnownedJob) -> Void) { self.deed = deed }
      func enqueue(_ job: UnownedJob) { deed(job) }
    }
    static func job(_ deed: @escaping @Sendable (UnownedJob) -> Void) { Task(executorPreference: Executor(deed)) {} }
  }

  private static let queues: [Operation] = [
    Operation("PoolExecutor enqueue", .submitted) { Handing.job { PoolExecutor.shared.enqueue(ExecutorJob($0)) } },
    Operation("QueueExecutors enqueue", .submitted) { Handing.job { serial().enqueue(ExecutorJob($0)) } },
    Operation("DispatchQueue+Async async", .submitted) { serial().async {} },
    Operation("DispatchQueue+Async async", .submitted) { serial().async(execute: DispatchWorkItem {}) },
    Operation("DispatchQueue+Async async", .groupEntered) { serial().async(group: DispatchGroup()) {} },
    Operation("DispatchQueue+Async async", .submitted) { serial().async(group: DispatchGroup(), execute: DispatchWorkItem {}) },
    Operation("DispatchQueue+Async async", .submitted) { DispatchQueue.global().async {} },
    Operation("DispatchQueue+Async async", .submitted) {
      DispatchQueue(label: "points", attributes: .concurrent).async(flags: .barrier) {}
    },
    Operation("DispatchQueue+Async asyncUnsafe", .submitted) { serial().asyncUnsafe {} },
    Operation("DispatchQueue+Sync sync", .turnAsked) { serial().sync {} },
    Operation("DispatchQueue+Sync sync", .turnAsked) { _ = serial().sync { 1 } },
    Operation("DispatchQueue+Sync sync", .turnAsked) { serial().sync(execute: DispatchWorkItem {}) },
    Operation("DispatchQueue+Sync sync", .turnAsked) {
      DispatchQueue(label: "points", attributes: .concurrent).sync(flags: .barrier) {}
    },
    Operation("DispatchQueue+Sync sync", .turnAsked) { DispatchQueue(label: "points", attributes: .concurrent).sync {} },
    Operation("DispatchQueue+Sync asyncAndWait", .turnAsked) { serial().asyncAndWait {} },
    Operation("DispatchQueue+Sync asyncAndWait", .turnAsked) { serial().asyncAndWait(execute: DispatchWorkItem {}) },
    Operation("DispatchQueue+After asyncAfter", .delayAsked) { serial().asyncAfter(deadline: .now() + .milliseconds(1)) {} },
    Operation("DispatchQueue+After asyncAfter", .delayAsked) {
      serial().asyncAfter(wallDeadline: .now() + .milliseconds(1)) {}
    },
    Operation("DispatchQueue+After asyncAfterUnsafe", .delayAsked) {
      serial().asyncAfterUnsafe(deadline: .now() + .milliseconds(1)) {}
    },
    Operation("DispatchWorkItem+Face asyncAfter", .delayAsked) {
      serial().asyncAfter(deadline: .now() + .milliseconds(1), execute: DispatchWorkItem {})
    },
    Operation("DispatchQueue suspend", .suspended) {
      let queue = serial()
      queue.suspend()
      queue.resume()
    },
    Operation("DispatchQueue resume", .resumed) {
      let queue = serial()
      queue.suspend()
      queue.resume()
    },
    Operation("DispatchQueue activate", .activated) { stopped().activate() },
    Operation("DispatchQueue setTarget", .retargeted) {
      let queue = stopped()
      queue.setTarget(queue: .global())
      queue.activate()
    },
    Operation("QueueExtras setSpecific", .specificSet) { serial().setSpecific(key: DispatchSpecificKey<Int>(), value: 1) },
    Operation("ConcurrentPerform concurrentPerform", .applied) { DispatchQueue.concurrentPerform(iterations: 2) { _ in } },
    Operation("ConcurrentPerform apply", .applied) { DispatchQueue.global().apply(iterations: 2) { _ in } },
    Operation("ConcurrentPerform apply", .turnAsked) { serial().apply(iterations: 2) { _ in } },
  ]

  private static let groups: [Operation] = [
    Operation("DispatchGroup enter", .groupEntered) {
      let group = DispatchGroup()
      group.enter()
      group.leave()
    },
    Operation("DispatchGroup leave", .groupLeft) {
      let group = DispatchGroup()
      group.enter()
      group.leave()
    },
    Operation("DispatchGroup+Wait wait", .groupWaitAsked) { DispatchGroup().wait() },
    Operation("DispatchGroup+Wait wait", .groupWaitAsked) { _ = DispatchGroup().wait(timeout: .now()) },
    Operation("DispatchGroup notify", .notifyAsked) { DispatchGroup().notify(queue: serial()) {} },
    Operation("DispatchGroup notify", .notifyAsked) { DispatchGroup().notify(queue: serial(), work: DispatchWorkItem {}) },
    Operation("DispatchSemaphore wait", .semaphoreWaitAsked) {
      let semaphore = DispatchSemaphore(value: 1)
      semaphore.wait()
      semaphore.signal()
    },
    Operation("DispatchSemaphore wait", .semaphoreWaitAsked) { _ = DispatchSemaphore(value: 0).wait(timeout: .now()) },
    Operation("DispatchSemaphore wait", .semaphoreWaitAsked) { _ = DispatchSemaphore(value: 0).wait(wallTimeout: .now()) },
    Operation("DispatchSemaphore signal", .semaphoreSignalled) { DispatchSemaphore(value: 0).signal() },
    Operation("DispatchWorkItem perform", .workItemPerformed) { DispatchWorkItem {}.perform() },
    Operation("DispatchWorkItem cancel", .workItemCancelled) { DispatchWorkItem {}.cancel() },
    Operation("DispatchWorkItem notify", .notifyAsked) { DispatchWorkItem {}.notify(queue: serial()) {} },
    Operation("DispatchWorkItem notify", .notifyAsked) {
      DispatchWorkItem {}.notify(queue: serial(), execute: DispatchWorkItem {})
    },
    Operation("DispatchWorkItem+Face wait", .workItemWaitAsked) {
      let item = DispatchWorkItem {}
      item.perform()
      item.wait()
    },
    Operation("DispatchWorkItem+Face wait", .workItemWaitAsked) { _ = DispatchWorkItem {}.wait(timeout: .now()) },
    Operation("OnceToken run", .onceAsked) {
      var token = 0
      OnceToken.run(&token) {}
    },
  ]

  private static let sources: [Operation] = [
    Operation("DispatchSourceTimer schedule", .timerScheduled) { timer { $0.schedule(deadline: .distantFuture) } },
    Operation("DispatchSourceTimer schedule", .timerScheduled) {
      timer { $0.schedule(deadline: .distantFuture, repeating: 1.0) }
    },
    Operation("DispatchSourceTimer schedule", .timerScheduled) { timer { $0.schedule(wallDeadline: .distantFuture) } },
    Operation("DispatchSourceTimer scheduleOneshot", .timerScheduled) {
      timer { older.oneshot($0) }
    },
    Operation("DispatchSourceTimer scheduleRepeating", .timerScheduled) {
      timer { older.repeating($0) }
    },
    Operation("DataSource add", .sourceMerged) { added { $0.add(data: 1) } },
    Operation("DataSource or", .sourceMerged) {
      let source = DispatchSource.makeUserDataOrSource(queue: serial())
      source.or(data: 1)
      source.activate()
      source.cancel()
    },
    Operation("DataSource replace", .sourceMerged) {
      let source = DispatchSource.makeUserDataReplaceSource(queue: serial())
      source.replace(data: 1)
      source.activate()
      source.cancel()
    },
    Operation("SourceProtocols setEventHandler", .handlerSet) { added { $0.setEventHandler {} } },
    Operation("SourceProtocols setEventHandler", .handlerSet) { added { $0.setEventHandler(handler: DispatchWorkItem {}) } },
    Operation("SourceProtocols setCancelHandler", .handlerSet) { added { $0.setCancelHandler {} } },
    Operation("SourceProtocols setRegistrationHandler", .handlerSet) { added { $0.setRegistrationHandler {} } },
    Operation("SourceProtocols cancel", .sourceCancelled) { added { $0.cancel() } },
    Operation("SourceProtocols suspend", .suspended) {
      added {
        $0.suspend()
        $0.resume()
      }
    },
    Operation("SourceProtocols resume", .resumed) {
      added {
        $0.suspend()
        $0.resume()
      }
    },
    Operation("DispatchSource activate", .activated) { added { $0.activate() } },
    Operation("DispatchSource suspend", .suspended) {
      added { source in
        let object = source as! DispatchSource
        object.suspend()
        object.resume()
      }
    },
    Operation("DispatchSource resume", .resumed) {
      added { source in
        let object = source as! DispatchSource
        object.suspend()
        object.resume()
      }
    },
    Operation("DispatchSource setTarget", .retargeted) {
      let source = DispatchSource.makeUserDataAddSource(queue: serial()) as! DispatchSource
      source.setTarget(queue: .global())
      source.activate()
      source.cancel()
    },
  ]

  private static let channels: [Operation] = [
    Operation("DispatchIO read", .readAsked) { channel { $0.read(offset: 0, length: 4, queue: serial()) { _, _, _ in } } },
    Operation("DispatchIO write", .writeAsked) {
      channel(writes: true) { $0.write(offset: 0, data: DispatchData.empty, queue: serial()) { _, _, _ in } }
    },
    Operation("DispatchIO barrier", .channelBarrierAsked) { channel { $0.barrier {} } },
    Operation("DispatchIO close", .channelClosed) { channel { $0.close(flags: .stop) } },
    Operation("DispatchIO setLimit", .channelSet) { channel { $0.setLimit(lowWater: 1) } },
    Operation("DispatchIO setLimit", .channelSet) { channel { $0.setLimit(highWater: 1) } },
    Operation("DispatchIO setInterval", .channelSet) { channel { $0.setInterval(interval: .seconds(1)) } },
    Operation("DispatchIO suspend", .channelSet) {
      channel {
        $0.suspend()
        $0.resume()
      }
    },
    Operation("DispatchIO resume", .channelSet) {
      channel {
        $0.suspend()
        $0.resume()
      }
    },
    Operation("DispatchIO setTarget", .channelSet) { channel { $0.setTarget(queue: nil) } },
    Operation("DispatchIO read", .readAsked) {
      let pipe = IOPipe(), ended = DispatchSemaphore(value: 0)
      _ = Glibc.write(pipe.input, "abcd", 4)
      DispatchIO.read(fromFileDescriptor: pipe.output, maxLength: 4, runningHandlerOn: serial()) { _, _ in ended.signal() }
      withExtendedLifetime(pipe) { #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
    },
    Operation("DispatchIO write", .writeAsked) {
      let pipe = IOPipe(), ended = DispatchSemaphore(value: 0)
      DispatchIO.write(toFileDescriptor: pipe.input, data: .empty, runningHandlerOn: serial()) { _, _ in ended.signal() }
      withExtendedLifetime(pipe) { #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
    },
  ]
}
