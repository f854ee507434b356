// TargetScenarios.swift: target queues: classes inherited from them, hierarchies. Cycles are MisuseScenarios.swift.
import SignalboxCNames

enum TargetScenarios {
  static let all: [Scenario] = [
    Scenario(
      "target-hierarchy", "Two queues onto one serial queue", .notes, "B4",
      article: "their blocks run one after another: 1, 2 of the first, 3, 4 of the second",
      documents: "blocks of queues with one serial target never run at the same time; each serial queue keeps its order"
    ) { lab in
      let serial = dispatch_queue_create("com.thread.serial", DISPATCH_QUEUE_SERIAL)
      let one = dispatch_queue_create("com.thread.one", DISPATCH_QUEUE_CONCURRENT)
      let two = dispatch_queue_create("com.thread.two", DISPATCH_QUEUE_SERIAL)
      dispatch_set_target_queue(one, serial)
      dispatch_set_target_queue(two, serial)
      let crowd = Crowd(), group = dispatch_group_create()
      for (name, queue) in [("1", one), ("2", one), ("3", two), ("4", two)] {
        dispatch_group_async(group, queue) { crowd.with(linger: 2) { lab.note("block \(name)") } }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak)")
      lab.expectOrder("block 3", "block 4")
      lab.expectAll(["block 1", "block 2", "block 3", "block 4"], beginning: "block")
      return "one at a time: \(lab.order()); on \(lab.threads().joined(separator: ", "))"
    },
    Scenario(
      "target-concurrent-becomes-serial", "A concurrent queue onto a serial one", .notes, "B4",
      article: "tasks of several queues can be made to run synchronously by one serial target",
      documents: "the serial queue at the bottom is an exclusion context for all above it"
    ) { lab in
      let serial = dispatch_queue_create("com.thread.serial", DISPATCH_QUEUE_SERIAL)
      let queue = dispatch_queue_create_with_target("com.thread.demo", DISPATCH_QUEUE_CONCURRENT, serial)
      let crowd = Crowd(), group = dispatch_group_create()
      for number in 1...40 {
        dispatch_group_async(group, number % 2 == 0 ? queue : serial) { crowd.with(linger: 1) { lab.note("item \(number)") } }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak)")
      lab.expect(lab.texts.count == 40, "forty", "\(lab.texts.count)")
      return "forty items of both, one at a time"
    },
    Scenario(
      "target-retarget-later", "A queue gets another target after it was used", .notes, "B4",
      article: "the target is set after the queue was created",
      documents: "a queue of dispatch_queue_create may be retargeted; it takes effect later, not for blocks already there"
    ) { lab in
      let serial = dispatch_queue_create("com.thread.serial", DISPATCH_QUEUE_SERIAL)
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
      let group = dispatch_group_create(), meeting = Meeting(of: 2)
      for number in 1...2 {
        dispatch_group_async(group, queue) {
          meeting.arrive()
          lab.note("before \(number)")
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      dispatch_set_target_queue(queue, serial)
      let crowd = Crowd()
      dispatch_barrier_sync(queue) { lab.note("the target is another") }
      for number in 1...20 { dispatch_group_async(group, queue) { crowd.with(linger: 1) { lab.note("after \(number)") } } }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(crowd.peak == 1, "one at a time with the serial target", "\(crowd.peak)")
      return "two at once before, one at a time after"
    },
    Scenario(
      "queue-without-a-class", "The class of a queue that was given none", .notes, "B4",
      article: "the class is default when none is given",
      documents: "unspecified: it is taken from the target queue",
      errs: "it has no class of its own; its target's default class is what it usually runs at"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
      let found = dispatch_queue_get_qos_class(queue, nil)
      lab.note("class \(found)")
      lab.expect(found == QOS_CLASS_UNSPECIFIED, "unspecified (0)", "\(found)")
      return found == QOS_CLASS_UNSPECIFIED ? "unspecified" : "class \(found)"
    },
    Scenario(
      "queue-with-a-class", "The class given by an attribute", .notes, "B4",
      article: "an attribute made with a class gives the queue that class",
      documents: "the class and rank that were given are returned by get_qos_class"
    ) { lab in
      let attribute = dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_CONCURRENT, QOS_CLASS_USER_INITIATED, 0)
      let queue = dispatch_queue_create("com", attribute)
      let found = dispatch_queue_get_qos_class(queue, nil)
      lab.note("class \(found)")
      lab.expect(found == QOS_CLASS_USER_INITIATED, "user-initiated (25)", "\(found)")
      return "user-initiated"
    },
    Scenario(
      "target-gives-its-class", "A queue onto the background queue, beside one of the default class", .notes, "B4, B12",
      article: "with a global queue as target the queue has that queue's priority",
      documents: "a queue without a class inherits that of its target; default comes before background",
      environment: ["SIGNALBOX_MAX_THREADS": "1"]
    ) { lab in
      let low = dispatch_queue_create("com.thread.low", DISPATCH_QUEUE_CONCURRENT)
      dispatch_set_target_queue(low, dispatch_get_global_queue(QOS_CLASS_BACKGROUND, 0))
      let plain = dispatch_queue_create("com.thread.plain", DISPATCH_QUEUE_CONCURRENT)
      let group = dispatch_group_create()
      holdingTheOnlyThread(lab) {
        dispatch_group_async(group, low) { lab.note("target background") }
        dispatch_group_async(group, plain) { lab.note("target default") }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder("target default", "target background")
      return "with one thread: submitted second, the default one ran first"
    },
    Scenario(
      "classes-order-work", "One item for each of four classes, with a single thread", .survey, "B1, B12",
      article: "global queues of different priority are there for work of different priority",
      documents: "queues of a higher priority are scheduled before those of a lower one",
      environment: ["SIGNALBOX_MAX_THREADS": "1"]
    ) { lab in
      let classes = [
        ("background", QOS_CLASS_BACKGROUND), ("utility", QOS_CLASS_UTILITY), ("default", QOS_CLASS_DEFAULT),
        ("user-initiated", QOS_CLASS_USER_INITIATED),
      ]
      let group = dispatch_group_create()
      holdingTheOnlyThread(lab) {
        for (name, qos) in classes { dispatch_group_async(group, dispatch_get_global_queue(qos, 0)) { lab.note(name) } }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder("user-initiated", "default", "utility", "background")
      return "submitted lowest first; ran as " + lab.order { $0 != "the thread is taken" }
    },
  ]

  /// Runs `body` while the pool's only worker is busy, so that what is submitted is queued and then taken in order.
  static func holdingTheOnlyThread(_ lab: Recorder, _ body: () -> Void) {
    let begun = Gate(), isOver = Counter()
    dispatch_async(dispatch_get_global_queue(QOS_CLASS_USER_INTERACTIVE, 0)) {
      lab.note("the thread is taken")
      begun.open()
      while isOver.value == 0 { pause(milliseconds: 1) }
    }
    begun.pass()
    body()
    isOver.add(1)
  }
}
