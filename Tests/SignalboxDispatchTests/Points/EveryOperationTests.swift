// EveryOperationTests.swift: each public operation of queues, groups, semaphores, work items, once, sources, timers and channels tells
// the instruments before it does something: there an explorer may let others go first. Those of operations are in the tests of
// SignalboxFoundation.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
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

@Suite("Each public operation is a point for instruments", .serialized) struct EveryOperationTests {
  typealias Operation = NamedDeed<EnginePrimitive>

  @Test("The operation is noted as what it is", arguments: operations)
  func passes(_ operation: Operation) {
    Instruments.set(InstrumentHooks.statistics, mask: InstrumentHooks.statistics)
    defer { Instruments.set(0, mask: InstrumentHooks.statistics) }
    let before = InstrumentHooks.count(of: operation.primitive)
    operation.body()
    #expect(InstrumentHooks.count(of: operation.primitive) > before)
  }

  @Test("No public function is forgotten") func whole() throws {
    let sources = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Sources/SignalboxDispatch"
    var there: Set<String> = []
    for folder in ["Values", "Queues", "Groups", "Sources", "IO", "Time", "Workers", "Executors", "Inspection"] {
      let list = try Programs.output(of: "/bin/ls", arguments: ["ls", RawString("\(sources)/\(folder)")], environment: [])
      for file in String(decoding: list.bytes, as: UTF8.self).split(separator: "\n") where file.hasSuffix(".swift") {
        let text = try #require(Files.text(RawString("\(sources)/\(folder)/\(file)")))
        there.formUnion(publicFunctions(in: text, file: String(file)))
      }
    }
    let here = Set(Self.operations.map(\.name)), others = Set(Self.noOperations.map { "\($0.file).swift \($0.function)" })
    #expect(there.count > 60, "the sources are not where they are sought")
    #expect(there.subtracting(here).subtracting(others) == [], "say what point they are, or why they are none")
    #expect(others.subtracting(there) == [] && others.isDisjoint(with: here), "not there, or said twice")
    #expect(here.subtracting(there).subtracting(["OnceToken.swift run", "ConcurrentPerform.swift apply"]) == [])
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
    Operation("PoolExecutor enqueue", .async) { Handing.job { PoolExecutor.shared.enqueue(ExecutorJob($0)) } },
    Operation("DispatchQueue+SerialExecutor enqueue", .async) { Handing.job { serial().enqueue(ExecutorJob($0)) } },
    Operation("DispatchQueue+Async async", .async) { serial().async {} },
    Operation("DispatchQueue+Async async", .async) { serial().async(execute: DispatchWorkItem {}) },
    Operation("DispatchQueue+Async async", .groupEnter) { serial().async(group: DispatchGroup()) {} },
    Operation("DispatchQueue+Async async", .async) { serial().async(group: DispatchGroup(), execute: DispatchWorkItem {}) },
    Operation("DispatchQueue+Async async", .async) { DispatchQueue.global().async {} },
    Operation("DispatchQueue+Async async", .async) {
      DispatchQueue(label: "points", attributes: .concurrent).async(flags: .barrier) {}
    },
    Operation("DispatchQueue+Unsafe asyncUnsafe", .async) { serial().asyncUnsafe {} },
    Operation("DispatchQueue+Sync sync", .sync) { serial().sync {} },
    Operation("DispatchQueue+Sync sync", .sync) { _ = serial().sync { 1 } },
    Operation("DispatchQueue+Sync sync", .sync) { serial().sync(execute: DispatchWorkItem {}) },
    Operation("DispatchQueue+Sync sync", .sync) {
      DispatchQueue(label: "points", attributes: .concurrent).sync(flags: .barrier) {}
    },
    Operation("DispatchQueue+Sync sync", .sync) { DispatchQueue(label: "points", attributes: .concurrent).sync {} },
    Operation("DispatchQueue+AsyncAndWait asyncAndWait", .sync) { serial().asyncAndWait {} },
    Operation("DispatchQueue+AsyncAndWait asyncAndWait", .sync) { serial().asyncAndWait(execute: DispatchWorkItem {}) },
    Operation("DispatchQueue+After asyncAfter", .after) { serial().asyncAfter(deadline: .now() + .milliseconds(1)) {} },
    Operation("DispatchQueue+After asyncAfter", .after) { serial().asyncAfter(wallDeadline: .now() + .milliseconds(1)) {} },
    Operation("DispatchQueue+After asyncAfterUnsafe", .after) {
      serial().asyncAfterUnsafe(deadline: .now() + .milliseconds(1)) {}
    },
    Operation("DispatchWorkItem+After asyncAfter", .after) {
      serial().asyncAfter(deadline: .now() + .milliseconds(1), execute: DispatchWorkItem {})
    },
    Operation("DispatchQueue suspend", .suspend) {
      let queue = serial()
      queue.suspend()
      queue.resume()
    },
    Operation("DispatchQueue resume", .resume) {
      let queue = serial()
      queue.suspend()
      queue.resume()
    },
    Operation("DispatchQueue activate", .activate) { stopped().activate() },
    Operation("DispatchQueue setTarget", .setTarget) {
      let queue = stopped()
      queue.setTarget(queue: .global())
      queue.activate()
    },
    Operation("QueueExtras setSpecific", .setSpecific) { serial().setSpecific(key: DispatchSpecificKey<Int>(), value: 1) },
    Operation("ConcurrentPerform concurrentPerform", .perform) { DispatchQueue.concurrentPerform(iterations: 2) { _ in } },
    Operation("ConcurrentPerform apply", .perform) { DispatchQueue.global().apply(iterations: 2) { _ in } },
    Operation("ConcurrentPerform apply", .sync) { serial().apply(iterations: 2) { _ in } },
  ]

  private static let groups: [Operation] = [
    Operation("DispatchGroup enter", .groupEnter) {
      let group = DispatchGroup()
      group.enter()
      group.leave()
    },
    Operation("DispatchGroup leave", .groupLeave) {
      let group = DispatchGroup()
      group.enter()
      group.leave()
    },
    Operation("DispatchGroup+Wait wait", .groupWait) { DispatchGroup().wait() },
    Operation("DispatchGroup+Wait wait", .groupWait) { _ = DispatchGroup().wait(timeout: .now()) },
    Operation("DispatchGroup notify", .notify) { DispatchGroup().notify(queue: serial()) {} },
    Operation("DispatchGroup notify", .notify) { DispatchGroup().notify(queue: serial(), work: DispatchWorkItem {}) },
    Operation("DispatchSemaphore wait", .semaphoreWait) {
      let semaphore = DispatchSemaphore(value: 1)
      semaphore.wait()
      semaphore.signal()
    },
    Operation("DispatchSemaphore wait", .semaphoreWait) { _ = DispatchSemaphore(value: 0).wait(timeout: .now()) },
    Operation("DispatchSemaphore wait", .semaphoreWait) { _ = DispatchSemaphore(value: 0).wait(wallTimeout: .now()) },
    Operation("DispatchSemaphore signal", .semaphoreSignal) { DispatchSemaphore(value: 0).signal() },
    Operation("DispatchWorkItem perform", .workItemPerform) { DispatchWorkItem {}.perform() },
    Operation("DispatchWorkItem cancel", .workItemCancel) { DispatchWorkItem {}.cancel() },
    Operation("DispatchWorkItem notify", .notify) { DispatchWorkItem {}.notify(queue: serial()) {} },
    Operation("DispatchWorkItem notify", .notify) { DispatchWorkItem {}.notify(queue: serial(), execute: DispatchWorkItem {}) },
    Operation("DispatchWorkItem+Wait wait", .workItemWait) {
      let item = DispatchWorkItem {}
      item.perform()
      item.wait()
    },
    Operation("DispatchWorkItem+Wait wait", .workItemWait) { _ = DispatchWorkItem {}.wait(timeout: .now()) },
    Operation("OnceToken run", .once) {
      var token = 0
      OnceToken.run(&token) {}
    },
  ]

  private static let sources: [Operation] = [
    Operation("DispatchSourceTimer schedule", .timerSchedule) { timer { $0.schedule(deadline: .distantFuture) } },
    Operation("DispatchSourceTimer schedule", .timerSchedule) {
      timer { $0.schedule(deadline: .distantFuture, repeating: 1.0) }
    },
    Operation("DispatchSourceTimer schedule", .timerSchedule) { timer { $0.schedule(wallDeadline: .distantFuture) } },
    Operation("DispatchSourceTimer scheduleOneshot", .timerSchedule) {
      timer { older.oneshot($0) }
    },
    Operation("DispatchSourceTimer scheduleRepeating", .timerSchedule) {
      timer { older.repeating($0) }
    },
    Operation("DataSource add", .sourceMerge) { added { $0.add(data: 1) } },
    Operation("DataSource or", .sourceMerge) {
      let source = DispatchSource.makeUserDataOrSource(queue: serial())
      source.or(data: 1)
      source.activate()
      source.cancel()
    },
    Operation("DataSource replace", .sourceMerge) {
      let source = DispatchSource.makeUserDataReplaceSource(queue: serial())
      source.replace(data: 1)
      source.activate()
      source.cancel()
    },
    Operation("SourceProtocols setEventHandler", .sourceHandler) { added { $0.setEventHandler {} } },
    Operation("SourceProtocols setEventHandler", .sourceHandler) { added { $0.setEventHandler(handler: DispatchWorkItem {}) } },
    Operation("SourceProtocols setCancelHandler", .sourceHandler) { added { $0.setCancelHandler {} } },
    Operation("SourceProtocols setRegistrationHandler", .sourceHandler) { added { $0.setRegistrationHandler {} } },
    Operation("SourceProtocols cancel", .sourceCancel) { added { $0.cancel() } },
    Operation("SourceProtocols suspend", .suspend) {
      added {
        $0.suspend()
        $0.resume()
      }
    },
    Operation("SourceProtocols resume", .resume) {
      added {
        $0.suspend()
        $0.resume()
      }
    },
    Operation("DispatchSource activate", .activate) { added { $0.activate() } },
    Operation("DispatchSource suspend", .suspend) {
      added { source in
        let object = source as! DispatchSource
        object.suspend()
        object.resume()
      }
    },
    Operation("DispatchSource resume", .resume) {
      added { source in
        let object = source as! DispatchSource
        object.suspend()
        object.resume()
      }
    },
    Operation("DispatchSource setTarget", .setTarget) {
      let source = DispatchSource.makeUserDataAddSource(queue: serial()) as! DispatchSource
      source.setTarget(queue: .global())
      source.activate()
      source.cancel()
    },
  ]

  private static let channels: [Operation] = [
    Operation("DispatchIO read", .ioRead) { channel { $0.read(offset: 0, length: 4, queue: serial()) { _, _, _ in } } },
    Operation("DispatchIO write", .ioWrite) {
      channel(writes: true) { $0.write(offset: 0, data: DispatchData.empty, queue: serial()) { _, _, _ in } }
    },
    Operation("DispatchIO barrier", .ioBarrier) { channel { $0.barrier {} } },
    Operation("DispatchIO close", .ioClose) { channel { $0.close(flags: .stop) } },
    Operation("DispatchIO setLimit", .ioSet) { channel { $0.setLimit(lowWater: 1) } },
    Operation("DispatchIO setLimit", .ioSet) { channel { $0.setLimit(highWater: 1) } },
    Operation("DispatchIO setInterval", .ioSet) { channel { $0.setInterval(interval: .seconds(1)) } },
    Operation("DispatchIO suspend", .ioSet) {
      channel {
        $0.suspend()
        $0.resume()
      }
    },
    Operation("DispatchIO resume", .ioSet) {
      channel {
        $0.suspend()
        $0.resume()
      }
    },
    Operation("DispatchIO setTarget", .ioSet) { channel { $0.setTarget(queue: nil) } },
    Operation("DispatchIO+Convenience read", .ioRead) {
      let pipe = IOPipe(), ended = DispatchSemaphore(value: 0)
      _ = Glibc.write(pipe.input, "abcd", 4)
      DispatchIO.read(fromFileDescriptor: pipe.output, maxLength: 4, runningHandlerOn: serial()) { _, _ in ended.signal() }
      withExtendedLifetime(pipe) { #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
    },
    Operation("DispatchIO+Convenience write", .ioWrite) {
      let pipe = IOPipe(), ended = DispatchSemaphore(value: 0)
      DispatchIO.write(toFileDescriptor: pipe.input, data: .empty, runningHandlerOn: serial()) { _, _ in ended.signal() }
      withExtendedLifetime(pipe) { #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
    },
  ]

  // MARK: what is none

  private static let makes = "makes an object that nobody else knows"
  private static let plain = "a value, without an object that threads share"
  private static let noOperations: [(file: String, function: String, why: String)] = [
    ("DispatchObject", "activate", "of groups and semaphores: has no effect"),
    ("DispatchObject", "suspend", "of groups and semaphores: has no effect"),
    ("DispatchObject", "resume", "of groups and semaphores: has no effect"),
    ("DispatchObject", "setTarget", "of groups and semaphores: has no effect"),
    ("DispatchObject", "hash", plain),
    ("DispatchPrecondition", "dispatchPrecondition", "asks about the calling thread alone"),
    ("PlacedPredicate", "dispatchPrecondition", "asks about the calling thread alone"),
    ("PlacedPredicate", "onQueue", plain), ("PlacedPredicate", "notOnQueue", plain),
    ("PlacedPredicate", "onQueueAsBarrier", plain),
    ("DispatchQueue+Create", "global", "hands out what is there from the beginning"),
    ("QueueExtras", "getSpecific", "reads: as the reading of any state it is no point"),
    ("DispatchQueue+SerialExecutor", "asUnownedSerialExecutor", plain),
    ("DispatchQueue+SerialExecutor", "checkIsolated", "asks about the calling thread alone"),
    ("DispatchQueue+SerialExecutor", "isIsolatingCurrentContext", "asks about the calling thread alone"),
    ("MainQueue", "dispatchMain", "the thread's last call: it ends, or sleeps, which is seen"),
    ("MainQueue", "descriptor", "for hosts of the main queue, at their beginning"),
    ("MainQueue", "drain", "runs items, each of which is a point"),
    ("MainQueue+Limit", "reportItems", "sets what is reported: no order of threads depends on it"),
    ("DataSource", "makeUserDataAddSource", makes), ("DataSource", "makeUserDataOrSource", makes),
    ("DataSource", "makeUserDataReplaceSource", makes), ("DescriptorSource", "makeReadSource", makes),
    ("DescriptorSource", "makeWriteSource", makes), ("DispatchSourceTimer", "makeTimerSource", makes),
    ("FileSource", "makeFileSystemObjectSource", makes), ("FileSource", "checkFileSystemObjectSource", makes),
    ("MemoryPressureSource", "makeMemoryPressureSource", makes),
    ("MemoryPressureSource", "checkMemoryPressureSource", makes),
    ("PortSource", "makeMachReceiveSource", makes), ("PortSource", "makeMachSendSource", makes),
    ("ProcessSource", "makeProcessSource", makes), ("ProcessSource", "checkProcessSource", makes),
    ("SignalSource", "makeSignalSource", makes),
    ("MemoryPressure", "inject", "for tests: in place of the kernel"),
    ("SignalboxPort", "duplicate", "the kernel's"), ("SignalboxPort", "receive", "the kernel's"),
    ("SignalboxPort", "send", "the kernel's"), ("SignalboxPort", "setInherited", "the kernel's"),
    ("SignalboxPort", "makePair", makes),
    ("DispatchTime", "now", plain), ("DispatchTime", "distance", plain), ("DispatchTime", "advanced", plain),
    ("DispatchWallTime", "now", plain), ("Grants", "niceness", plain),
  ]
}
