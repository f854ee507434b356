// ArticlePracticeTests.swift: the snippets of "GCD best practices" (seed S3) in today's syntax, doing what the article says.
import SignalboxCNames
import Testing

@Suite("Snippets of the article on GCD best practices") struct ArticlePracticeTests {
  /// "Work in the background": compute on a global queue, go on elsewhere with the result.
  @Test("Work is done on a global queue, and its result is used elsewhere")
  func workInTheBackground() {
    let results = Recorder<Int>()
    let arrived = dispatch_semaphore_create(0)
    let reply = dispatch_queue_create("reply", DISPATCH_QUEUE_SERIAL)

    let defaultPriority = DISPATCH_QUEUE_PRIORITY_DEFAULT
    let backgroundQueue = dispatch_get_global_queue(defaultPriority, 0)
    dispatch_async(
      backgroundQueue,
      {
        let result = (1...100).reduce(0, +)
        dispatch_async(
          reply,
          {
            results.add(result)
            dispatch_semaphore_signal(arrived)
          })
      })

    #expect(dispatch_semaphore_wait(arrived, eventually()) == 0)
    #expect(results.elements == [5050])
  }

  /// "Creating singletons".
  @Test("dispatch_once makes one shared instance, whoever asks first")
  func sharedInstance() {
    #expect(Singleton.shared === Singleton.shared)
    #expect(Singleton.made.elements.count == 1)
  }

  final class Singleton: Sendable {
    static let made = Recorder<Bool>()
    nonisolated(unsafe) private static let onceToken: UnsafeMutablePointer<dispatch_once_t> = {
      let token = UnsafeMutablePointer<dispatch_once_t>.allocate(capacity: 1)
      token.initialize(to: 0)
      return token
    }()
    nonisolated(unsafe) private static var instance: Singleton?
    static var shared: Singleton {
      dispatch_once(onceToken) {
        made.add(true)
        instance = Singleton()
      }
      return instance!
    }
  }

  /// "Flattening a completion block".
  @Test("A completion block is flattened into a return value by a semaphore")
  func flattening() {
    let done = Recorder<String>()
    let semaphore = dispatch_semaphore_create(0)
    expensiveWork { dispatch_semaphore_signal(semaphore) }
    dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
    done.add("after")
    #expect(done.elements == ["after"])
  }

  private func expensiveWork(completionBlock: @escaping @Sendable () -> Void) {
    dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
      pause(5)
      completionBlock()
    }
  }

  typealias DoneBlock = @Sendable () -> Void
  typealias WorkBlock = @Sendable (@escaping DoneBlock) -> Void

  final class AsyncSerialWorker: Sendable {
    private let serialQueue = dispatch_queue_create("com.khanlou.serial.queue", DISPATCH_QUEUE_SERIAL)
    func enqueueWork(_ work: @escaping WorkBlock) {
      dispatch_async(serialQueue) {
        let semaphore = dispatch_semaphore_create(0)
        work({ dispatch_semaphore_signal(semaphore) })
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
      }
    }
  }

  /// Asynchronous pieces of work, one after another: 1, 2, 3, 4, 5 whatever each of them takes.
  @Test("Asynchronous jobs run one after another, in their order, whatever each takes")
  func asyncSerialWorker() {
    let a = AsyncSerialWorker()
    let printed = Recorder<Int>()
    let all = dispatch_group_create()
    for i in 1...5 {
      dispatch_group_enter(all)
      a.enqueueWork { doneBlock in
        dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
          pause(Int64.random(in: 1...8))
          printed.add(i)
          doneBlock()
          dispatch_group_leave(all)
        }
      }
    }
    #expect(dispatch_group_wait(all, eventually()) == 0)
    #expect(printed.elements == [1, 2, 3, 4, 5])
  }

  final class LimitedWorker: Sendable {
    private let concurrentQueue = dispatch_queue_create("com.khanlou.concurrent.queue", DISPATCH_QUEUE_CONCURRENT)
    private let semaphore: dispatch_semaphore_t

    init(limit: Int) { semaphore = dispatch_semaphore_create(limit) }

    func enqueueWork(_ work: @escaping @Sendable () -> Void) {
      dispatch_async(concurrentQueue) { [semaphore] in
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
        work()
        dispatch_semaphore_signal(semaphore)
      }
    }
  }

  /// "Limiting concurrency": never more than the limit at a time, and all of them in the end.
  @Test("No more jobs than the limit run at a time, and all of them run", arguments: [1, 3]) func limitedWorker(limit: Int) {
    let worker = LimitedWorker(limit: limit)
    let crowd = Crowd()
    let all = dispatch_group_create()
    for _ in 0..<20 {
      dispatch_group_enter(all)
      worker.enqueueWork {
        crowd.enter()
        pause(2)
        crowd.leave()
        dispatch_group_leave(all)
      }
    }
    #expect(dispatch_group_wait(all, eventually()) == 0)
    #expect(crowd.peak <= limit)
    #expect(crowd.peak > 0)
  }

  /// "Waiting for many concurrent tasks": notified once, after all of them.
  @Test("A group's notification comes once, after all its tasks")
  func groupNotify() {
    let backgroundQueue = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)
    let events = Recorder<String>()
    let finished = dispatch_semaphore_create(0)

    let group = dispatch_group_create()
    for item in ["a", "b", "c"] { dispatch_group_async(group, backgroundQueue, { events.add(item) }) }
    dispatch_group_notify(
      group, dispatch_queue_create("notify", nil),
      {
        events.add("all")
        dispatch_semaphore_signal(finished)
      })

    #expect(dispatch_semaphore_wait(finished, eventually()) == 0)
    #expect(events.elements.sorted() == ["a", "all", "b", "c"])
    #expect(events.elements.last == "all")
  }

  /// The same by hand, for work with completion blocks.
  @Test("Entering and leaving by hand makes a group of jobs with completion blocks")
  func groupEnterLeave() {
    let events = Recorder<Int>()
    let group = dispatch_group_create()
    for item in 0..<10 {
      dispatch_group_enter(group)
      expensiveWork {
        events.add(item)
        dispatch_group_leave(group)
      }
    }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
    #expect(events.elements.sorted() == Array(0..<10))
  }

  final class IdentityMap<T: Sendable>: @unchecked Sendable {
    // SAFETY of @unchecked: the article's point: `dictionary` is read in the queue and written in its barriers.
    private var dictionary: [String: T] = [:]
    private let accessQueue = dispatch_queue_create("com.khanlou.isolation.queue", DISPATCH_QUEUE_CONCURRENT)

    func object(withID id: String) -> T? {
      var result: T?
      dispatch_sync(accessQueue, { result = dictionary[id] })
      return result
    }

    func addObject(_ object: T, id: String) { dispatch_barrier_async(accessQueue, { self.dictionary[id] = object }) }
  }

  /// "Isolation queues": every write is seen by the reads submitted after it.
  @Test("Each read of the isolated map sees every write that was submitted before it")
  func identityMap() {
    let map = IdentityMap<Int>()
    dispatch_apply(100, dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0)) { i in
      map.addObject(i, id: "\(i)")
      #expect(map.object(withID: "\(i)") == i)
    }
    let found = (0..<100).compactMap { (i: Int) in map.object(withID: "\(i)") }
    #expect(found == Array(0..<100))
    #expect(map.object(withID: "100") == nil)
  }
}
