// Program.swift: one program of tasks, drawn from a number, that comes to a stop at a point that it knows: what each
// task does there, in words. It goes on and ends when it is asked to.
import Dispatch
import Synchronization

/// Numbers that follow from the first.
struct Draw {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int((state >> 11) % UInt64(limit))
  }
}

/// What the tasks of a program share.
final class Stage: Sendable {
  private let ends = Mutex<[@Sendable () -> Void]>([])
  let idle = Idle(), busy = Busy(), own = Own(executor: QueueExecutor()), occupied = Own(executor: QueueExecutor())
  let pool = PoolExecutor()

  /// What makes one of the tasks go on.
  func atEnd(_ end: @escaping @Sendable () -> Void) { ends.withLock { $0.append(end) } }
  func end() { for end in ends.withLock({ $0 }) { end() } }

  /// Until the end of the program.
  func wait() async -> Int { await withUnsafeContinuation { continuation in atEnd { continuation.resume(returning: 1) } } }
  func checkedWait() async -> Int {
    await withCheckedContinuation { continuation in atEnd { continuation.resume(returning: 1) } }
  }
}

/// What one task does at the point where the program stops.
indirect enum Deed: Sendable {
  case continuation, checked, handled, local, sleep, oldSleep, stream, idle, main, own
  case queued, queuedOnOwn
  case value(Int)
  case lets(Int)
  case group([Deed], isDiscarding: Bool)
}

/// How a task is made.
enum Making: Int, CaseIterable, Sendable { case plain, detached, immediate, onMain, preferring }

@TaskLocal var local = 0

struct Program {
  /// What each named task does, by the names: as a reader of the process is to say it.
  private(set) var truth: [String: String] = [:]
  /// All tasks, and those that are `async let`.
  private(set) var tasks = 0, lets = 0
  let stage = Stage()
  private var draw: Draw
  private var made: [Task<Int, Never>] = []

  init(_ seed: UInt64) { draw = Draw(seed) }

  /// Makes its tasks. They come to their points by themselves.
  mutating func begin() async {
    let stage = stage
    begin("holder", .queued, .plain, 0, cancelled: false, deed: "runs") { await stage.busy.occupy(stage) }
    begin("owner", .queuedOnOwn, .plain, 0, cancelled: false, deed: "runs") { await stage.occupied.occupy(stage) }
    while await !stage.idle.areOccupied(stage) { await Task.yield() }
    for number in 0..<1 + draw.below(16) {
      let deed = drawn(below: 2), making = Making.allCases[draw.below(Making.allCases.count)]
      begin("t\(number)", deed, making, draw.below(5), cancelled: draw.below(5) == 0 && Self.staysCancelled(deed))
    }
  }

  /// Lets all tasks go on, and waits for their ends.
  func end() async {
    stage.end()
    for task in made { task.cancel() }
    for task in made { _ = await task.value }
  }

  // MARK: drawing

  private mutating func drawn(below depth: Int) -> Deed {
    switch draw.below(depth > 0 ? 17 : 13) {
    case 0: .continuation
    case 1: .checked
    case 2: .handled
    case 3: .local
    case 4: .sleep
    case 5: .oldSleep
    case 6: .stream
    case 7: .idle
    case 8: .main
    case 9: .own
    case 10: .queued
    case 11: .queuedOnOwn
    // The first two hold the actors.
    case 12: made.count > 2 ? .value(2 + draw.below(made.count - 2)) : .continuation
    case 13: .lets(1 + draw.below(3))
    default: .group((0...draw.below(4)).map { _ in drawn(below: depth - 1) }, isDiscarding: draw.below(3) == 0)
    }
  }

  /// Whether a task that does this takes no notice of being cancelled; of its children none does either.
  private static func staysCancelled(_ deed: Deed) -> Bool {
    switch deed {
    case .continuation, .checked, .handled, .local, .idle, .main, .own, .value: true
    case .sleep, .oldSleep, .stream, .queued, .queuedOnOwn, .lets, .group: false
    }
  }

  // MARK: what is so

  private mutating func note(_ name: String, _ deed: Deed, depth: Int, suffix: String = "") {
    tasks += 1
    let text: String
    switch deed {
    case .continuation, .checked, .handled, .local, .stream, .idle, .main, .own: text = "awaits a continuation"
    case .sleep, .oldSleep: text = "sleeps"
    case .queued: text = "queued on Busy"
    case .queuedOnOwn: text = "queued on QueueExecutor"
    case .value(let other): text = "awaits t\(other - 2)"
    case .lets(let count):
      text = "awaits "
      (tasks, lets) = (tasks + count, lets + count)
    case .group(let children, _):
      text = "awaits one of \(children.indices.map { "\(name).\($0)" })"
      for (number, child) in children.enumerated() {
        note("\(name).\(number)", child, depth: number % 3, suffix: " below \(name)")
      }
    }
    truth[name] = "\(text)\(suffix), \(depth) deep"
  }

  // MARK: making

  private mutating func begin(
    _ name: String, _ what: Deed, _ making: Making, _ depth: Int, cancelled: Bool, deed: String? = nil,
    _ own: (@Sendable () async -> Int)? = nil
  ) {
    if let deed {
      truth[name] = deed
      tasks += 1
    } else {
      note(name, what, depth: depth, suffix: cancelled ? ", cancelled" : "")
    }
    let stage = stage, others = made
    let body: @Sendable () async -> Int =
      own ?? { await deeper(depth) { await Self.reach(what, name, stage, others) } }
    let task: Task<Int, Never> =
      switch making {
      case .plain: Task(name: name) { await body() }
      case .detached: Task.detached(name: name, priority: .utility) { await body() }
      case .immediate: Task.immediate(name: name) { await body() }
      case .onMain: Task(name: name) { @MainActor in await body() }
      case .preferring: Task(name: name, executorPreference: stage.pool) { await body() }
      }
    if cancelled { task.cancel() }
    made.append(task)
  }

  /// The point where the program stops.
  private static func reach(_ deed: Deed, _ name: String, _ stage: Stage, _ others: [Task<Int, Never>]) async -> Int {
    switch deed {
    case .continuation: return await stage.wait()
    case .checked: return await stage.checkedWait()
    case .handled:
      return await withTaskCancellationHandler {
        await stage.wait()
      } onCancel: {
      }
    case .local: return await $local.withValue(2) { await stage.wait() }
    case .sleep:
      try? await Task.sleep(for: .seconds(5_000))
      return 1
    case .oldSleep:
      try? await Task.sleep(nanoseconds: 5_000_000_000_000)
      return 1
    case .stream:
      let (stream, feed) = AsyncStream<Int>.makeStream()
      stage.atEnd { feed.finish() }
      var sum = 0
      for await number in stream { sum += number }
      return sum
    case .idle: return await stage.idle.wait(stage)
    case .main: return await wait(onMainFor: stage)
    case .own: return await stage.own.wait(stage)
    case .queued: return await stage.busy.add()
    case .queuedOnOwn: return await stage.occupied.add()
    case .value(let other): return await others[other].value
    case .lets(let count):
      async let one = stage.wait()
      if count == 1 { return await one }
      async let two = stage.checkedWait()
      if count == 2 { return await one + two }
      async let three = stage.idle.wait(stage)
      return await one + two + three
    case .group(let children, isDiscarding: true):
      await withDiscardingTaskGroup { group in
        for (number, child) in children.enumerated() {
          group.addTask(name: "\(name).\(number)") {
            _ = await deeper(number % 3) { await reach(child, "\(name).\(number)", stage, others) }
          }
        }
      }
      return 1
    case .group(let children, isDiscarding: false):
      return await withTaskGroup(of: Int.self) { group in
        for (number, child) in children.enumerated() {
          group.addTask(name: "\(name).\(number)") {
            await deeper(number % 3) { await reach(child, "\(name).\(number)", stage, others) }
          }
        }
        return await group.reduce(0, +)
      }
    }
  }
}

/// Awaits the last function below as many calls of itself.
@inline(never) func deeper(_ left: Int, _ last: @Sendable () async -> Int) async -> Int {
  if left == 0 { return await last() }
  let number = await deeper(left - 1, last)
  return number + 1
}

@MainActor private func wait(onMainFor stage: Stage) async -> Int { await stage.wait() }
