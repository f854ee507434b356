// racy.c: cases with one race each: two deeds that a dispatch object of some kind leaves without an order.
#include "cases.h"

#include <sched.h>
#include <stdatomic.h>

// The earlier of two deeds, and the later one. They meet first, so each has a thread of its own; and they are never at the same
// instant, which the sanitizer could miss. Yet there is no order between them, since relaxed words give none.
static atomic_int here, stage;
static void meet(void) {
  atomic_fetch_add_explicit(&here, 1, memory_order_relaxed);
  while (atomic_load_explicit(&here, memory_order_relaxed) < 2) sched_yield();
}
static void do_earlier(void) {
  meet();
  state++;
  atomic_store_explicit(&stage, 1, memory_order_relaxed);
}
static void do_later(void) {
  meet();
  while (!atomic_load_explicit(&stage, memory_order_relaxed)) sched_yield();
  state++;
}

static dispatch_queue_t make(const char *label, dispatch_queue_t target) {
  return dispatch_queue_create_with_target(label, NULL, target);
}

static void race(dispatch_queue_t first, dispatch_queue_t second) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async(group, first, ^{ do_earlier(); });
  dispatch_group_async(group, second, ^{ do_later(); });
  wait_for(group);
}

static void on_concurrent(void) {
  dispatch_queue_t queue = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  race(queue, queue);
}

static void on_wide(void) {
  dispatch_queue_t queue = dispatch_queue_create("two at a time", DISPATCH_QUEUE_CONCURRENT);
  dispatch_queue_set_width(queue, 2);
  race(queue, queue);
}

static void on_global(void) { race(dispatch_get_global_queue(0, 0), dispatch_get_global_queue(0, 0)); }

static void on_two_serial(void) { race(make("one", NULL), make("other", NULL)); }

static void on_two_workloops(void) { race(dispatch_workloop_create("one"), dispatch_workloop_create("other")); }

static void on_a_concurrent_target(void) {
  dispatch_queue_t base = dispatch_queue_create("base", DISPATCH_QUEUE_CONCURRENT);
  race(make("one", base), make("other", base));
}

static void after_a_retarget(void) {
  dispatch_queue_t base = make("base", NULL), queue = dispatch_queue_create("moved away", NULL);
  dispatch_set_target_queue(queue, base);
  dispatch_sync(queue, ^{});
  dispatch_set_target_queue(queue, NULL);
  dispatch_sync(queue, ^{});
  race(base, queue);
}

static void with_main(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async(group, dispatch_get_global_queue(0, 0), ^{ do_earlier(); });
  dispatch_group_async(group, dispatch_get_main_queue(), ^{ do_later(); });
  while (dispatch_group_wait(group, DISPATCH_TIME_NOW)) _dispatch_main_queue_callback_4CF(NULL);
}

static void with_a_source(void) {
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, make("source", NULL));
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_enter(group);
  dispatch_source_set_event_handler(source, ^{
    do_later();
    dispatch_group_leave(group);
  });
  dispatch_resume(source);
  dispatch_source_merge_data(source, 1);
  dispatch_group_async(group, dispatch_get_global_queue(0, 0), ^{ do_earlier(); });
  wait_for(group);
}

// What comes after the call that lets the others begin is no cause of theirs.
static void after_activation(void) {
  dispatch_queue_t queue = dispatch_queue_create("later", dispatch_queue_attr_make_initially_inactive(NULL));
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async(group, queue, ^{ do_earlier(); });
  dispatch_activate(queue);
  do_later();
  wait_for(group);
}
static void after_a_merge(void) {
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, global());
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_enter(group);
  dispatch_source_set_event_handler(source, ^{
    do_earlier();
    dispatch_group_leave(group);
  });
  dispatch_activate(source);
  dispatch_source_merge_data(source, 1);
  do_later();
  wait_for(group);
}
static void after_a_release(void) {
  static dispatch_semaphore_t told;
  told = dispatch_semaphore_create(0);
  dispatch_data_t data = dispatch_data_create("bytes", 5, NULL, ^{
    do_earlier();
    dispatch_semaphore_signal(told);
  });
  dispatch_release(data);
  do_later();
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
}

static void in_apply(void) {
  dispatch_apply(2, dispatch_get_global_queue(0, 0), ^(size_t i) {
    if (i == 0) do_earlier(); else do_later();
  });
}

static void with_a_delay(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_enter(group);
  dispatch_after(DISPATCH_TIME_NOW, dispatch_get_global_queue(0, 0), ^{
    do_later();
    dispatch_group_leave(group);
  });
  do_earlier();
  wait_for(group);
}

const struct sanitizer_case racy_cases[] = {
  {"on-concurrent", true, on_concurrent}, {"on-wide", true, on_wide}, {"on-global", true, on_global},
  {"on-two-serial", true, on_two_serial}, {"on-two-workloops", true, on_two_workloops},
  {"on-a-concurrent-target", true, on_a_concurrent_target}, {"after-a-retarget", true, after_a_retarget},
  {"with-main", true, with_main},
  {"after-activation", true, after_activation}, {"after-a-merge", true, after_a_merge},
  {"after-a-release", true, after_a_release},
  {"with-a-source", true, with_a_source}, {"in-apply", true, in_apply}, {"with-a-delay", true, with_a_delay},
  {NULL, true, NULL},
};
