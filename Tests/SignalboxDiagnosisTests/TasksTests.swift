// TasksTests.swift: the tasks of the running program as values, and as a dump that a handler of a signal asks for.
import Foundation
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Synchronization
import Testing

/// Continuations that stay until the end.
private final class Stop: Sendable {
  private let kept = Mutex<[UnsafeContinuation<Void, Never>]>([])
  @inline(never) func wait() async {
    await withUnsafeContinuation { continuation in kept.withLock { $0.append(continuation) } }
  }
  func open() { for continuation in kept.withLock({ $0 }) { continuation.resume() } }
  var count: Int { kept.withLock(\.count) }
}

@inline(never) private func outer(_ gate: Stop) async -> Int {
  await gate.wait()
  return 1
}

/// Holds the thread while it has the actor.
private actor Busy {
  func hold(_ isHeld: Signal, _ end: Signal) {
    isHeld.give()
    end.take()
  }
  func add() -> Int { 1 }
}

/// What one side gives and the other takes.
private final class Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0), given = Atomic(false)
  func give() {
    given.store(true, ordering: .releasing)
    semaphore.signal()
  }
  func take() { semaphore.wait() }
  var isGiven: Bool { given.load(ordering: .acquiring) }
}

/// What a handler has found; 0: it has not been called.
private let errnoAfterDump = Atomic<Int32>(0)

@Suite("Tasks of the running program") struct TasksTests {
  @Test(
    "Each task: name, parent, what it does and waits for, and the functions that await, with lines or without",
    arguments: [true, false])
  func snapshot(withLines: Bool) async throws {
    let gate = Stop(), mark = withLines ? "lines" : "plain", held = Signal(), end = Signal(), busy = Busy()
    let waiter = Task(name: "\(mark) waiter") { await outer(gate) }
    let value = Task(name: "\(mark) value", priority: .background) { await waiter.value }
    let group = Task(name: "\(mark) group") {
      await withTaskGroup(of: Int.self) { group in
        group.addTask(name: "\(mark) child") { await outer(gate) }
        return await group.reduce(0, +)
      }
    }
    // Until it is cancelled: what is wanted is a task that sleeps.
    let sleep = Task(name: "\(mark) sleep") { try? await Task.sleep(for: .seconds(5_000)) }
    let cancelled = Task(name: "\(mark) cancelled") { await outer(gate) }
    cancelled.cancel()
    // The actor is held by a thread that is none of those on which tasks run.
    let thread = PlainThread { _ = Task.immediate(name: "\(mark) holder") { await busy.hold(held, end) } }
    #expect(await eventuallyYielding { held.isGiven })
    let queued = Task(name: "\(mark) queued") { await busy.add() }
    func told() -> [String: String] {
      let found = Tasks.snapshot(withLines: withLines),
        named = Dictionary(found.tasks.map { ($0.number, $0.name) }) { first, _ in first }
      return Dictionary(
        found.tasks.filter { $0.name.hasPrefix(mark) }.map { task in
          let awaited: String =
            switch task.awaited {
            case .task(let number): "value of \(named[number ?? 0] ?? "none")"
            case .children(let left): "children \(left.compactMap { named[$0] })"
            case .continuation: "continuation"
            case .clock: "clock"
            case .executor(let type): "executor \(type ?? "")"
            case nil: ""
            }
          let parent = task.parent.flatMap { named[$0] }.map { " below \($0)" } ?? ""
          return (task.name, "\(task.state) \(awaited)\(parent)\(task.isCancelled ? " cancelled" : "")")
        }, uniquingKeysWith: { first, _ in first })
    }
    let wanted = [
      "\(mark) waiter": "suspended continuation", "\(mark) value": "suspended value of \(mark) waiter",
      "\(mark) group": "suspended children [\"\(mark) child\"]", "\(mark) child": "suspended continuation below \(mark) group",
      "\(mark) sleep": "sleeping clock", "\(mark) cancelled": "suspended continuation cancelled", "\(mark) holder": "running ",
      "\(mark) queued": "queued executor Busy",
    ]
    #expect(await eventuallyYielding { told() == wanted }, "\(told())")
    let found = Tasks.snapshot(withLines: withLines)
    let chain = try #require(found.tasks.first { $0.name == "\(mark) waiter" }?.awaits)
    #expect(chain.prefix(2).map(\.name) == ["Stop.wait()", "outer(_:)"], "\(chain)")
    #expect(
      chain.allSatisfy { ($0.line != nil) == withLines && ($0.file?.hasSuffix("TasksTests.swift") ?? false) == withLines },
      "\(chain)")
    #expect(found.tasks.map(\.number) == found.tasks.map(\.number).sorted() && found.cycles.isEmpty)
    let json = try #require(JSONSerialization.jsonObject(with: Data(found.json.utf8)) as? [String: Any])
    let tasks = try #require(json["tasks"] as? [[String: Any]]),
      one = try #require(tasks.first { $0["name"] as? String == "\(mark) value" })
    #expect(one["state"] as? String == "suspended" && (one["waitsFor"] as? [String: Any])?["kind"] as? String == "task")
    #expect(tasks.count == found.tasks.count && (json["taskCycles"] as? [Any])?.isEmpty == true)
    gate.open()
    sleep.cancel()
    end.give()
    _ = await (waiter.value, value.value, group.value, sleep.value, cancelled.value, queued.value)
    thread.join()
  }

  @Test("A handler of a signal may ask for a dump: each kind of wait in a line, where, and tasks that wait for one another")
  func dump() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let gate = Stop(), cycle = Cycle()
      for number in 0..<3 { Task(name: "waiter \(number)") { await outer(gate) } }
      cycle.begin()
      while gate.count < 3 { await Task.yield() }
      while Tasks.snapshot(withLines: false).cycles.isEmpty { await Task.yield() }
      Tasks.prepareDump()
      signal(SIGUSR1) { _ in
        errno = 77
        Tasks.dump()
        errnoAfterDump.store(errno, ordering: .releasing)
      }
      // The threads on which tasks run take no signals.
      kill(getpid(), SIGUSR1)
      while errnoAfterDump.load(ordering: .acquiring) == 0 { await Task.yield() }
      exit(errnoAfterDump.load(ordering: .acquiring) == 77 ? 0 : 1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("signalbox: ") && text.contains(" tasks\n"), "\(text)")
    #expect(text.contains("\"waiter 0\", task ") && text.contains("): each waits for a continuation:\n"), "\(text)")
    #expect(text.contains("0 Stop.wait() at ") && text.contains("1 outer(_:) at "), "\(text)")
    #expect(text.contains("  deadlock: task ") && text.contains("\"one\" waits for task "), "\(text)")
  }

  @Test("Each of several threads that ask for dumps gets one, from when it asked or later")
  func together() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let gate = Stop()
      Task(name: "stays") { await outer(gate) }
      while gate.count < 1 { await Task.yield() }
      let threads = (0..<4).map { _ in PlainThread { Tasks.dump() } }
      for thread in threads { thread.join() }
      exit(0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let dumps = text.split(separator: "\n").filter { $0.hasPrefix("signalbox: ") }.count
    #expect((1...4).contains(dumps) && text.contains("\"stays\" waits for a continuation"), "\(text)")
  }
}

/// Two tasks that wait for one another's values.
private final class Cycle: @unchecked Sendable {
  // SAFETY of @unchecked: written before `areThere`, which each reader awaits.
  private var one: Task<Int, Never>?, other: Task<Int, Never>?
  private let areThere = Atomic(false)

  func begin() {
    one = Task(name: "one") { await self.value { $0.other } }
    other = Task(name: "other") { await self.value { $0.one } }
    areThere.store(true, ordering: .releasing)
  }

  private func value(_ which: (Cycle) -> Task<Int, Never>?) async -> Int {
    while !areThere.load(ordering: .acquiring) { await Task.yield() }
    return await which(self)?.value ?? 0
  }
}
