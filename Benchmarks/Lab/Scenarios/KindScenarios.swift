// KindScenarios.swift: which queues there are, their classes, labels, states and the values they keep.
import SignalboxCNames

enum KindScenarios {
  static let all: [Scenario] = [
    Scenario(
      "global-queues", "How many global queues there are", .survey, "B1",
      article: "four priorities, so four concurrent queues; with the main queue five of the system's in all",
      documents: "five service classes name a global queue each; the four old priorities are names of four of them",
      errs: "there are five, so six queues of the system's"
    ) { lab in
      let classes = [
        QOS_CLASS_USER_INTERACTIVE, QOS_CLASS_USER_INITIATED, QOS_CLASS_DEFAULT, QOS_CLASS_UTILITY, QOS_CLASS_BACKGROUND,
      ]
      let queues = Set(classes.map { ObjectIdentifier(dispatch_get_global_queue($0, 0) as dispatch_queue_t) })
      let old = [
        DISPATCH_QUEUE_PRIORITY_HIGH, DISPATCH_QUEUE_PRIORITY_DEFAULT, DISPATCH_QUEUE_PRIORITY_LOW,
        DISPATCH_QUEUE_PRIORITY_BACKGROUND,
      ]
      let byPriority = Set(old.map { ObjectIdentifier(dispatch_get_global_queue($0, 0) as dispatch_queue_t) })
      lab.note("\(queues.count) by class, \(byPriority.count) by priority")
      lab.expect(queues.count == 5, "five by class", "\(queues.count)")
      lab.expect(byPriority.count == 4 && byPriority.isSubset(of: queues), "four of them by priority", "\(byPriority.count)")
      return "five queues; the four priorities name four of them"
    },
    Scenario(
      "priorities-and-classes", "The table of old priorities and service classes", .notes, "B1",
      article: "high is user-initiated, default is default, low is utility, background is background",
      documents: "the same four pairs"
    ) { lab in
      let pairs = [
        ("high", DISPATCH_QUEUE_PRIORITY_HIGH, QOS_CLASS_USER_INITIATED),
        ("default", DISPATCH_QUEUE_PRIORITY_DEFAULT, QOS_CLASS_DEFAULT),
        ("low", DISPATCH_QUEUE_PRIORITY_LOW, QOS_CLASS_UTILITY),
        ("background", DISPATCH_QUEUE_PRIORITY_BACKGROUND, QOS_CLASS_BACKGROUND),
      ]
      for (name, priority, qos) in pairs {
        let queue: dispatch_queue_t = dispatch_get_global_queue(priority, 0)
        let isSame = queue === dispatch_get_global_queue(qos, 0) as dispatch_queue_t
        lab.note("\(name): class \(dispatch_queue_get_qos_class(queue, nil))")
        lab.expect(isSame && dispatch_queue_get_qos_class(queue, nil) == qos, "\(name) names class \(qos)", "another one")
      }
      return "all four pairs are the same queue"
    },
    Scenario(
      "main-queue-class", "The class of the main queue", .notes, "B1",
      article: "the main thread's class is user-interactive",
      documents: "what qos_class_main() says, a function that only Apple's systems have; elsewhere nothing is stated"
    ) { lab in
      let found = dispatch_queue_get_qos_class(dispatch_get_main_queue(), nil)
      lab.note("class \(found)")
      let isKnown = [QOS_CLASS_USER_INTERACTIVE, QOS_CLASS_UNSPECIFIED].contains(found)
      lab.expect(isKnown, "user-interactive (33) or unspecified (0)", "\(found)")
      return found == QOS_CLASS_UNSPECIFIED ? "unspecified, as with the toolchain's library" : "class \(found)"
    },
    Scenario(
      "global-queue-that-is-none", "Asking for a global queue that does not exist", .notes, "B1",
      article: "the second argument is reserved: pass 0",
      documents: "what is reserved may give NULL, and so does an identifier that names no queue"
    ) { lab in
      let reserved: dispatch_queue_t? = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 1)
      let unknown: dispatch_queue_t? = dispatch_get_global_queue(7, 0)
      lab.note("flags 1: \(reserved == nil ? "nil" : "a queue"); identifier 7: \(unknown == nil ? "nil" : "a queue")")
      lab.expect(unknown == nil, "nil for an unknown identifier", "a queue")
      return "nil for both"
    },
    Scenario(
      "null-attribute-is-serial", "A queue made with NULL in place of an attribute", .notes, "B1",
      article: "NULL or the serial attribute makes a serial queue, the concurrent attribute a concurrent one",
      documents: "serial with the serial attribute or NULL, concurrent with the concurrent one"
    ) { lab in
      let crowd = Crowd(), group = dispatch_group_create()
      let plain = dispatch_queue_create("null", nil), wide = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT)
      for number in 1...10 { dispatch_group_async(group, plain) { crowd.with(linger: 2) { lab.note("null \(number)") } } }
      let meeting = Meeting(of: 2)
      for _ in 1...2 {
        dispatch_group_async(group, wide) {
          meeting.arrive()
          lab.note("concurrent")
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder((1...10).map { "null \($0)" })
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak)")
      return "NULL: one at a time, in order; concurrent: two items met"
    },
    Scenario(
      "inactive-queues", "Queues that are made inactive", .survey, "B1, B5",
      article: "an inactive queue must be activated before it runs its blocks",
      documents: "an inactive queue invokes nothing before it is activated"
    ) { lab in
      let attributes = [("serial", DISPATCH_QUEUE_SERIAL_INACTIVE), ("concurrent", DISPATCH_QUEUE_CONCURRENT_INACTIVE)]
      for (name, attribute) in attributes {
        let queue = dispatch_queue_create(name, attribute), group = dispatch_group_create()
        for number in 1...2 { dispatch_group_async(group, queue) { lab.note("\(name) item \(number)") } }
        let early = dispatch_group_wait(group, soon(20))
        lab.expect(early != 0, "nothing runs while it is inactive", "it ran")
        lab.note("\(name) is activated")
        dispatch_activate(queue)
        dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
        let texts = lab.texts.filter { $0.hasPrefix(name) }
        lab.expect(texts.first == "\(name) is activated", "activation first", texts.joined(separator: ", "))
      }
      return "nothing ran before activate, everything after it"
    },
    Scenario(
      "suspend-and-resume", "Suspending a queue, twice", .survey, "B5",
      article: "dispatch objects can be suspended and resumed",
      documents: "a suspended queue starts no item; suspensions are counted; an item under way is not disturbed"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.suspended", DISPATCH_QUEUE_SERIAL), group = dispatch_group_create()
      let begun = Gate(), goOn = Gate()
      dispatch_group_async(group, queue) {
        begun.open()
        goOn.pass()
        lab.note("the item under way ends")
      }
      begun.pass()
      dispatch_suspend(queue)
      dispatch_suspend(queue)
      dispatch_group_async(group, queue) { lab.note("the next item") }
      goOn.open()
      dispatch_resume(queue)
      lab.expect(dispatch_group_wait(group, soon(20)) != 0, "still suspended once", "it ran")
      lab.note("resumed for the second time")
      dispatch_resume(queue)
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder("the item under way ends", "resumed for the second time", "the next item")
      return lab.order()
    },
    Scenario(
      "queue-labels", "The label tells which queue runs", .survey, "B1",
      article: "a queue's label, in reverse DNS notation, is there to find the queue when debugging",
      documents: "the label can be read, that of the current queue as well"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
      dispatch_sync(queue) {
        let current = String(cString: dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL))
        lab.note("inside: \(current)")
        lab.expect(current == "com.bool.dispatch", "the label inside the item", current)
      }
      let label = String(cString: dispatch_queue_get_label(queue))
      lab.expect(label == "com.bool.dispatch", "the label of the queue", label)
      let empty = String(cString: dispatch_queue_get_label(dispatch_queue_create(nil, nil)))
      lab.expect(empty.isEmpty, "an empty label for NULL", empty)
      return "the label, inside and outside; without one the empty string"
    },
    Scenario(
      "specific-values", "Values kept at a queue under a key", .survey, "B1",
      article: "set_specific and get_specific tie an object to a queue and find it again",
      documents: "get_specific finds it inside items of the queue, and of queues that target it"
    ) { lab in
      let key = UnsafeRawPointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))
      let base = dispatch_queue_create("base", DISPATCH_QUEUE_SERIAL)
      let above = dispatch_queue_create_with_target("above", DISPATCH_QUEUE_SERIAL, base)
      dispatch_queue_set_specific(base, key, UnsafeMutableRawPointer(bitPattern: 42), nil)
      func found() -> Int { dispatch_get_specific(key).map { Int(bitPattern: $0) } ?? 0 }
      dispatch_sync(base) { lab.note("in base: \(found())") }
      dispatch_sync(above) { lab.note("in a queue above it: \(found())") }
      lab.note("outside: \(found())")
      lab.expectOrder("in base: 42", "in a queue above it: 42", "outside: 0")
      let own = dispatch_queue_get_specific(above, key)
      lab.expect(own == nil, "nothing at the upper queue itself", "a value")
      return lab.order()
    },
    Scenario(
      "context-and-finalizer", "A queue's context, and what happens when the queue goes", .survey, "B11",
      article: "dispatch objects have functions for memory, contexts and logs; their memory is managed by hand",
      documents: "the finalizer is called with the context, on the target queue, after the last reference is gone"
    ) { lab in
      final class Cargo: Sendable {
        let gone = Gate()
        let lab: Recorder
        init(_ lab: Recorder) { self.lab = lab }
      }
      let cargo = Cargo(lab)
      do {
        let queue = dispatch_queue_create("com.bool.object", DISPATCH_QUEUE_SERIAL)
        dispatch_set_context(queue, Unmanaged.passRetained(cargo).toOpaque())
        dispatch_set_finalizer_f(queue) { raw in
          guard let raw else { return }
          let cargo = Unmanaged<Cargo>.fromOpaque(raw).takeRetainedValue()
          cargo.lab.note("finalized")
          cargo.gone.open()
        }
        dispatch_sync(queue) { lab.note("used") }
      }
      cargo.gone.pass()
      lab.expectOrder("used", "finalized")
      return "the finalizer ran once the queue was gone, with its context"
    },
    Scenario(
      "times", "DISPATCH_TIME_NOW, FOREVER and times made from them", .survey, "B10",
      article: "times are made from others; NOW and FOREVER are given",
      documents: "0 is now, all bits set is forever, what lies between is opaque; sums beyond the range are forever"
    ) { lab in
      let now = dispatch_time(DISPATCH_TIME_NOW, 0), later = dispatch_time(now, milliseconds(5))
      lab.expect(DISPATCH_TIME_NOW == 0 && DISPATCH_TIME_FOREVER == .max, "0 and all bits", "other numbers")
      lab.expect(later > now, "a later time is greater", "it is not")
      lab.expect(dispatch_time(DISPATCH_TIME_FOREVER, -1) == DISPATCH_TIME_FOREVER, "forever stays", "it moved")
      lab.expect(dispatch_time(DISPATCH_TIME_NOW, .max) == DISPATCH_TIME_FOREVER, "too far is forever", "another time")
      lab.expect(dispatch_walltime(nil, 0) != dispatch_time(DISPATCH_TIME_NOW, 0), "two clocks", "one")
      lab.note("now, later, forever")
      return "as documented; sums saturate"
    },
  ]
}
