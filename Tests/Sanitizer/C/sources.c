// sources.c: cases without a race: one promised order each, of sources.
#include "cases.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static dispatch_source_t adding(dispatch_queue_t queue) {
  return dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
}

// MARK: the beginning

static void activated_source(void) {
  dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, global());
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
  dispatch_source_set_event_handler(timer, counting());
  state++;
  dispatch_activate(timer);
  wait_until_done();
}
static void registered(void) {
  dispatch_source_t source = adding(global());
  dispatch_source_set_registration_handler(source, counting());
  state++;
  dispatch_activate(source);
  wait_until_done();
}
static void registered_before_events(void) {
  dispatch_source_t source = adding(global());
  dispatch_source_set_registration_handler(source, ^{ state++; });
  dispatch_source_set_event_handler(source, counting());
  dispatch_source_merge_data(source, 1);
  dispatch_activate(source);
  wait_until_done();
}
static void registered_late(void) {
  dispatch_source_t source = adding(NULL);
  dispatch_activate(source);
  state++;
  dispatch_source_set_registration_handler_f(source, count_and_tell);
  wait_until_done();
}
static void source_resumed(void) {
  dispatch_source_t source = adding(global());
  dispatch_source_set_event_handler(source, counting());
  dispatch_activate(source);
  dispatch_suspend(source);
  dispatch_source_merge_data(source, 1);
  state++;
  dispatch_resume(source);
  wait_until_done();
}

// MARK: events

static void merged_into(dispatch_source_type_t type) {
  dispatch_source_t source = dispatch_source_create(type, 0, 0, global());
  dispatch_source_set_event_handler(source, counting());
  dispatch_activate(source);
  state++;
  dispatch_source_merge_data(source, 1);
  wait_until_done();
}
static void merged_by_adding(void) { merged_into(DISPATCH_SOURCE_TYPE_DATA_ADD); }
static void merged_by_or(void) { merged_into(DISPATCH_SOURCE_TYPE_DATA_OR); }
static void merged_by_replacing(void) { merged_into(DISPATCH_SOURCE_TYPE_DATA_REPLACE); }
static void merged_before_activation(void) {
  dispatch_source_t source = adding(global());
  dispatch_source_set_event_handler(source, counting());
  do_elsewhere(^{
    state++;
    dispatch_source_merge_data(source, 1);
  });
  dispatch_activate(source);
  wait_until_done();
}
static void timer_set_late(void) {
  dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, global());
  dispatch_source_set_event_handler_f(timer, count_and_tell);
  dispatch_resume(timer);
  state++;
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
  wait_until_done();
}
static void handler_set_late(void) {
  dispatch_source_t source = adding(global());
  dispatch_activate(source);
  dispatch_source_merge_data(source, 1);
  state++;
  dispatch_source_set_event_handler(source, counting());
  dispatch_source_merge_data(source, 1);
  wait_until_done();
}
static void handlers_in_order(void) {
  dispatch_source_t source = adding(dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT));
  static atomic_int runs;
  dispatch_source_set_event_handler(source, ^{
    state++;
    atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed);
  });
  dispatch_source_set_cancel_handler(source, counting());
  dispatch_activate(source);
  for (int i = 1; i <= 50; i++) {
    dispatch_source_merge_data(source, 1);
    while (atomic_load_explicit(&runs, memory_order_relaxed) < i) sched_yield();
  }
  dispatch_source_cancel(source);
  wait_until_done();
}
static void bytes_arrive(void) {
  int ends[2];
  if (pipe(ends)) return;
  int reading = ends[0], writing = ends[1];
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)reading, 0, global());
  dispatch_source_set_event_handler(source, ^{
    char byte;
    if (read(reading, &byte, 1) != 1) return;
    state++;
    dispatch_source_cancel(source);
  });
  dispatch_source_set_cancel_handler(source, ^{
    close(reading);
    count_and_tell(NULL);
  });
  dispatch_activate(source);
  state++;
  if (write(writing, "", 1) != 1) return;
  wait_until_done();
  close(writing);
}

// MARK: the end

static void cancelled_elsewhere(void) {
  dispatch_source_t source = adding(global());
  dispatch_source_set_cancel_handler(source, counting());
  dispatch_activate(source);
  do_elsewhere(^{
    state++;
    dispatch_source_cancel(source);
  });
  wait_until_done();
}
static void cancelled_before_activation(void) {
  dispatch_source_t source = adding(global());
  dispatch_source_set_cancel_handler(source, counting());
  do_elsewhere(^{
    state++;
    dispatch_source_cancel(source);
  });
  dispatch_activate(source);
  wait_until_done();
}
static void cancelled_by_its_handler(void) {
  dispatch_source_t source = adding(global());
  dispatch_source_set_event_handler(source, ^{
    state++;
    dispatch_source_cancel(source);
  });
  dispatch_source_set_mandatory_cancel_handler_f(source, count_and_tell);
  dispatch_activate(source);
  dispatch_source_merge_data(source, 1);
  wait_until_done();
}
static void mandatory_handler(void) {
  dispatch_source_t source = adding(global());
  do_elsewhere(^{
    state++;
    dispatch_source_set_mandatory_cancel_handler(source, counting());
  });
  dispatch_activate(source);
  dispatch_source_cancel(source);
  wait_until_done();
}
static void cancel_handler_set_late(void) {
  dispatch_source_t source = adding(dispatch_queue_create("queue", NULL));
  dispatch_source_set_event_handler(source, counting());
  dispatch_activate(source);
  dispatch_source_cancel(source);
  state++;
  dispatch_source_set_cancel_handler_f(source, count_and_tell);
  wait_until_done();
}
static void cancelled_and_waited(void) {
  dispatch_source_t source = adding(global());
  static atomic_int has_begun;
  dispatch_source_set_event_handler(source, ^{
    atomic_store_explicit(&has_begun, 1, memory_order_relaxed);
    state++;
  });
  dispatch_activate(source);
  dispatch_source_merge_data(source, 1);
  while (!atomic_load_explicit(&has_begun, memory_order_relaxed)) sched_yield();
  dispatch_source_cancel_and_wait(source);
  state++;
}

const struct sanitizer_case source_cases[] = {
  {"activated-source", false, activated_source}, {"registered", false, registered},
  {"registered-before-events", false, registered_before_events}, {"registered-late", false, registered_late},
  {"source-resumed", false, source_resumed}, {"merged-by-adding", false, merged_by_adding},
  {"merged-by-or", false, merged_by_or}, {"merged-by-replacing", false, merged_by_replacing},
  {"merged-before-activation", false, merged_before_activation}, {"timer-set-late", false, timer_set_late},
  {"handler-set-late", false, handler_set_late}, {"handlers-in-order", false, handlers_in_order},
  {"bytes-arrive", false, bytes_arrive}, {"cancelled-elsewhere", false, cancelled_elsewhere},
  {"cancelled-before-activation", false, cancelled_before_activation},
  {"cancelled-by-its-handler", false, cancelled_by_its_handler}, {"mandatory-handler", false, mandatory_handler},
  {"cancel-handler-set-late", false, cancel_handler_set_late}, {"cancelled-and-waited", false, cancelled_and_waited},
  {NULL, false, NULL},
};
