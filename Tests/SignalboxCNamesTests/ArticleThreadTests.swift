// ArticleThreadTests.swift: the GCD snippets of "iOS multithreading" (seed S4) in today's syntax, with the outputs it shows.
import SignalboxCNames
import Testing

@Suite("Snippets of the article on multithreading") struct ArticleThreadTests {
  enum Way: CaseIterable { case sync, async }

  private func run(_ way: Way, _ queue: dispatch_queue_t, _ block: @escaping dispatch_block_t) {
    switch way {
    case .sync: dispatch_sync(queue, block)
    case .async: dispatch_async(queue, block)
    }
  }

  /// Serial queues run blocks in the order they were added; so does sync on a concurrent one.
  @Test(
    "A serial queue runs blocks in the order of adding, and so does sync onto a concurrent one",
    arguments: [(false, Way.sync), (false, .async), (true, .sync)])
  func inOrder(isConcurrent: Bool, way: Way) {
    let queue = dispatch_queue_create("com.thread.demo", isConcurrent ? DISPATCH_QUEUE_CONCURRENT : DISPATCH_QUEUE_SERIAL)
    let blocks = Recorder<Int>()
    for i in 1...4 { run(way, queue) { blocks.add(i) } }
    dispatch_barrier_sync(queue) {}
    #expect(blocks.elements == [1, 2, 3, 4])
  }

  /// Concurrent queue, async: all run, in any order.
  @Test("A concurrent queue runs all its async blocks, in any order")
  func concurrentAsync() {
    let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
    let blocks = Recorder<Int>()
    for i in 1...4 { dispatch_async(queue) { blocks.add(i) } }
    dispatch_barrier_sync(queue) {}
    #expect(blocks.elements.sorted() == [1, 2, 3, 4])
  }

  /// The table of global queues: priorities and service classes name the same objects.
  @Test("Priorities and service classes name the same global queues")
  func globalQueues() {
    let pairs = [
      (DISPATCH_QUEUE_PRIORITY_HIGH, QOS_CLASS_USER_INITIATED), (DISPATCH_QUEUE_PRIORITY_DEFAULT, QOS_CLASS_DEFAULT),
      (DISPATCH_QUEUE_PRIORITY_LOW, QOS_CLASS_UTILITY), (DISPATCH_QUEUE_PRIORITY_BACKGROUND, QOS_CLASS_BACKGROUND),
    ]
    for (priority, qos) in pairs {
      #expect(dispatch_get_global_queue(priority, 0) === dispatch_get_global_queue(qos, 0))
      #expect(dispatch_queue_get_qos_class(dispatch_get_global_queue(priority, 0), nil) == qos)
    }
    #expect(dispatch_get_global_queue(QOS_CLASS_UNSPECIFIED, 0) === dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0))
    #expect(dispatch_get_global_queue(Int(QOS_CLASS_UTILITY), 0) === dispatch_get_global_queue(QOS_CLASS_UTILITY, 0))
    #expect(dispatch_get_global_queue(QOS_CLASS_USER_INTERACTIVE, 0) !== dispatch_get_global_queue(QOS_CLASS_USER_INITIATED, 0))
    #expect(dispatch_get_global_queue(7, 0) == nil)
    #expect(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 1) == nil)
  }

  /// "Setting a priority": by attribute, or by the target.
  @Test("A queue's priority comes from its attribute or from its target")
  func priority() {
    let attr = dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_CONCURRENT, QOS_CLASS_USER_INITIATED, 0)
    let queue = dispatch_queue_create("com", attr)
    #expect(dispatch_queue_get_qos_class(queue, nil) == QOS_CLASS_USER_INITIATED)

    let other = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
    let backgroundQueue = dispatch_get_global_queue(QOS_CLASS_BACKGROUND, 0)
    dispatch_set_target_queue(other, backgroundQueue)
    let ran = Recorder<Bool>()
    dispatch_sync(other) { ran.add(true) }
    #expect(ran.elements == [true])
  }

  /// "Setting a hierarchy": two queues on one serial queue never run at the same time, and each keeps its order.
  @Test("Two queues on one serial queue never run at the same time, and each keeps its order")
  func hierarchy() {
    let serialQueue = dispatch_queue_create("com.thread.serial", DISPATCH_QUEUE_SERIAL)
    let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
    let queue2 = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_SERIAL)
    dispatch_set_target_queue(queue, serialQueue)
    dispatch_set_target_queue(queue2, serialQueue)

    let blocks = Recorder<String>()
    let crowd = Crowd()
    let all = dispatch_group_create()
    for (name, place) in [("1.1", queue), ("1.2", queue), ("2.3", queue2), ("2.4", queue2)] {
      dispatch_group_async(all, place) {
        crowd.enter()
        pause(2)
        blocks.add(name)
        crowd.leave()
      }
    }
    #expect(dispatch_group_wait(all, eventually()) == 0)
    #expect(crowd.peak == 1)
    #expect(blocks.elements.filter { $0.hasPrefix("1") } == ["1.1", "1.2"])
    #expect(blocks.elements.filter { $0.hasPrefix("2") } == ["2.3", "2.4"])
  }

  /// `dispatch_after`: not before its time.
  @Test("dispatch_after does not run its block before its time")
  func after() {
    let finished = dispatch_semaphore_create(0)
    let due = dispatch_time(DISPATCH_TIME_NOW, Int64(0.05 * Double(NSEC_PER_SEC)))
    let times = Recorder<dispatch_time_t>()
    dispatch_after(due, dispatch_get_global_queue(0, 0)) {
      times.add(dispatch_time(DISPATCH_TIME_NOW, 0))
      dispatch_semaphore_signal(finished)
    }
    #expect(dispatch_semaphore_wait(finished, eventually()) == 0)
    #expect(times.elements.allSatisfy { $0 >= due })
  }

  nonisolated(unsafe) private static var onceToken: dispatch_once_t = 0

  /// `dispatch_once` with a static token.
  @Test("dispatch_once with a static token runs its block once")
  func once() {
    let runs = Recorder<Bool>()
    for _ in 0..<3 { dispatch_once(&Self.onceToken, { runs.add(true) }) }
    #expect(runs.elements.count == 1)
    #expect(Self.onceToken == ~0)
  }

  /// The semaphore that makes "World" wait for "Hello".
  @Test("A semaphore makes \"World\" wait for \"Hello\"")
  func helloWorld() {
    let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
    let semaphore = dispatch_semaphore_create(0)
    let printed = Recorder<String>()
    dispatch_async(queue) {
      printed.add("Hello")
      dispatch_semaphore_signal(semaphore)
    }
    dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
    printed.add("World")
    #expect(printed.elements == ["Hello", "World"])
  }

  /// A barrier stands between what was submitted before it and after it.
  @Test("A barrier runs between what was submitted before it and what was submitted after it")
  func barrier() {
    let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
    let blocks = Recorder<String>()
    for name in ["1", "2"] { dispatch_async(queue) { blocks.add(name) } }
    dispatch_barrier_async(queue) { blocks.add("Barrier") }
    for name in ["3", "4"] { dispatch_async(queue) { blocks.add(name) } }
    dispatch_barrier_sync(queue) {}
    #expect(blocks.elements[0..<2].sorted() == ["1", "2"])
    #expect(blocks.elements[2] == "Barrier")
    #expect(blocks.elements[3...].sorted() == ["3", "4"])
  }

  /// "suspend, resume and set_context have no effect on main and global queues."
  @Test("Suspend, resume and set_context have no effect on the main and global queues", arguments: [true, false])
  func sharedQueuesStayAsTheyAre(isMain: Bool) {
    let queue: dispatch_queue_t = isMain ? dispatch_get_main_queue() : dispatch_get_global_queue(0, 0)
    dispatch_suspend(queue)
    dispatch_resume(queue)
    dispatch_resume(queue)
    dispatch_activate(queue)
    dispatch_set_context(queue, word(1))
    #expect(dispatch_get_context(queue) == nil)
    guard !isMain else { return }
    let ran = dispatch_semaphore_create(0)
    dispatch_suspend(queue)
    dispatch_async(queue) { dispatch_semaphore_signal(ran) }
    #expect(dispatch_semaphore_wait(ran, eventually()) == 0)
  }
}
