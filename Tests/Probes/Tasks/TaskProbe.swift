// TaskProbe.swift: a program on the toolchain's own library, without Signalbox, to be inspected from outside: tasks
// that wait, as its argument says. It says "ready" once it has begun that. Ended by a signal.
//   TaskProbe kinds         each kind of wait, in tasks that are named after it
//   TaskProbe executors     tasks on executors of its own, distributed actors, task-local values: Executors.swift
//   TaskProbe values        two tasks that await each other's values, and a group whose children await these
//   TaskProbe open          the same, but that one of a group's two children waits for a continuation
//   TaskProbe own           a task that awaits its own value
//   TaskProbe many NUMBER   NUMBER tasks that wait for continuations
//   TaskProbe timed         tasks that compute for 50 ms each, four for each processor, one that sleeps; then they wait
//   TaskProbe churn         tasks that are made and end all the time, beside a hundred that stay
//   TaskProbe none          no task but the first
import Glibc
import Synchronization

/// A task's handle that others await before it is there.
final class Handle: @unchecked Sendable {
  // SAFETY: written once, before `areThere`, which each reader awaits.
  var task: Task<Int, Never>?
}

/// Whether all handles are there.
let areThere = Atomic(false)

@inline(never) func value(of handle: Handle) async -> Int {
  while !areThere.load(ordering: .acquiring) { await Task.yield() }
  return await handle.task?.value ?? 0
}

/// Continuations that stay.
actor Keeper {
  private var kept: [UnsafeContinuation<Int, Never>] = []
  func keep(_ continuation: UnsafeContinuation<Int, Never>) { kept.append(continuation) }
}

let keeper = Keeper()

/// Never returns.
@inline(never) func wait() async -> Int {
  await withUnsafeContinuation { continuation in Task { await keeper.keep(continuation) } }
}

@inline(never) func outer() async -> Int {
  let number = await wait()
  return number + 1
}

actor Store {
  private var count = 0
  /// Keeps its thread for good.
  func block() {
    isBlocked.store(true, ordering: .releasing)
    while true { pause() }
  }
  func add() -> Int {
    count += 1
    return count
  }
}

let store = Store()
let isBlocked = Atomic(false)

@main struct TaskProbe {
  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    switch words.first {
    case "kinds": await kinds()
    case "executors": await executors()
    case "values": values(isOpen: false)
    case "open": values(isOpen: true)
    case "own": ownValue()
    case "many": for _ in 0..<(words.dropFirst().first.flatMap { Int($0) } ?? 0) { Task { await outer() } }
    case "timed": timed()
    case "churn": churn()
    case "none": break
    default:
      print("usage: TaskProbe kinds | executors | values | open | own | many NUMBER | timed | churn | none")
      exit(64)
    }
    print("ready")
    fflush(nil)
    _ = await outer()
  }

  static func kinds() async {
    let continuation = Task(name: "continuation") { await outer() }
    Task(name: "value") { await continuation.value }
    Task(name: "sleep") { try? await Task.sleep(for: .seconds(5_000)) }
    Task(name: "old sleep") { try? await Task.sleep(nanoseconds: 5_000_000_000_000) }
    Task(name: "group") {
      await withTaskGroup(of: Int.self) { group in
        for number in 0..<3 { group.addTask(name: "child \(number)") { await outer() } }
        var sum = 0
        for await number in group { sum += number }
        return sum
      }
    }
    Task(name: "discarding") {
      await withDiscardingTaskGroup { group in group.addTask(name: "discarded child") { _ = await outer() } }
    }
    Task(name: "lets") {
      async let one = outer(), other = outer()
      return await one + other
    }
    // It sleeps when this goes on. The sleep ends at once then; its timer stays.
    let over = Task.immediate { try? await Task.sleep(for: .seconds(5_000)) }
    over.cancel()
    await over.value
    let stream = AsyncStream<Int> { _ in }
    Task(name: "stream") { for await number in stream { print(number) } }
    let cancelled = Task(name: "cancelled", priority: .background) { await outer() }
    cancelled.cancel()
    Task(name: "detached main") { @MainActor in await outer() }
    Task.detached(name: "detached") { await outer() }
    Task.immediate(name: "immediate") { await outer() }
    Task(name: "blocks") { await store.block() }
    while !isBlocked.load(ordering: .acquiring) { await Task.yield() }
    for number in 0..<2 { Task(name: "queued \(number)") { await store.add() } }
  }

  /// Two tasks of which each awaits the other's value, and a group whose children await these.
  static func values(isOpen: Bool) {
    let one = Handle(), other = Handle()
    one.task = Task(name: "one") { await value(of: other) }
    other.task = Task(name: "other") { await value(of: one) }
    Task(name: "group") {
      await withTaskGroup(of: Int.self) { group in
        group.addTask(name: "child of one") { await value(of: one) }
        group.addTask(name: "child of other") { isOpen ? await outer() : await value(of: other) }
        return await group.next() ?? 0
      }
    }
    areThere.store(true, ordering: .releasing)
  }

  static func ownValue() {
    let own = Handle()
    own.task = Task(name: "own") { await value(of: own) }
    areThere.store(true, ordering: .releasing)
  }

  /// No task computes before all are queued: those that have no processor until then are queued for 50 ms at least.
  static func timed() {
    for number in 0..<4 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
      Task(name: "computes \(number)") { await computing() }
    }
    areThere.store(true, ordering: .releasing)
    Task(name: "has slept") {
      try? await Task.sleep(for: .milliseconds(20))
      return await outer()
    }
  }

  @inline(never) static func computing() async -> Int {
    while !areThere.load(ordering: .acquiring) {}
    let clock = ContinuousClock(), end = clock.now.advanced(by: .milliseconds(50))
    while clock.now < end {}
    return await outer()
  }

  /// Tasks by the thousand, of which each makes the next and ends, beside some that stay.
  static func churn() {
    for number in 0..<100 { Task(name: "stays \(number)") { await outer() } }
    for _ in 0..<4 { Task { await again() } }
  }

  static func again() async {
    while true {
      async let one = Task { 1 }.value
      let sum = await withTaskGroup(of: Int.self) { group in
        for number in 0..<8 { group.addTask { number } }
        return await group.reduce(0, +)
      }
      _ = await one + sum
      _ = await store.add()
    }
  }
}
