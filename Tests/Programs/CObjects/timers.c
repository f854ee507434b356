// timers.c: the chapters about timer sources.
#include "program.h"

static dispatch_source_t timer_on(dispatch_queue_t queue) {
  return dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
}

// Passes time for the timer's clock without a timer.
static void pass_milliseconds(int64_t count) {
  dispatch_semaphore_t nobody = dispatch_semaphore_create(0);
  dispatch_semaphore_wait(nobody, in_milliseconds(count));
  dispatch_release(nobody);
}

static void fire_once(const char *text, dispatch_queue_t queue, dispatch_time_t start) {
  dispatch_semaphore_t fired = dispatch_semaphore_create(0);
  dispatch_source_t timer = timer_on(queue);
  __block long count = 0;
  dispatch_source_set_event_handler(timer, ^{
    count += (long)dispatch_source_get_data(timer);
    dispatch_semaphore_signal(fired);
  });
  dispatch_source_set_timer(timer, start, DISPATCH_TIME_FOREVER, 0);
  dispatch_activate(timer);
  wait_for(fired);
  say("again", dispatch_semaphore_wait(fired, in_milliseconds(5)) == 0);
  dispatch_source_cancel(timer);
  dispatch_sync(queue, ^{});
  say(text, count);
  dispatch_release(timer);
  dispatch_release(fired);
}

void one_shots(void) {
  dispatch_queue_t queue = marked_queue("one shots");
  fire_once("one shot", queue, in_milliseconds(3));
  fire_once("one shot at once", queue, DISPATCH_TIME_NOW);
  fire_once("one shot in the past", queue, in_milliseconds(-50));
  fire_once("one shot on the wall", queue, dispatch_walltime(NULL, 3 * (int64_t)NSEC_PER_MSEC));
  fire_once("one shot on the wall, in the past", queue, dispatch_walltime(NULL, -(int64_t)NSEC_PER_SEC));
  // Registration, event, cancellation: in this order, on the queue, with the context.
  dispatch_source_t timer = timer_on(queue);
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_source_set_registration_handler(timer, ^{ say_text("registered on", mark()); });
  dispatch_source_set_event_handler(timer, ^{
    say_text("event on", mark());
    dispatch_source_cancel(timer);
  });
  dispatch_source_set_cancel_handler(timer, ^{
    say_text("cancelled on", mark());
    dispatch_semaphore_signal(done);
  });
  dispatch_source_set_timer(timer, in_milliseconds(1), NSEC_PER_MSEC, 0);
  dispatch_resume(timer);  // activates
  wait_for(done);
  say("mask", (long)dispatch_source_get_mask(timer));
  say("testcancel", dispatch_source_testcancel(timer) != 0);
  dispatch_release(timer);
  dispatch_source_t strict = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, DISPATCH_TIMER_STRICT, queue);
  say("mask of a strict one", (long)dispatch_source_get_mask(strict));
  say("testcancel at first", dispatch_source_testcancel(strict));
  dispatch_activate(strict);
  dispatch_source_cancel(strict);
  dispatch_release(strict);
  dispatch_release(done);
  dispatch_release(queue);
}

void repeating(void) {
  dispatch_queue_t queue = dispatch_queue_create("repeating", NULL);
  dispatch_source_t timer = timer_on(queue);
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_time_t start = in_milliseconds(2);
  __block long count = 0, events = 0;
  __block bool early = false;
  dispatch_source_set_event_handler(timer, ^{
    unsigned long data = dispatch_source_get_data(timer);
    events++;
    count += (long)data;
    // The n-th point is not before start + (n - 1) * interval.
    if (dispatch_time(DISPATCH_TIME_NOW, 0) < start + (dispatch_time_t)(count - 1) * NSEC_PER_MSEC) early = true;
    if (data == 0) early = true;
    if (count >= 20) {
      dispatch_source_cancel(timer);
      say("events not more than points", events <= count);
    }
  });
  dispatch_source_set_cancel_handler(timer, ^{ dispatch_semaphore_signal(done); });
  dispatch_source_set_timer(timer, start, NSEC_PER_MSEC, 0);
  dispatch_activate(timer);
  wait_for(done);
  say("early or empty", early);
  dispatch_release(timer);

  // A handler that takes long finds the points that it missed in one event.
  timer = timer_on(queue);
  __block long missed = 0;
  events = 0;
  dispatch_source_set_event_handler(timer, ^{
    events++;
    if (events == 1) {
      pass_milliseconds(30);
    } else if (events == 2) {
      missed = (long)dispatch_source_get_data(timer);
      dispatch_source_cancel(timer);
    }
  });
  dispatch_source_set_cancel_handler(timer, ^{ dispatch_semaphore_signal(done); });
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, 2 * NSEC_PER_MSEC, 0);
  dispatch_activate(timer);
  wait_for(done);
  say("missed while the handler ran", missed >= 10);
  dispatch_release(timer);
  dispatch_release(done);
  dispatch_release(queue);
}

void suspended_timers(void) {
  dispatch_queue_t queue = dispatch_queue_create("suspended", NULL);
  dispatch_source_t timer = timer_on(queue);
  dispatch_semaphore_t fired = dispatch_semaphore_create(0);
  __block long first = 0;
  dispatch_source_set_event_handler(timer, ^{
    if (!first) first = (long)dispatch_source_get_data(timer);
    dispatch_semaphore_signal(fired);
  });
  dispatch_source_set_timer(timer, in_milliseconds(1), 2 * NSEC_PER_MSEC, 0);
  dispatch_suspend(timer);  // while inactive: counted apart
  dispatch_suspend(timer);
  dispatch_resume(timer);
  dispatch_resume(timer);
  dispatch_activate(timer);
  wait_for(fired);
  dispatch_suspend(timer);
  dispatch_sync(queue, ^{ first = 0; });
  while (dispatch_semaphore_wait(fired, DISPATCH_TIME_NOW) == 0) {}
  pass_milliseconds(40);
  say("events while suspended", dispatch_semaphore_wait(fired, DISPATCH_TIME_NOW) == 0);
  dispatch_resume(timer);
  wait_for(fired);
  dispatch_sync(queue, ^{ say("missed while suspended", first >= 15); });
  dispatch_source_cancel(timer);
  dispatch_release(timer);
  // A suspended queue holds the events of its sources as well.
  dispatch_suspend(queue);
  timer = timer_on(queue);
  dispatch_semaphore_t late = dispatch_semaphore_create(0);
  dispatch_source_set_event_handler(timer, ^{ dispatch_semaphore_signal(late); });
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
  dispatch_activate(timer);
  say("events while the queue is suspended", dispatch_semaphore_wait(late, in_milliseconds(10)) == 0);
  dispatch_resume(queue);
  wait_for(late);
  dispatch_source_cancel(timer);
  dispatch_release(timer);
  dispatch_sync(queue, ^{});
  dispatch_release(late);
  dispatch_sync(queue, ^{});
  dispatch_release(queue);
}

static void count_cancel(void *context) { atomic_fetch_add((atomic_long *)context, 1); }

void cancelled_timers(void) {
  dispatch_queue_t queue = dispatch_queue_create("cancelled", NULL);
  static atomic_long cancels, events;
  // From several threads at once, and again: one cancel handler.
  dispatch_source_t timer = timer_on(queue);
  dispatch_set_context(timer, &cancels);
  dispatch_source_set_cancel_handler_f(timer, count_cancel);
  dispatch_source_set_event_handler(timer, ^{ atomic_fetch_add(&events, 1); });
  dispatch_source_set_timer(timer, in_milliseconds(1), NSEC_PER_MSEC, 0);
  dispatch_activate(timer);
  dispatch_apply(8, DISPATCH_APPLY_AUTO, ^(size_t index) {
    (void)index;
    dispatch_source_cancel(timer);
  });
  pass_milliseconds(10);
  dispatch_source_cancel(timer);
  dispatch_sync(queue, ^{});
  long seen = atomic_load(&events);
  pass_milliseconds(10);
  say("cancel handlers", atomic_load(&cancels));
  say("events after the cancellation", atomic_load(&events) - seen);
  dispatch_release(timer);
  // Before the activation: no event ever, one cancel handler.
  timer = timer_on(queue);
  atomic_store(&cancels, 0);
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_source_set_event_handler(timer, ^{ say_text("an event of a cancelled source", "came"); });
  dispatch_source_set_cancel_handler(timer, ^{ dispatch_semaphore_signal(done); });
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, NSEC_PER_MSEC, 0);
  dispatch_source_cancel(timer);
  say("cancelled before", dispatch_source_testcancel(timer) != 0);
  dispatch_activate(timer);
  wait_for(done);
  dispatch_release(timer);
  // Released inside its own handler, with and without a cancellation: the handler ends in peace, and no other comes.
  timer = timer_on(queue);
  dispatch_source_set_event_handler(timer, ^{
    dispatch_release(timer);
    dispatch_semaphore_signal(done);
  });
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, NSEC_PER_MSEC, 0);
  dispatch_activate(timer);
  wait_for(done);
  say("events after the release", dispatch_semaphore_wait(done, in_milliseconds(5)) == 0);
  timer = timer_on(queue);
  dispatch_source_set_event_handler(timer, ^{
    dispatch_source_cancel(timer);
    dispatch_release(timer);
    dispatch_semaphore_signal(done);
  });
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, NSEC_PER_MSEC, 0);
  dispatch_activate(timer);
  wait_for(done);
  dispatch_sync(queue, ^{ say_text("released inside its handler", "ended"); });
  dispatch_release(done);
  dispatch_release(queue);
}

void changed_timers(void) {
  dispatch_queue_t queue = dispatch_queue_create("changed", NULL);
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  // Armed anew inside the handler: each schedule fires once.
  dispatch_source_t timer = timer_on(queue);
  __block long events = 0, data = 0;
  dispatch_source_set_event_handler(timer, ^{
    data += (long)dispatch_source_get_data(timer);
    if (++events < 5) {
      dispatch_source_set_timer(timer, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
    } else {
      dispatch_semaphore_signal(done);
    }
  });
  dispatch_source_set_timer(timer, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
  dispatch_activate(timer);
  wait_for(done);
  dispatch_source_cancel(timer);
  dispatch_release(timer);
  say("armed anew inside", events);
  say("data", data);
  // Earlier, later, and another handler, before the first point.
  timer = timer_on(queue);
  dispatch_source_set_event_handler(timer, ^{ say_text("the first handler", "ran"); });
  dispatch_source_set_timer(timer, in_milliseconds(60 * 1000), DISPATCH_TIME_FOREVER, 0);
  dispatch_activate(timer);
  dispatch_source_set_event_handler(timer, ^{ dispatch_semaphore_signal(done); });
  dispatch_source_set_timer(timer, in_milliseconds(2), DISPATCH_TIME_FOREVER, 0);
  wait_for(done);
  dispatch_source_set_timer(timer, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
  dispatch_source_set_timer(timer, DISPATCH_TIME_FOREVER, DISPATCH_TIME_FOREVER, 0);
  pass_milliseconds(5);
  while (dispatch_semaphore_wait(done, DISPATCH_TIME_NOW) == 0) {}
  say("forever", dispatch_semaphore_wait(done, in_milliseconds(10)) == 0);
  dispatch_source_set_timer(timer, dispatch_walltime(NULL, 2 * (int64_t)NSEC_PER_MSEC), DISPATCH_TIME_FOREVER, 0);
  wait_for(done);
  say_text("to the wall's clock", "came");
  dispatch_source_cancel(timer);
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, NSEC_PER_MSEC, 0);
  say("set after the cancellation", dispatch_semaphore_wait(done, in_milliseconds(10)) == 0);
  dispatch_release(timer);
  dispatch_sync(queue, ^{});
  dispatch_release(done);
  dispatch_release(queue);
}
