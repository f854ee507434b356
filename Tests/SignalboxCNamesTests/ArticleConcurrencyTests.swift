// ArticleConcurrencyTests.swift: the GCD snippets of "concurrent programming on iOS" (seed S0) in today's syntax.
import SignalboxCNames
import Testing

@Suite("Snippets of the article on concurrent programming") struct ArticleConcurrencyTests {
  /// A semaphore of 1 keeps thread B out until thread A has signalled.
  @Test("A semaphore of 1 keeps thread B out until thread A has signalled")
  func semaphoreAsLock() {
    let semaphore = dispatch_semaphore_create(1)
    let log = Recorder<String>()
    let crowd = Crowd()
    let all = dispatch_group_create()
    for task in ["task A", "task B"] {
      dispatch_group_enter(all)
      dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
        crowd.enter()
        log.add(task)
        pause(10)
        crowd.leave()
        dispatch_semaphore_signal(semaphore)
        dispatch_group_leave(all)
      }
    }
    #expect(dispatch_group_wait(all, eventually()) == 0)
    #expect(log.elements.sorted() == ["task A", "task B"])
    #expect(crowd.peak == 1)
  }

  /// "Execute what a queue is given": global, serial, inactive.
  @Test("Global, serial and inactive queues run what they are given")
  func queues() {
    let ran = Recorder<String>()
    let queue = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0)
    dispatch_sync(queue) { ran.add("global") }

    let serial = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
    dispatch_sync(serial) { ran.add("serial") }
    #expect(ran.elements == ["global", "serial"])
    #expect(String(cString: dispatch_queue_get_label(serial)) == "com.bool.dispatch")
  }

  /// Inactive queues run nothing before they are activated.
  @Test(
    "An inactive queue runs nothing before it is activated",
    arguments: [DISPATCH_QUEUE_SERIAL_INACTIVE, DISPATCH_QUEUE_CONCURRENT_INACTIVE])
  func inactive(attr: dispatch_queue_attr_t) {
    let queue = dispatch_queue_create("com.bool.inactive", attr)
    let ran = dispatch_semaphore_create(0)
    dispatch_async(queue) { dispatch_semaphore_signal(ran) }
    #expect(dispatch_semaphore_wait(ran, soon(20)) != 0)
    dispatch_activate(queue)
    #expect(dispatch_semaphore_wait(ran, eventually()) == 0)
  }

  /// `dispatch_after` on a serial queue.
  @Test("dispatch_after runs a block on a serial queue, not before its time")
  func after() {
    let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
    let ran = dispatch_semaphore_create(0)
    let due = dispatch_time(DISPATCH_TIME_NOW, Int64(Double(NSEC_PER_SEC) * 0.03))
    let times = Recorder<dispatch_time_t>()
    dispatch_after(
      due, queue,
      {
        times.add(dispatch_time(DISPATCH_TIME_NOW, 0))
        dispatch_semaphore_signal(ran)
      })
    #expect(dispatch_semaphore_wait(ran, eventually()) == 0)
    #expect(times.elements.count == 1 && times.elements[0] >= due)
  }

  /// `dispatch_apply` over the image addresses, in place of a loop; it returns when all are there.
  @Test("dispatch_apply calls its block once for each index, and returns when all calls have")
  func apply() {
    let imageURLs = (0..<40).map { "image \($0)" }
    let images = Recorder<String>()
    let downloadQueue = dispatch_queue_create("com.bool.download", DISPATCH_QUEUE_CONCURRENT)
    dispatch_apply(imageURLs.count, downloadQueue, { index in images.add(imageURLs[index]) })
    #expect(images.elements.sorted() == imageURLs.sorted())
  }

  /// On a serial queue it is a loop; none at all is none at all.
  @Test("dispatch_apply on a serial queue is a loop; without iterations it calls nothing")
  func applyInOrder() {
    let indices = Recorder<Int>()
    dispatch_apply(5, dispatch_queue_create("com.bool.apply", DISPATCH_QUEUE_SERIAL)) { indices.add($0) }
    #expect(indices.elements == [0, 1, 2, 3, 4])
    dispatch_apply(0, DISPATCH_APPLY_AUTO) { indices.add($0) }
    #expect(indices.elements.count == 5)
    dispatch_apply(3, DISPATCH_APPLY_AUTO) { indices.add($0) }
    #expect(indices.elements.count == 8)
  }

  /// The group over a batch of downloads.
  @Test("A group says when a batch of downloads has ended")
  func groupOfDownloads() {
    let taskGroup = dispatch_group_create()
    let queue = dispatch_queue_create("com.bool.group", DISPATCH_QUEUE_CONCURRENT)
    let events = Recorder<String>()
    let finished = dispatch_semaphore_create(0)
    for i in 0..<10 {
      dispatch_group_enter(taskGroup)
      dispatch_async(queue) {
        events.add("download \(i)")
        dispatch_group_leave(taskGroup)
      }
    }
    dispatch_group_notify(taskGroup, queue) {
      events.add("finished")
      dispatch_semaphore_signal(finished)
    }
    #expect(dispatch_semaphore_wait(finished, eventually()) == 0)
    #expect(events.elements.count == 11)
    #expect(events.elements.last == "finished")
  }

  /// Work objects, plain and with a service class; performing one at once.
  @Test("Work objects run with and without a service class, and can be performed at once")
  func blockObjects() {
    let log = Recorder<String>()
    let queue = dispatch_queue_create("com.bool.block", DISPATCH_QUEUE_SERIAL)
    let dsBlock = dispatch_block_create(0) { log.add("block") }
    let dsQosBlock = dispatch_block_create_with_qos_class(0, QOS_CLASS_USER_INITIATED, -1) { log.add("QoS block") }
    dispatch_async(queue, dsBlock)
    dispatch_async(queue, dsQosBlock)
    dispatch_block_perform(0) { log.add("performed") }
    dispatch_sync(queue) {}
    #expect(log.elements.sorted() == ["QoS block", "block", "performed"])
  }

  /// Waiting for a work object.
  @Test("Waiting for a work object ends when it has run")
  func blockWait() {
    let log = Recorder<String>()
    let queue = dispatch_queue_create("com.bool.block", DISPATCH_QUEUE_SERIAL)
    let dsBlock = dispatch_block_create(0) {
      pause(5)
      log.add("block")
    }
    dispatch_async(queue, dsBlock)
    #expect(dispatch_block_wait(dsBlock, DISPATCH_TIME_FOREVER) == 0)
    log.add("after the wait")
    #expect(log.elements == ["block", "after the wait"])
  }

  /// A notification when a work object has run.
  @Test("The notification of a work object comes when it has run")
  func blockNotify() {
    let log = Recorder<String>()
    let queue = dispatch_queue_create("com.bool.block", DISPATCH_QUEUE_SERIAL)
    let finished = dispatch_semaphore_create(0)
    let dsBlock = dispatch_block_create(0) { log.add("block") }
    dispatch_async(queue, dsBlock)
    dispatch_block_notify(dsBlock, queue) {
      log.add("notified")
      dispatch_semaphore_signal(finished)
    }
    #expect(dispatch_semaphore_wait(finished, eventually()) == 0)
    #expect(log.elements == ["block", "notified"])
  }

  /// Cancelling the second of two before it starts.
  @Test("A work object that is cancelled before it starts does not run")
  func blockCancel() {
    let log = Recorder<String>()
    let queue = dispatch_queue_create("com.bool.block", DISPATCH_QUEUE_SERIAL)
    let hold = dispatch_semaphore_create(0)
    let dsBlock1 = dispatch_block_create(0) {
      dispatch_semaphore_wait(hold, DISPATCH_TIME_FOREVER)
      log.add("block 1")
    }
    let dsBlock2 = dispatch_block_create(0) { log.add("block 2") }
    dispatch_async(queue, dsBlock1)
    dispatch_async(queue, dsBlock2)
    dispatch_block_cancel(dsBlock2)
    dispatch_semaphore_signal(hold)
    dispatch_sync(queue) {}
    #expect(log.elements == ["block 1"])
    #expect(dispatch_block_testcancel(dsBlock1) == 0)
    #expect(dispatch_block_testcancel(dsBlock2) != 0)
  }

  /// The image store: barriers write, sync reads.
  @Test("Barriers write to the image store alone, and sync reads what they wrote")
  func imageStore() {
    let store = ImageStore()
    for i in 0..<20 { store.add("image \(i)") }
    #expect(store.images == (0..<20).map { "image \($0)" })
  }

  final class ImageStore: @unchecked Sendable {
    // SAFETY of @unchecked: the list is read in the queue and written in its barriers.
    private var list: [String] = []
    private let imageQueue = dispatch_queue_create("com.bool.image", DISPATCH_QUEUE_CONCURRENT)

    func add(_ image: String) { dispatch_barrier_async(imageQueue) { self.list.append(image) } }
    var images: [String] {
      var copy: [String] = []
      dispatch_sync(imageQueue) { copy = list }
      return copy
    }
  }
}
