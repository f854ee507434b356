// TimerScenarios.swift: timer sources, from the survey's timer of its own. Other sources are SourceScenarios.swift, delays without
// a source AfterScenarios.swift.
import SignalboxCNames
import SignalboxSystem

enum TimerScenarios {
  private static var now: dispatch_time_t { dispatch_time(DISPATCH_TIME_NOW, 0) }

  /// A timer that is set, but not active yet.
  private static func made(
    _ queue: dispatch_queue_t?, _ start: dispatch_time_t, every interval: UInt64, leeway: UInt64 = 0
  ) -> dispatch_source_t {
    let timer: dispatch_source_t = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue)
    dispatch_source_set_timer(timer, start, interval, leeway)
    return timer
  }

  static let all: [Scenario] = [
    Scenario(
      "timer-repeating", "A timer: first after five seconds, then every two", .survey, "C3",
      article: "a timer of one's own, made of a source: like dispatch_after it fires after 5 s, and then every 2 s",
      documents: "fires come at the start and every interval after it, never early; those due together are reported as a count",
      scale: "5 s are 25 ms, 2 s are 10 ms"
    ) { lab in
      let start = soon(25), interval = 10 * NSEC_PER_MSEC, fired = Counter(), enough = Gate()
      let timer = made(DISPATCH_TARGET_QUEUE_DEFAULT, start, every: interval, leeway: 5)
      dispatch_source_set_event_handler(timer) {
        let count = fired.add(Int(dispatch_source_get_data(timer)))
        lab.expect(now >= start + UInt64(count - 1) * interval, "fire \(count) not before its time", "earlier")
        lab.note("dispatch source timer")
        if count >= 5 { enough.open() }
      }
      dispatch_resume(timer)
      enough.pass()
      dispatch_source_cancel(timer)
      lab.expectThreads("worker") { _ in true }
      return "five fires or more, none early, on \(lab.threads().joined(separator: ", "))"
    },
    Scenario(
      "timer-once", "A timer without an interval, beside one with", .survey, "C3",
      article: "dispatch_after is made of such a source", documents: "the interval DISPATCH_TIME_FOREVER makes a one-shot timer"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.timer", DISPATCH_QUEUE_SERIAL)
      let once = made(queue, soon(5), every: DISPATCH_TIME_FOREVER), fired = Gate(), fires = Counter()
      let often = made(queue, soon(10), every: 5 * NSEC_PER_MSEC), others = Counter(), enough = Gate()
      dispatch_source_set_event_handler(once) {
        fires.add(Int(dispatch_source_get_data(once)))
        lab.note("the one without an interval")
        fired.open()
      }
      dispatch_source_set_event_handler(often) { if others.add(Int(dispatch_source_get_data(often))) >= 5 { enough.open() } }
      dispatch_resume(once)
      fired.pass()
      dispatch_resume(often)
      enough.pass()
      for timer in [once, often] { dispatch_source_cancel(timer) }
      lab.expect(fires.value == 1, "once", "\(fires.value) times")
      return "fired once, while the other fired five times"
    },
    Scenario(
      "timer-leeway", "A timer that may be late", .survey, "C3",
      article: "the listing allows 5, the last number of set_timer, without saying of what",
      documents: "the leeway is in nanoseconds: so much later than its time a fire may come, never earlier",
      scale: "the leeway is 30 ms instead of 5 ns"
    ) { lab in
      let start = soon(10), fired = Gate(), late = Box<dispatch_time_t>(0)
      let timer = made(nil, start, every: DISPATCH_TIME_FOREVER, leeway: 30 * NSEC_PER_MSEC)
      dispatch_source_set_event_handler(timer) {
        let time = now
        lab.expect(time >= start, "not before its time", "\((start - time) / NSEC_PER_USEC) µs early")
        late.value = time > start ? time - start : 0
        lab.note("fired")
        fired.open()
      }
      dispatch_resume(timer)
      fired.pass()
      dispatch_source_cancel(timer)
      return "\(late.value / NSEC_PER_USEC) µs after its time"
    },
    Scenario(
      "timer-cancelled", "A timer that ends itself at the third event", .survey, "C1, C3",
      article: "the listing keeps its timer forever; that objects can be cancelled is stated elsewhere",
      documents: "after dispatch_source_cancel no event handler starts; the cancel handler runs after the last one"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.timer", DISPATCH_QUEUE_SERIAL), calls = Counter()
      let timer = made(queue, DISPATCH_TIME_NOW, every: 2 * NSEC_PER_MSEC), over = Gate()
      dispatch_source_set_event_handler(timer) {
        let call = calls.add(1)
        lab.note("event \(call)")
        if call == 3 { dispatch_source_cancel(timer) }
      }
      dispatch_source_set_cancel_handler(timer) {
        lab.note("cancelled")
        over.open()
      }
      dispatch_resume(timer)
      over.pass()
      pause(milliseconds: 5)  // time for a wrong event to come
      lab.expectOrder("event 1", "event 2", "event 3", "cancelled")
      lab.expect(calls.value == 3, "three events", "\(calls.value)")
      lab.expect(dispatch_source_testcancel(timer) != 0, "testcancel says so", "0")
      return lab.order()
    },
    Scenario(
      "timer-captures-released", "What a cancelled timer's handler has captured", .survey, "C1",
      article: "objects are managed by hand; the listing's handler captures nothing",
      documents: "handlers are released once the source is cancelled, so a handler may capture its own source"
    ) { lab in
      let gone = Gate()
      do {
        let timer = made(nil, DISPATCH_TIME_NOW, every: DISPATCH_TIME_FOREVER)
        let witness = Witness {
          lab.note("the captures are gone")
          gone.open()
        }
        dispatch_source_set_event_handler(timer) { [witness] in
          withExtendedLifetime(witness) { lab.note("event") }
          dispatch_source_cancel(timer)
        }
        dispatch_resume(timer)
      }
      gone.pass()
      lab.expectOrder("event", "the captures are gone")
      return lab.order()
    },
    Scenario(
      "timer-suspended-counts", "A timer that is suspended while seven fires fall due", .survey, "C1, C3",
      article: "dispatch objects can be suspended and resumed",
      documents: "events that come while the source is suspended are coalesced and delivered after it is resumed",
      scale: "an interval of 5 ms"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.timer", DISPATCH_QUEUE_SERIAL), first = Box<UInt>(0), told = Gate()
      let start = soon(5), interval = 5 * NSEC_PER_MSEC, timer = made(queue, start, every: interval)
      dispatch_source_set_event_handler(timer) {
        if first.value == 0 { first.value = dispatch_source_get_data(timer) }
        lab.note("an event")
        told.open()
      }
      dispatch_suspend(timer)
      dispatch_activate(timer)
      while now < start + 6 * interval { pause(milliseconds: 1) }
      lab.note("resumed after seven are due")
      dispatch_resume(timer)
      told.pass()
      dispatch_source_cancel(timer)
      lab.expect(lab.texts.first == "resumed after seven are due", "no event while suspended", lab.order())
      lab.expect(first.value >= 7, "the first event tells seven fires or more", "\(first.value)")
      return "nothing while suspended, then one event of \(first.value) fires"
    },
    Scenario(
      "timer-in-turn", "A timer on a serial queue that has other work", .survey, "C1, C3",
      article: "a source is put to a queue, which then runs its block",
      documents: "the handler is submitted to the target queue: on a serial one it runs in turn with the queue's items"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.timer", DISPATCH_QUEUE_SERIAL), crowd = Crowd(), enough = Gate()
      let timer = made(queue, DISPATCH_TIME_NOW, every: 5 * NSEC_PER_MSEC), calls = Counter()
      dispatch_source_set_event_handler(timer) {
        crowd.with(linger: 1) { if calls.add(1) == 5 { enough.open() } }
      }
      dispatch_resume(timer)
      let group = dispatch_group_create()
      for number in 1...5 { dispatch_group_async(group, queue) { crowd.with(linger: 1) { lab.note("item \(number)") } } }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      enough.pass()
      dispatch_source_cancel(timer)
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak) at a time")
      lab.expectOrder((1...5).map { "item \($0)" })
      return "five items and five events, one at a time"
    },
  ]
}
