// FunctionNameTests.swift: the _f twins: C functions with a context in place of closures; and the rarer names.
import SignalboxCNames
import Testing

@Suite("C functions with a context in place of closures") struct FunctionNameTests {
  /// Every way to hand over a function calls it once, with its context.
  @Test("Every way to hand over a function calls it once, with its context")
  func contextsArrive() {
    let log = ContextLog()
    let queue = dispatch_queue_create("functions", DISPATCH_QUEUE_CONCURRENT)
    let group = dispatch_group_create()
    dispatch_async_f(queue, log.context(1), ContextLog.note)
    dispatch_sync_f(queue, log.context(2), ContextLog.note)
    dispatch_barrier_async_f(queue, log.context(3), ContextLog.note)
    dispatch_barrier_sync_f(queue, log.context(4), ContextLog.note)
    dispatch_async_and_wait_f(queue, log.context(5), ContextLog.note)
    dispatch_barrier_async_and_wait_f(queue, log.context(6), ContextLog.note)
    dispatch_after_f(soon(1), queue, log.context(7), ContextLog.note)
    dispatch_group_async_f(group, queue, log.context(8), ContextLog.note)
    dispatch_group_notify_f(group, queue, log.context(9), ContextLog.note)
    #expect(log.waitFor(9).sorted() == Array(1...9))
  }

  @Test("dispatch_apply_f calls the function with its context for each index")
  func applyFunction() {
    let sum = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    sum.initialize(to: 0)
    defer { sum.deallocate() }
    let queue = dispatch_queue_create("apply", nil)
    dispatch_apply_f(10, queue, sum) { context, index in context!.assumingMemoryBound(to: Int.self).pointee += index }
    #expect(sum.pointee == 45)
  }

  @Test("dispatch_once_f calls the function once, with its context")
  func onceFunction() {
    let token = UnsafeMutablePointer<dispatch_once_t>.allocate(capacity: 1)
    token.initialize(to: 0)
    defer { token.deallocate() }
    let log = ContextLog()
    let context = log.context(1)
    for _ in 0..<3 { dispatch_once_f(token, context, ContextLog.note) }
    #expect(log.waitFor(1) == [1])
  }

  /// Many threads, one token: one of them runs the block, none returns before it has.
  @Test("Of many threads with one token one runs the block, and none returns before it has")
  func onceFromManyThreads() {
    let log = Recorder<Int>()
    for _ in 0..<50 {
      let token = UnsafeMutablePointer<dispatch_once_t>.allocate(capacity: 1)
      token.initialize(to: 0)
      defer { token.deallocate() }
      nonisolated(unsafe) let shared = token
      nonisolated(unsafe) var result = 0  // written inside the block, read after it: what dispatch_once orders
      let group = dispatch_group_create()
      for _ in 0..<8 {
        dispatch_group_async(group, dispatch_get_global_queue(0, 0)) {
          dispatch_once(shared) {
            pause(1)
            result += 1
          }
          log.add(result)
        }
      }
      #expect(dispatch_group_wait(group, eventually()) == 0)
    }
    #expect(log.elements.count == 400)
    #expect(log.elements.allSatisfy { $0 == 1 })
  }

  // MARK: semaphores and groups

  @Test("A semaphore's functions return 0 and other numbers as the header says")
  func semaphoreReturnValues() {
    #expect(dispatch_semaphore_create(-1) == nil)
    let semaphore = dispatch_semaphore_create(0)
    #expect(dispatch_semaphore_signal(semaphore) == 0)
    #expect(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) == 0)
    #expect(dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) != 0)
    #expect(dispatch_semaphore_wait(semaphore, dispatch_walltime(nil, 1_000_000)) != 0)

    let woke = dispatch_semaphore_create(0)
    dispatch_async(dispatch_get_global_queue(0, 0)) {
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
      dispatch_semaphore_signal(woke)
    }
    pause(30)
    #expect(dispatch_semaphore_signal(semaphore) != 0)
    #expect(dispatch_semaphore_wait(woke, eventually()) == 0)
  }

  @Test("A group's wait returns 0 when the group is empty, another number at its deadline")
  func groupReturnValues() {
    let group = dispatch_group_create()
    #expect(dispatch_group_wait(group, DISPATCH_TIME_NOW) == 0)
    dispatch_group_enter(group)
    #expect(dispatch_group_wait(group, DISPATCH_TIME_NOW) != 0)
    #expect(dispatch_wait(group, dispatch_walltime(nil, 1_000_000)) != 0)
    dispatch_group_leave(group)
    #expect(dispatch_group_wait(group, DISPATCH_TIME_FOREVER) == 0)
  }

  // MARK: work objects

  @Test("No work object is made with flags or classes that do not exist")
  func workObjectsRefuseWhatDoesNotExist() {
    #expect(dispatch_block_create(0x40, {}) == nil)
    #expect(dispatch_block_create_with_qos_class(0, 7, 0, {}) == nil)
    #expect(dispatch_block_create_with_qos_class(0, QOS_CLASS_UTILITY, 1, {}) == nil)
    #expect(dispatch_block_create_with_qos_class(0, QOS_CLASS_UNSPECIFIED, 0, {}) != nil)
  }

  /// Work objects go wherever closures go.
  @Test("Work objects are taken wherever closures are")
  func workObjectsEverywhere() {
    let count = Recorder<String>()
    let queue = dispatch_queue_create("work", DISPATCH_QUEUE_CONCURRENT)
    let group = dispatch_group_create()
    func item(_ name: String) -> dispatch_block_object_t { dispatch_block_create(0) { count.add(name) } }
    dispatch_async(queue, item("async"))
    dispatch_sync(queue, item("sync"))
    dispatch_barrier_async(queue, item("barrier async"))
    dispatch_barrier_sync(queue, item("barrier sync"))
    dispatch_async_and_wait(queue, item("async and wait"))
    let later = item("after")
    dispatch_after(soon(1), queue, later)
    dispatch_group_async(group, queue, item("group async"))
    let last = item("group notify")
    dispatch_group_notify(group, queue, last)
    #expect(dispatch_wait(later, eventually()) == 0)
    #expect(dispatch_wait(last, eventually()) == 0)
    #expect(
      count.elements.sorted() == [
        "after", "async", "async and wait", "barrier async", "barrier sync", "group async", "group notify", "sync",
      ])
  }

  /// A work object with the barrier flag runs alone, without a barrier function.
  @Test("A work object with the barrier flag runs alone, without a barrier function")
  func barrierFlag() {
    let queue = dispatch_queue_create("work", DISPATCH_QUEUE_CONCURRENT)
    let events = Recorder<String>()
    for _ in 0..<3 {
      dispatch_async(queue) {
        pause(2)
        events.add("before")
      }
    }
    dispatch_async(queue, dispatch_block_create(DISPATCH_BLOCK_BARRIER) { events.add("barrier") })
    dispatch_async(queue) { events.add("after") }
    dispatch_barrier_sync(queue) {}
    #expect(events.elements == ["before", "before", "before", "barrier", "after"])
  }
}
