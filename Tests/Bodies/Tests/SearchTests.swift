// SearchTests.swift: searches of all schedules of bodies with queues, groups and semaphores: what is left out changes nothing. Each body is
// searched twice, once with every step taken to touch everything, and must come to the same ends.
import Glibc
import SignalboxExplore
import SignalboxFoundation
import Synchronization
import Testing

@Suite("All schedules of bodies with queues", .serialized, .enabled(if: !isSanitized)) struct SearchTests {
  /// The ends that a body comes to, and how many schedules there are.
  private static func ends(
    reduced: Bool, schedules: Int = 200_000, _ body: @escaping @Sendable (Log) -> Void
  ) throws -> (ends: Set<String>, result: ExploreResult) {
    let ends = Shared<Set<String>>([])
    setenv("SIGNALBOX_EXPLORE_REDUCE", reduced ? "on" : "off", 1)
    defer { unsetenv("SIGNALBOX_EXPLORE_REDUCE") }
    let result = try explore(schedules: schedules, strategy: .exhaustive) {
      let log = Log()
      body(log)
      ends.value.insert(log.text)
    }
    return (ends.value, result)
  }

  private static func compare(_ name: String, _ expected: Set<String>, _ body: @escaping @Sendable (Log) -> Void) throws {
    let few = try ends(reduced: true, body), all = try ends(reduced: false, body)
    print("\(name): \(few.result.schedules) of \(all.result.schedules) schedules, \(all.ends.count) ends")
    #expect(all.result.isExhaustive && few.result.isExhaustive, "\(name)")
    #expect(few.ends == all.ends, "\(name)")
    #expect(all.ends == expected, "\(name)")
    #expect(few.result.schedules <= all.result.schedules, "\(name)")
  }

  @Test("Two threads that sync on one queue") func oneQueue() throws {
    try Self.compare("one queue", ["ab", "ba"]) { log in
      let queue = DispatchQueue(label: "queue")
      Log.threads {
        queue.sync { log.add("a") }
      } and: {
        queue.sync { log.add("b") }
      }
    }
  }

  @Test("Two threads that sync on two queues each have few schedules that differ") func twoQueues() throws {
    try Self.compare("two queues", ["xy|yx", "xy|xy", "yx|yx"]) { log in
      let one = DispatchQueue(label: "one"), two = DispatchQueue(label: "two")
      let right = Log()
      Log.threads {
        one.sync { log.add("x") }
        two.sync { right.add("x") }
      } and: {
        two.sync { right.add("y") }
        one.sync { log.add("y") }
      }
      log.add("|" + right.text)
    }
  }

  @Test("An item and a sync on one queue") func itemAndSync() throws {
    try Self.compare("item and sync", ["is", "si"]) { log in
      let queue = DispatchQueue(label: "queue")
      let thread = CThread { queue.async { log.add("i") } }
      queue.sync { log.add("s") }
      thread.join()
      queue.sync {}
    }
  }

  @Test("A semaphore that is signalled twice, and two threads wait for") func semaphore() throws {
    try Self.compare("semaphore", ["ab", "ba"]) { log in
      let semaphore = DispatchSemaphore(value: 0), order = DispatchQueue(label: "order")
      let thread = CThread {
        semaphore.wait()
        order.sync { log.add("a") }
      }
      semaphore.signal()
      semaphore.signal()
      semaphore.wait()
      order.sync { log.add("b") }
      thread.join()
    }
  }

  @Test("A group that is entered late: the wait may end before or after") func group() throws {
    try Self.compare("group", ["early", "late"]) { log in
      let group = DispatchGroup(), done = DispatchSemaphore(value: 0), queue = DispatchQueue(label: "queue")
      var isLate = false
      queue.async {
        group.enter()
        group.leave()
        done.signal()
      }
      isLate = done.wait(timeout: .now()) == .success
      group.wait()
      if !isLate { done.wait() }
      log.add(isLate ? "late" : "early")
    }
  }

  @Test("Items of a concurrent queue and a barrier") func barrier() throws {
    try Self.compare("barrier", ["ab", "ba"]) { log in
      let queue = DispatchQueue(label: "queue", attributes: .concurrent)
      Log.threads {
        queue.sync { log.add("a") }
      } and: {
        queue.sync(flags: .barrier) { log.add("b") }
      }
    }
  }

  @Test("A work item that is waited for and cancelled") func workItem() throws {
    try Self.compare("work item", ["ran", "skipped"]) { log in
      let ran = Log()
      let item = DispatchWorkItem { ran.add("ran") }
      DispatchQueue(label: "queue").async(execute: item)
      item.cancel()
      item.wait()
      log.add(ran.text.isEmpty ? "skipped" : "ran")
    }
  }

  @Test("Two mutexes of the C library: that a thread waits for one is no order of its own") func mutexes() throws {
    try Self.compare("mutexes", ["ab|ab", "ab|ba", "ba|ba"]) { log in
      let one = CMutex(), two = CMutex(), right = Log()
      Log.threads {
        one.withLock { log.add("a") }
        two.withLock { right.add("a") }
      } and: {
        two.withLock { right.add("b") }
        one.withLock { log.add("b") }
      }
      log.add("|" + right.text)
    }
  }

  @Test("A try at a mutex of the C library meets it free, held, and given back") func tryMutex() throws {
    try Self.compare("try mutex", ["ab", "a-", "ba"]) { log in
      let mutex = CMutex()
      Log.threads {
        mutex.withLock { log.add("a") }
      } and: {
        guard mutex.tryLock() else { return log.add("-") }
        log.add("b")
        mutex.unlock()
      }
    }
  }

  @Test("A condition that is waited for, and signalled outside of its lock, beside a queue") func condition() throws {
    try Self.compare("condition", ["early|yx", "late|yx"]) { log in
      let condition = NSCondition(), isSet = Shared(false), queue = DispatchQueue(label: "queue"), beside = Log()
      Log.threads {
        condition.lock()
        log.add(isSet.value ? "late" : "early")
        while !isSet.value { condition.wait() }
        condition.unlock()
        queue.sync { beside.add("x") }
      } and: {
        queue.sync { beside.add("y") }
        condition.lock()
        isSet.value = true
        condition.unlock()
        condition.signal()
      }
      log.add("|" + beside.text)
    }
  }

  @Test("A signal that comes before anybody waits is lost, and one that comes later is not") func lostSignal() throws {
    try Self.compare("lost signal", ["told", "missed"]) { log in
      let condition = NSCondition(), queue = DispatchQueue(label: "queue")
      Log.threads {
        condition.lock()
        log.add(condition.wait(until: Date(timeIntervalSinceNow: 0.01)) ? "told" : "missed")
        condition.unlock()
      } and: {
        queue.sync {}
        condition.signal()
      }
    }
  }

  @Test("A delayed item and a sync on its queue") func delay() throws {
    @Sendable func body(_ log: Log) {
      let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
      queue.asyncAfter(deadline: .now() + .milliseconds(10)) {
        log.add("d")
        done.signal()
      }
      queue.sync { log.add("s") }
      done.wait()
    }
    // Without reduction there are more than 200,000: of these some, which come to nothing else.
    let few = try Self.ends(reduced: true, body), some = try Self.ends(reduced: false, schedules: 20_000, body)
    print("delay: \(few.result)")
    #expect(few.ends == ["ds", "sd"])
    #expect(some.ends.isSubset(of: few.ends))
    #expect(few.result.isExhaustive)
  }

  @Test("Queues with a target take turns, whose order is searched") func targets() throws {
    try Self.compare("targets", ["ab", "ba"]) { log in
      let below = DispatchQueue(label: "below")
      let one = DispatchQueue(label: "one", target: below), two = DispatchQueue(label: "two", target: below)
      Log.threads {
        one.sync { log.add("a") }
      } and: {
        two.sync { log.add("b") }
      }
    }
  }
}

@Suite("Small bodies, by the default strategy", .serialized) struct SmallBodyTests {
  @Test("A body of few schedules is searched by itself, and the result says so") func small() throws {
    let result = try explore(schedules: 1_000) {
      let one = DispatchQueue(label: "one"), two = DispatchQueue(label: "two")
      Log.threads {
        one.sync { two.sync {} }
      } and: {
        one.sync { two.sync {} }
      }
    }
    #expect(result.isExhaustive)
    #expect(result.distinct > 1)
    #expect(result.description.hasPrefix("explored all \(result.distinct) schedules, and "))
  }

  @Test("A body of many is not") func large() throws {
    let result = try explore(schedules: 200) {
      let one = DispatchQueue(label: "one")
      let done = DispatchGroup()
      for _ in 0..<5 { DispatchQueue.global().async(group: done) { for _ in 0..<5 { one.sync {} } } }
      done.wait()
    }
    #expect(!result.isExhaustive)
  }
}

/// What threads have done, in order: guarded by what is tested.
final class Log: @unchecked Sendable {
  // SAFETY of @unchecked: in a body that is explored one thread runs at a time.
  private(set) var text = ""
  func add(_ word: String) { text += word }

  /// Runs both on threads of their own, and waits for their ends.
  static func threads(
    _ one: @escaping @Sendable () -> Void, and other: @escaping @Sendable () -> Void
  ) {
    let threads = [CThread(one), CThread(other)]
    for thread in threads { thread.join() }
  }
}

/// A mutex of the C library.
private final class CMutex: @unchecked Sendable {
  // SAFETY of @unchecked: the mutex lives as long as this, which threads share by reference.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() { pthread_mutex_init(mutex, nil) }
  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }
  func unlock() { pthread_mutex_unlock(mutex) }
  func withLock(_ body: () -> Void) {
    pthread_mutex_lock(mutex)
    body()
    unlock()
  }
}
