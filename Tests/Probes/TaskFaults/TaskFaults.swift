// TaskFaults.swift: a small server of tasks on the toolchain's own library, without Signalbox, with a fault that its
// argument names, or none. It says "ready" once it serves. Ended by a signal.
//   TaskFaults lost        a way out forgets to give a connection back: requests wait for continuations
//   TaskFaults cache       two cached values are made by tasks that await each other
//   TaskFaults actor       an actor writes for good while two hundred tasks want it
//   TaskFaults children    a group was cancelled, and waits for a child that takes no notice
//   TaskFaults semaphore   a task on every thread of the pool waits for a semaphore that a queued task would signal
//   TaskFaults stream      a stream is never finished
//   TaskFaults none        the same server without a fault
import Dispatch
import Glibc
import Synchronization

/// Connections that handlers take and give back.
actor Pool {
  private var free = [0, 1]
  private var waiting: [CheckedContinuation<Int, Never>] = []

  func lease() async -> Int {
    if let connection = free.popLast() { return connection }
    return await withCheckedContinuation { waiting.append($0) }
  }

  func giveBack(_ connection: Int) {
    if waiting.isEmpty { return free.append(connection) }
    waiting.removeFirst().resume(returning: connection)
  }
}

/// What happened, in a file that takes its time.
actor Journal {
  private var lines = 0
  func write(isSlow: Bool) {
    isWriting.store(true, ordering: .releasing)
    while isSlow { pause() }
    lines += 1
  }
}

struct Refused: Error {}
let pool = Pool(), journal = Journal(), isWriting = Atomic(false), areMade = Atomic(false)

func query(isFaulty: Bool) async throws -> Int {
  let connection = await pool.lease()
  // The first two that get a connection keep it, whichever they are.
  if isFaulty { throw Refused() }
  await Task.yield()
  await pool.giveBack(connection)
  return connection
}

func handle(isFaulty: Bool) async {
  _ = try? await query(isFaulty: isFaulty)
}

/// Two values of a cache, each of which is made from the other.
final class Cache: @unchecked Sendable {
  // SAFETY: written once, before `areMade`, which each reader awaits.
  var users: Task<Int, Never>?, orders: Task<Int, Never>?
}
let cache = Cache()

func users() async -> Int {
  while !areMade.load(ordering: .acquiring) { await Task.yield() }
  return await cache.orders?.value ?? 0
}
func orders(isFaulty: Bool) async -> Int {
  while !areMade.load(ordering: .acquiring) { await Task.yield() }
  return isFaulty ? await cache.users?.value ?? 0 : 1
}

/// Waits, whether it is cancelled or not.
func stubborn() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

@main struct TaskFaults {
  static func main() async {
    let faults = ["lost", "cache", "actor", "children", "semaphore", "stream", "none"]
    guard let fault = CommandLine.arguments.dropFirst().first, faults.contains(fault) else {
      print("usage: TaskFaults \(faults.joined(separator: " | "))")
      exit(64)
    }
    cache.users = Task(name: "users") { await users() }
    cache.orders = Task(name: "orders") { await orders(isFaulty: fault == "cache") }
    areMade.store(true, ordering: .releasing)
    if fault == "children" { supervise() }
    if fault == "stream" { follow() }
    if fault == "actor" { await writeForGood() }
    print("ready")
    fflush(nil)
    if fault == "semaphore" { block() }
    await serve(isFaulty: fault == "lost", isEndless: fault == "none")
    _ = await cache.users?.value
    while true { try? await Task.sleep(for: .seconds(1)) }
  }

  /// Sixty requests at once, each in a task of its own; again and again without a fault.
  static func serve(isFaulty: Bool, isEndless: Bool) async {
    repeat {
      await withDiscardingTaskGroup { group in
        for request in 0..<60 {
          group.addTask(name: "GET /orders/\(request)") { await handle(isFaulty: isFaulty) }
        }
      }
      await journal.write(isSlow: false)
    } while isEndless
  }

  static func supervise() {
    Task(name: "supervisor") {
      await withTaskGroup(of: Void.self) { group in
        group.addTask(name: "stubborn") { await stubborn() }
        group.addTask(name: "quick") {}
        await group.next()
        group.cancelAll()
      }
    }
  }

  static func follow() {
    let stream = AsyncStream<Int> { $0.yield(1) }
    Task(name: "follower") { for await number in stream where number < 0 { print(number) } }
  }

  static func writeForGood() async {
    Task(name: "writer") { await journal.write(isSlow: true) }
    while !isWriting.load(ordering: .acquiring) { await Task.yield() }
    for number in 0..<200 { Task(name: "entry \(number)") { await journal.write(isSlow: false) } }
  }

  static func block() {
    let done = DispatchSemaphore(value: 0), count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    // More than there are threads: one that begins last would signal all.
    for number in 0..<count { Task(name: "waiter \(number)") { waitBlocked(done) } }
    for number in 0..<4 { Task(name: "signaller \(number)") { for _ in 0..<count { done.signal() } } }
  }
}

/// In a function of its own, as `wait()` is not to be called in an async one.
@inline(never) func waitBlocked(_ semaphore: DispatchSemaphore) { semaphore.wait() }
