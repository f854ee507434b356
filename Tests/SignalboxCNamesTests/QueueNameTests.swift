// QueueNameTests.swift: what queues are given, and what they return: attributes, labels, context, keys, references.
import SignalboxCNames
import Testing

@Suite("Queues by their C names") struct QueueNameTests {
  // MARK: attributes

  @Test("A service class, rank or frequency that does not exist makes no attribute")
  func attributesRefuseWhatDoesNotExist() {
    #expect(dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_SERIAL, 7, 0) == nil)
    #expect(dispatch_queue_attr_make_with_qos_class(nil, QOS_CLASS_UTILITY, 1) == nil)
    #expect(dispatch_queue_attr_make_with_qos_class(nil, QOS_CLASS_UTILITY, -16) == nil)
    #expect(dispatch_queue_attr_make_with_qos_class(nil, QOS_CLASS_UTILITY, -15) != nil)
    #expect(dispatch_queue_attr_make_with_autorelease_frequency(nil, 3) == nil)
    #expect(dispatch_queue_attr_make_with_autorelease_frequency(nil, DISPATCH_AUTORELEASE_FREQUENCY_NEVER) != nil)
    #expect(dispatch_queue_attr_make_initially_inactive(nil) == DISPATCH_QUEUE_SERIAL_INACTIVE)
    #expect(dispatch_queue_attr_make_initially_inactive(DISPATCH_QUEUE_CONCURRENT) == DISPATCH_QUEUE_CONCURRENT_INACTIVE)
  }

  @Test("A queue keeps the service class that it was made with")
  func serviceClassIsKept() throws {
    let attr = try #require(dispatch_queue_attr_make_with_qos_class(nil, QOS_CLASS_BACKGROUND, -3))
    let queue = dispatch_queue_create("qos", attr)
    var rank: Int32 = 9
    #expect(dispatch_queue_get_qos_class(queue, &rank) == QOS_CLASS_BACKGROUND)
    #expect(rank == -3)
    #expect(dispatch_queue_get_qos_class(dispatch_queue_create("plain", nil), &rank) == QOS_CLASS_UNSPECIFIED)
    #expect(rank == 0)
    #expect(dispatch_queue_get_qos_class(dispatch_get_global_queue(QOS_CLASS_UTILITY, 0), nil) == QOS_CLASS_UTILITY)
  }

  // MARK: labels

  @Test("A queue has the label that it was given, or an empty one")
  func labels() {
    let queue = dispatch_queue_create("a label", nil)
    let label = dispatch_queue_get_label(queue)
    #expect(String(cString: label) == "a label")
    #expect(dispatch_queue_get_label(queue) == label)
    dispatch_sync(queue) {
      #expect(String(cString: dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL)) == "a label")
      #expect(dispatch_get_current_queue() === queue)
    }
    #expect(String(cString: dispatch_queue_get_label(dispatch_queue_create(nil, nil))) == "")
    #expect(String(cString: dispatch_queue_get_label(dispatch_get_main_queue())) == "com.apple.main-thread")
  }

  @Test("A queue's label is the same pointer on every thread")
  func labelsAreTheSameFromEveryThread() {
    let queue = dispatch_queue_create("raced", nil)
    let seen = Recorder<Int>()
    dispatch_apply(64, DISPATCH_APPLY_AUTO) { _ in seen.add(Int(bitPattern: dispatch_queue_get_label(queue))) }
    #expect(Set(seen.elements).count == 1)
  }

  // MARK: targets

  @Test("An inactive queue takes a new target until it is activated")
  func inactiveQueueMayBeRetargetedUntilActivated() {
    let target = dispatch_queue_create("target", nil)
    let queue = dispatch_queue_create("inactive", DISPATCH_QUEUE_SERIAL_INACTIVE)
    dispatch_set_target_queue(queue, target)
    dispatch_activate(queue)
    dispatch_sync(queue) { dispatch_assert_queue(target) }
    dispatch_sync(target) { dispatch_assert_queue_not(queue) }
  }

  @Test("A queue can be made with its target")
  func targetAtCreation() {
    let target = dispatch_queue_create("target", nil)
    let queue = dispatch_queue_create_with_target("queue", DISPATCH_QUEUE_CONCURRENT, target)
    dispatch_sync(queue) {
      dispatch_assert_queue(queue)
      dispatch_assert_queue(target)
    }
    dispatch_barrier_sync(queue) { dispatch_assert_queue_barrier(queue) }
  }

  @Test("As many resumes as suspends start a queue again")
  func suspendCounts() {
    let queue = dispatch_queue_create("suspended", nil)
    let ran = dispatch_semaphore_create(0)
    dispatch_suspend(queue)
    dispatch_suspend(queue)
    dispatch_async(queue) { dispatch_semaphore_signal(ran) }
    dispatch_resume(queue)
    #expect(dispatch_semaphore_wait(ran, soon(20)) != 0)
    dispatch_resume(queue)
    #expect(dispatch_semaphore_wait(ran, eventually()) == 0)
  }

  // MARK: keys

  @Test("A key's value is found through the queue's targets")
  func keysReachThroughTargets() {
    let key = UnsafeRawPointer(bitPattern: 0x1000), other = UnsafeRawPointer(bitPattern: 0x2000)
    let target = dispatch_queue_create("target", nil)
    let queue = dispatch_queue_create_with_target("queue", nil, target)
    dispatch_queue_set_specific(target, key, word(1), nil)
    #expect(value(dispatch_queue_get_specific(target, key)) == 1)
    #expect(dispatch_queue_get_specific(queue, key) == nil)
    dispatch_sync(queue) {
      #expect(value(dispatch_get_specific(key)) == 1)
      #expect(dispatch_get_specific(other) == nil)
    }
    dispatch_queue_set_specific(queue, key, word(2), nil)
    dispatch_sync(queue) { #expect(value(dispatch_get_specific(key)) == 2) }
    dispatch_queue_set_specific(queue, key, nil, nil)
    dispatch_sync(queue) { #expect(value(dispatch_get_specific(key)) == 1) }
    dispatch_queue_set_specific(queue, nil, word(3), nil)
    #expect(dispatch_queue_get_specific(queue, nil) == nil)
    #expect(dispatch_get_specific(nil) == nil)
  }

  /// Destructors run for what is replaced and for what is left at the end, each once.
  @Test("A value's destructor runs once, when the value is replaced or its queue ends")
  func destructors() {
    let log = ContextLog()
    let key = UnsafeRawPointer(bitPattern: 0x1000)
    do {
      let queue = dispatch_queue_create("queue", nil)
      for i in 1...3 { dispatch_queue_set_specific(queue, key, log.context(i), ContextLog.note) }
    }
    #expect(log.waitFor(3).sorted() == [1, 2, 3])
  }

  // MARK: context

  @Test("The finalizer is called with the context when the queue ends")
  func contextAndFinalizer() {
    let log = ContextLog()
    do {
      let queue = dispatch_queue_create("queue", nil)
      #expect(dispatch_get_context(queue) == nil)
      let context = log.context(7)
      dispatch_set_context(queue, context)
      #expect(dispatch_get_context(queue) == context)
      dispatch_set_finalizer_f(queue, ContextLog.note)
      dispatch_async(queue) {}
    }
    #expect(log.waitFor(1) == [7])
  }

  // MARK: references

  @Test("dispatch_retain keeps an object, and dispatch_release gives back what was retained")
  func releasesAreHarmlessAndRetainsCount() {
    weak var seen: dispatch_queue_t?
    do {
      let queue = dispatch_queue_create("counted", nil)
      seen = queue
      dispatch_retain(queue)
      dispatch_retain(queue)
      dispatch_release(queue)
    }
    #expect(seen != nil)
    dispatch_release(seen)
    #expect(seen == nil)

    let queue = dispatch_queue_create("as in C", nil)
    dispatch_release(queue)
    dispatch_sync(queue) {}
  }
}

/// Contexts that write their number into a list when a C function gets them.
final class ContextLog: Sendable {
  private let numbers = Recorder<Int>()
  private let arrived = dispatch_semaphore_create(0)!

  private final class Context {
    let number: Int
    let log: ContextLog
    init(_ number: Int, _ log: ContextLog) {
      self.number = number
      self.log = log
    }
  }

  /// A context, owned by whoever calls `note` with it.
  func context(_ number: Int) -> UnsafeMutableRawPointer { Unmanaged.passRetained(Context(number, self)).toOpaque() }

  static let note: dispatch_function_t = { raw in
    let context = Unmanaged<Context>.fromOpaque(raw!).takeRetainedValue()
    context.log.numbers.add(context.number)
    dispatch_semaphore_signal(context.log.arrived)
  }

  /// The numbers once `count` of them are there, or what there is after a long time.
  func waitFor(_ count: Int) -> [Int] {
    for _ in 0..<count where dispatch_semaphore_wait(arrived, eventually()) != 0 { break }
    return numbers.elements
  }
}
