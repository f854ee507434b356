// Storm.swift: tasks come and go by the hundred thousand, while the program takes snapshots of its own tasks: a hundred
// that stay are in each snapshot, and none is there twice. What readers from outside see of such tasks is TaskProbe's.
import Glibc
import Signalbox
import Synchronization

enum Storm {
  private static let stays = 100, most = 100_000
  private static let made = Atomic(0), isOver = Atomic(false)
  private static let kept = Mutex<[CheckedContinuation<Void, Never>]>([])

  /// Takes snapshots until there were `count` of them and a hundred thousand tasks, and says how many there were. What
  /// is wrong it says in a line that begins with "fault".
  static func take(_ count: Int) -> Never {
    let staying = (0..<stays).map { number in Task.detached(name: "stays \(number)") { await stay() } }
    let storm = (0..<4).map { _ in Task.detached { await blow() } }
    while kept.withLock(\.count) < stays { sched_yield() }
    print("ready")
    fflush(nil)
    // No code resumes their continuations before the end: once all wait, they wait in each snapshot.
    var wanted: [Int] = []
    while wanted.count < stays { wanted = numbers(Tasks.snapshot(withLines: false)) }
    var taken = 0
    while taken < count || made.load(ordering: .relaxed) < most {  // relaxed: a count, and nothing else is read by it
      let snapshot = Tasks.snapshot(withLines: false), all = snapshot.tasks.map(\.number)
      taken += 1
      if numbers(snapshot) != wanted { fail("\(numbers(snapshot)) wait, and \(wanted) are to", after: taken) }
      if Set(all).count != all.count || all != all.sorted() { fail("tasks are there twice: \(all)", after: taken) }
      if !snapshot.cycles.isEmpty { fail("no tasks wait for one another: \(snapshot.cycles)", after: taken) }
    }
    isOver.store(true, ordering: .releasing)  // release: pairs with the acquire in `blow`
    for continuation in kept.withLock({ $0 }) { continuation.resume() }
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      for task in staying { await task.value }
      for task in storm { await task.value }
      ended.signal()
    }
    ended.wait()
    print("\(taken) snapshots, \(made.load(ordering: .relaxed)) tasks")  // relaxed: all that count have ended
    fflush(nil)
    exit(0)
  }

  private static func fail(_ what: String, after count: Int) -> Never {
    print("fault: in snapshot \(count): \(what)")
    fflush(nil)
    exit(1)
  }

  private static func numbers(_ snapshot: Tasks.Snapshot) -> [Int] {
    snapshot.tasks.filter { $0.name.hasPrefix("stays ") && $0.awaited == .continuation }.map(\.number)
  }

  private static func stay() async { await withCheckedContinuation { own in kept.withLock { $0.append(own) } } }

  private static func blow() async {
    while !isOver.load(ordering: .acquiring) {  // acquire: pairs with the release in `take`
      async let one = Task { 1 }.value
      let sum = await withTaskGroup(of: Int.self) { group in
        for number in 0..<8 { group.addTask { number } }
        return await group.reduce(0, +)
      }
      _ = await one + sum
      made.add(10, ordering: .relaxed)  // relaxed: a count
    }
  }
}
