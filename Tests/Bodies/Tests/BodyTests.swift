// BodyTests.swift: bodies with queues, groups, locks, threads and timers: what fails under some schedule is found, and nothing else.
import ExploredShapes
import Glibc
import SignalboxExplore
import SignalboxFoundation
import Synchronization
import Testing

@Suite("Bodies that are explored", .serialized) struct BodyTests {
  @Test("Two threads that take two queues in the same order never fail") func sameOrder() throws {
    let result = try explore(schedules: 500, strategy: .random, takeTwoQueues)
    #expect(result.schedules == 500)
    #expect(result.switches > 500)
    #expect(result.description == "explored 500 schedules: none fails")
  }

  @Test("Two threads that take two queues in opposite orders are a deadlock, told with both queues and two switches")
  func oppositeOrders() throws {
    let failure = try failure { try explore(schedules: 3_000) { crossTwoQueues() } }
    #expect(failure.kind == .deadlock)
    #expect(failure.schedule ?? 0 > 1)
    #expect(failure.description.contains(#"holds serial queue "left" and wants serial queue "right""#))
    #expect(failure.switches.count <= 6)
    #expect(failure.switches.contains { $0.contains("sync on queue") && $0.contains("BodyTests.swift:") })
    #expect(failure.token.hasPrefix("xp1:"))
  }

  @Test("Mutexes of the C library are seen as well: a lock order that contradicts itself is a deadlock") func foundationLocks()
    throws
  {
    let failure = try failure {
      try explore(schedules: 3_000) {
        let a = NSLock(), b = NSLock()
        let done = DispatchGroup()
        for (first, second) in [(a, b), (b, a)] {
          done.enter()
          Thread.detachNewThread {
            first.withLock { second.withLock {} }
            done.leave()
          }
        }
        done.wait()
      }
    }
    #expect(failure.kind == .deadlock)
  }

  @Test(
    "A count that two items read and write without a barrier is found to be wrong, with one, not", .enabled(if: !isSanitized))
  func lostUpdate() throws {
    @Sendable func body(_ flags: DispatchWorkItemFlags) throws {
      let queue = DispatchQueue(label: "counts", attributes: .concurrent)
      let count = Shared(0), group = DispatchGroup()
      for _ in 0..<2 {
        queue.async(group: group, flags: flags) {
          let seen = count.value
          sched_yield()
          count.value = seen + 1
        }
      }
      group.wait()
      if count.value != 2 { throw Wrong("counted \(count.value) of 2") }
    }
    let failure = try failure { try explore(schedules: 2_000) { try body([]) } }
    #expect(failure.kind == .error)
    #expect(failure.message == "counted 1 of 2")
    try explore(schedules: 500) { try body(.barrier) }
  }

  @Test("Serial queues run their items one at a time and in order, on a main queue of the body's own as well")
  func order() throws {
    try explore(schedules: 500) {
      for queue in [DispatchQueue(label: "own"), .main] {
        let seen = Shared<[Int]>([])
        for number in 0..<4 { queue.async { seen.value.append(number) } }
        queue.sync {}
        if seen.value != [0, 1, 2, 3] { throw Wrong("\(queue.label): \(seen.value)") }
      }
    }
  }

  @Test("A group that is waited for while a member is not in yet is found", .enabled(if: !isSanitized)) func lateEnter() throws
  {
    let failure = try failure {
      try explore(schedules: 2_000) {
        if countLateMember() != 1 { throw Wrong("the group was empty too early") }
      }
    }
    #expect(failure.kind == .error)
  }

  @Test("Timers and delays come in the order of their times, and take none") func time() throws {
    let clock = ContinuousClock()
    let took = try clock.measure {
      try explore(schedules: 100) {
        let begin = DispatchTime.now()
        let order = Shared<[Int]>([]), done = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "times")
        for hours in [3, 1, 2] {
          queue.asyncAfter(deadline: begin + .seconds(hours * 3600)) {
            order.value.append(hours)
            done.signal()
          }
        }
        for _ in 0..<3 { done.wait() }
        Thread.sleep(forTimeInterval: 3600)
        if order.value != [1, 2, 3] { throw Wrong("\(order.value)") }
        let hours = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 3.6e12
        if hours < 4 || hours > 4.01 { throw Wrong("\(hours) hours") }
      }
    }
    #expect(took < .seconds(60))
  }

  @Test("A wait with a limit ends by either, and both are tried") func timeouts() throws {
    let outcomes = Shared<Set<Bool>>([])
    try explore(schedules: 1_000) {
      let semaphore = DispatchSemaphore(value: 0)
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { semaphore.signal() }
      let isInTime = semaphore.wait(timeout: .now() + .milliseconds(10)) == .success
      outcomes.value.insert(isInTime)
      if !isInTime { semaphore.wait() }
    }
    #expect(outcomes.value == [true, false])
  }

  @Test("Two runs with one seed are the same, and another seed's differ") func seeds() throws {
    func token(_ seed: UInt64) throws -> String {
      try failure { try explore(schedules: 3_000, seed: seed) { crossTwoQueues() } }.token
    }
    #expect(try token(5) == token(5))
  }

  @Test("What other tests of the process do meanwhile changes nothing") func beside() throws {
    let isOver = Flag(), busy = DispatchGroup()
    for _ in 0..<2 {
      DispatchQueue.global().async(group: busy) { while !isOver.isSet { DispatchQueue.global().sync {} } }
    }
    defer {
      isOver.set()
      busy.wait()
    }
    let first = try explore(schedules: 200) { try countInTurns() }
    let second = try explore(schedules: 200) { try countInTurns() }
    #expect(first.steps == second.steps)
    #expect(first.switches == second.switches)
  }

  @Test("An exploration in a body that is explored is refused") func nested() throws {
    let failure = try failure { try explore(schedules: 1) { try explore(schedules: 1) {} } }
    #expect(failure.message.contains("cannot be called in a body that is explored itself"))
  }

  // The sanitizer is not to miss a thread: those of failed schedules sleep on.
  @Test("Explorations leave no thread behind, whether a schedule fails or not", .enabled(if: !isSanitized)) func threads()
    throws
  {
    func count() -> Int {
      var status = stat()
      return stat("/proc/self/task", &status) == 0 ? Int(status.st_nlink) - 2 : 0
    }
    try explore(schedules: 10) { try countInTurns() }
    let before = count()
    for seed in 1...20 {
      try explore(schedules: 10, seed: UInt64(seed)) { try countInTurns() }
      _ = try failure { try explore(schedules: 1) { DispatchSemaphore(value: 0).wait() } }
    }
    // One that has just been told to end may not be gone yet.
    try eventually(within: 30) { count() <= before }
  }

  @Test("A thread that goes on and on without getting anywhere is found") func noProgress() throws {
    let failure = try failure {
      try explore(schedules: 1) { while true { sched_yield() } }
    }
    #expect(failure.kind == .noProgress)
  }
}

@Suite("Small bodies, of which all schedules are tried", .serialized) struct ExhaustiveTests {
  @Test("Two mutexes in one order: the result says that these were all schedules") func complete() throws {
    let result = try explore(schedules: 20_000, strategy: .exhaustive) { lockInTurns([0, 1], [0, 1]) }
    #expect(result.isExhaustive)
    #expect(result.schedules > 1)
    #expect(result.description == "explored all \(result.schedules) schedules: none fails")
  }

  @Test("Two mutexes in opposite orders: the search finds the deadlock") func found() throws {
    let failure = try failure { try explore(schedules: 20_000, strategy: .exhaustive) { lockInTurns([0, 1], [1, 0]) } }
    #expect(failure.kind == .deadlock)
  }
}

/// Threads of the C library that take its mutexes by their numbers, one inside the other.
private func lockInTurns(_ orders: [Int]...) {
  let mutexes = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 2)
  defer { mutexes.deallocate() }
  for number in 0..<2 { pthread_mutex_init(mutexes + number, nil) }
  let threads = orders.map { order in
    CThread {
      for number in order { pthread_mutex_lock(mutexes + number) }
      for number in order.reversed() { pthread_mutex_unlock(mutexes + number) }
    }
  }
  for thread in threads { thread.join() }
}

/// A thread of the C library.
final class CThread {
  private var thread = pthread_t()
  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  init(_ body: @escaping () -> Void) {
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    let error = pthread_create(
      &thread, nil,
      {
        // SAFETY: the reference made for this thread is taken over here.
        Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().body()
        return nil
      }, work)
    precondition(error == 0)
  }
  func join() { pthread_join(thread, nil) }
}

@Suite("What a body leaves behind", .serialized) struct LeftoverTests {
  @Test("A group that is still entered is named") func group() throws {
    let failure = try failure {
      try explore(schedules: 10) {
        let group = DispatchGroup()
        group.name = "downloads"
        group.enter()
        group.notify(queue: .main) {}
      }
    }
    #expect(failure.kind == .unfinished)
    // Who asks for names has locks, which the sanitizer is not to see.
    #expect(
      failure.message.contains(isSanitized ? "was entered once" : #"group "downloads" was entered once more than it was left"#))
  }

  @Test("A queue that is suspended, or was never activated, is named if it holds items") func stoppedQueue() throws {
    // A queue that goes while it is suspended stops the program.
    let kept = Shared<[DispatchQueue]>([])
    let suspended = try failure {
      try explore(schedules: 10) {
        let queue = DispatchQueue(label: "held")
        kept.value.append(queue)
        queue.suspend()
        for _ in 0..<2 { queue.async {} }
      }
    }
    #expect(suspended.kind == .unfinished)
    #expect(suspended.message.contains(#""held" is suspended and holds 2 items"#), "\(suspended.message)")
    let inactive = try failure {
      try explore(schedules: 10) {
        let queue = DispatchQueue(label: "new", attributes: .initiallyInactive)
        kept.value.append(queue)
        queue.async {}
      }
    }
    #expect(inactive.message.contains(#""new" is inactive and holds an item"#), "\(inactive.message)")
  }

  @Test("A queue that is suspended and empty, or goes on in time, is no failure") func resumedQueue() throws {
    let kept = Shared<[DispatchQueue]>([])
    try explore(schedules: 50, strategy: .random) {
      let queue = DispatchQueue(label: "held"), empty = DispatchQueue(label: "empty")
      queue.suspend()
      queue.async {}
      queue.resume()
      queue.sync {}
      empty.suspend()
      kept.value.append(empty)
    }
    for queue in kept.value { queue.resume() }
  }

  @Test("An armed timer is reported") func timer() throws {
    let failure = try failure {
      try explore(schedules: 10) { DispatchQueue.main.asyncAfter(deadline: .now() + 5) {} }
    }
    #expect(failure.kind == .unfinished)
    #expect(failure.message.contains("a timer is still armed"))
  }

  @Test("A thread that waits forever is reported") func thread() throws {
    let failure = try failure {
      try explore(schedules: 10) { Thread.detachNewThread { DispatchSemaphore(value: 0).wait() } }
    }
    #expect(failure.kind == .unfinished)
    #expect(failure.message.contains("a thread has not ended"))
  }

  @Test("Items that have not run when the body returns run, and are no failure") func items() throws {
    let count = Counter()
    try explore(schedules: 100, strategy: .random) { for _ in 0..<3 { DispatchQueue.global().async { count.add() } } }
    #expect(count.value == 300)
  }
}

@Suite("Threads outside of the body", .serialized) struct OutsideTests {
  @Test("Semaphores that the body has brought along are signalled to and fro with a thread under no control") func semaphores()
    throws
  {
    let asked = DispatchSemaphore(value: 0), answered = DispatchSemaphore(value: 0), isOver = Flag()
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while true {
        asked.wait()
        if isOver.isSet { break }
        answered.signal()
      }
      ended.signal()
    }
    defer {
      isOver.set()
      asked.signal()
      ended.wait()
    }
    let result = try explore(schedules: 100, strategy: .random) {
      let queue = DispatchQueue(label: "own")
      for _ in 0..<2 {
        asked.signal()
        queue.async {}
        answered.wait()
      }
      queue.sync {}
    }
    #expect(result.schedules == 100)
  }

  @Test("A condition of the C library that the body has brought along is signalled to and fro with a thread under no control")
  func conditions() throws {
    let desk = Desk()
    let clerk = CThread { while desk.wait(for: [.asked, .closed]) == .asked { desk.set(.answered) } }
    defer {
      desk.set(.closed)
      clerk.join()
    }
    let result = try explore(schedules: 100, strategy: .random) {
      let queue = DispatchQueue(label: "own")
      for _ in 0..<2 {
        desk.set(.asked)
        queue.async {}
        _ = desk.wait(for: [.answered])
      }
      queue.sync {}
    }
    #expect(result.schedules == 100)
  }

  @Test("A body that waits for a thread under no control, which never comes, is still a deadlock") func never() throws {
    let never = DispatchSemaphore(value: 0)
    let failure = try failure { try explore(schedules: 10) { never.wait() } }
    #expect(failure.kind == .deadlock)
    // The wait of the schedule that failed has taken one.
    never.signal()
  }
}

/// Waits for a group whose only member may not be in yet; how many there have been by then.
func countLateMember() -> Int {
  let group = DispatchGroup(), count = Shared(0)
  DispatchQueue.global().async {
    group.enter()
    count.value += 1
    group.leave()
  }
  group.wait()
  return count.value
}

/// A state under a mutex of the C library, to wait for with its condition.
final class Desk: @unchecked Sendable {
  // SAFETY of @unchecked: the state is touched with the mutex held; mutex and condition live as long as the desk.
  enum State { case free, asked, answered, closed }
  private var state = State.free
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }
  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func set(_ state: State) {
    pthread_mutex_lock(mutex)
    self.state = state
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }
  func wait(for states: [State]) -> State {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !states.contains(state) { pthread_cond_wait(changed, mutex) }
    return state
  }
}

/// Threads that take queues "left" and "right" in opposite orders.
func crossTwoQueues() {
  let left = DispatchQueue(label: "left"), right = DispatchQueue(label: "right")
  let done = DispatchGroup()
  for (first, second) in [(left, right), (right, left)] {
    done.enter()
    Thread.detachNewThread {
      first.sync { second.sync {} }
      done.leave()
    }
  }
  done.wait()
}

func countInTurns() throws {
  let queue = DispatchQueue(label: "count"), count = Shared(0), group = DispatchGroup()
  for _ in 0..<3 { DispatchQueue.global().async(group: group) { queue.sync { count.value += 1 } } }
  group.wait()
  if count.value != 3 { throw Wrong("counted \(count.value) of 3") }
}
