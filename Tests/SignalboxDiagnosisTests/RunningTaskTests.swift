// RunningTaskTests.swift: which task a thread runs, and the functions that await the one under way, as the thread
// itself reads them at a known depth of calls: with what else a function takes of its task's memory around it.
import SignalboxSystem
import SignalboxTestSupport
import Synchronization
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxView

/// The task that the calling thread runs.
private func here() -> RunningTask? { ThreadTable.entry(owner: ThreadSlot.owner()).flatMap { RunningTask(on: $0) } }

/// Calls itself so often, and reads at the innermost end. What a level takes of the task's memory is its number's
/// choice.
@inline(never) private func nested(_ depth: Int, _ shape: Int) async -> RunningTask? {
  if depth == 0 { return here() }
  switch (depth + shape) % 4 {
  case 0: return await nested(depth - 1, shape)
  case 1: return await generic(depth) { await nested(depth - 1, shape) }
  case 2:
    async let other = doubled(depth)
    let found = await nested(depth - 1, shape)
    return await other == 2 * depth ? found : nil
  default:
    let before = await doubled(depth), found = await nested(depth - 1, shape)
    return before == 2 * depth ? found : nil
  }
}

@inline(never) private func doubled(_ number: Int) async -> Int {
  await Task.yield()
  return 2 * number
}

/// Keeps a value of a type that it does not know in the task's memory.
@inline(never) private func generic<Value>(_ value: Value, _ body: () async -> RunningTask?) async -> RunningTask? {
  var copies = [value]
  let found = await body()
  copies.append(value)
  return copies.count == 2 ? found : nil
}

/// What one thread found, for another.
private final class Name: Sendable {
  private let value = Mutex<String?>(nil)
  func set(_ name: String?) { value.withLock { $0 = name } }
  func get() -> String? { value.withLock { $0 } }
}

private actor Keeper {
  func read(_ depth: Int) async -> RunningTask? { await nested(depth, 0) }
}

@Suite("The task that a thread runs") struct RunningTaskTests {
  /// The program's functions that await the one under way, of each task. The names of all are asked for at once: that
  /// takes long.
  private static func functions(_ found: [RunningTask]) throws -> [[String]] {
    let places = try found.map { try #require($0.awaits).map { UInt($0) + 1 } }
    let symbols = ReportSymbols(places.flatMap { $0 }, withLines: false)
    return places.map { symbols.awaiting($0).map(\.function) }
  }

  @Test("Each function that awaits is found, whatever else the task's memory has", arguments: 0..<4)
  func chain(shape: Int) async throws {
    let depths = [0, 1, 2, 3, 4, 7, 8, 20, 60]
    var found: [RunningTask] = []
    for depth in depths {
      let task = Task(name: "depth \(depth) \(shape)") { await nested(depth, shape) }
      found.append(try #require(await task.value))
    }
    #expect(found.map(\.name) == depths.map { "depth \($0) \(shape)" } && found.allSatisfy { $0.number > 0 })
    for (depth, functions) in zip(depths, try Self.functions(found)) {
      let calls = stride(from: 1, through: depth, by: 1).flatMap { level in
        ((level + shape) % 4 == 1 ? ["closure #1 in nested(_:_:)", "generic<A>(_:_:)"] : []) + ["nested(_:_:)"]
      }
      #expect(functions == calls + ["closure #1 in RunningTaskTests.chain(shape:)"], "depth \(depth): \(functions)")
    }
  }

  @Test("A task that goes over to an actor is still the thread's, and one that runs inside of another's call is")
  func whose() async throws {
    let keeper = Keeper()
    let task = Task(name: "moved") { await keeper.read(1) }
    let moved = try #require(await task.value), functions = try Self.functions([moved])[0]
    #expect(moved.name == "moved")
    #expect(functions.suffix(2) == ["Keeper.read(_:)", "closure #1 in RunningTaskTests.whose()"], "\(functions)")
    let both = await Task(name: "outer") { () -> [String?] in
      let inner = Task.immediate(name: "inner") { here()?.name }
      return [here()?.name, await inner.value, here()?.name]
    }.value
    #expect(both == ["outer", "inner", "outer"])
  }

  @Test("A thread that runs no task has none, neither before it ran one nor afterwards")
  func none() async {
    let inside = Name()
    let names = await withCheckedContinuation { continuation in
      PlainThread {
        let before = here()?.name
        _ = Task.immediate(name: "immediate") { inside.set(here()?.name) }
        continuation.resume(returning: [before, here()?.name])
      }
    }
    #expect(names == [nil, nil] && inside.get() == "immediate")
  }
}
