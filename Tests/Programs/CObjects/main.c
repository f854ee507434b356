// main.c: a C program about what only C has: contexts and finalizers, block objects, sources, attributes, specific
// values. The chapters are in the other files; the end, through the main queue, is here.
#include "program.h"

#include <stdlib.h>

static char mark_key;

dispatch_queue_t marked_queue(const char *label) {
  dispatch_queue_t queue = dispatch_queue_create(label, NULL);
  dispatch_queue_set_specific(queue, &mark_key, (void *)dispatch_queue_get_label(queue), NULL);
  return queue;
}

const char *mark(void) {
  const char *found = dispatch_get_specific(&mark_key);
  return found ? found : "elsewhere";
}

// The header: retaining and releasing have no effect on them, so there may be more of the one than of the other.
static void queues_for_ever(void) {
  dispatch_queue_t queues[] = {dispatch_get_main_queue(), dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)};
  for (int place = 0; place < 2; place++) {
    for (int round = 0; round < 3; round++) dispatch_retain(queues[place]);
    for (int round = 0; round < 100; round++) dispatch_release(queues[place]);
    say_text("a queue forever", dispatch_queue_get_label(queues[place]));
  }
}

static long turns;

static void turn(void *limit) {
  dispatch_assert_queue(dispatch_get_main_queue());
  if (++turns < (long)(intptr_t)limit) {
    dispatch_async_f(dispatch_get_main_queue(), limit, turn);
    return;
  }
  say("turns of the main queue", turns);
  say_text("label of the main queue inside", dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL));
  dispatch_queue_t queue = dispatch_queue_create("leads to main", NULL);
  dispatch_set_target_queue(queue, dispatch_get_main_queue());
  dispatch_async(queue, ^{
    dispatch_assert_queue(dispatch_get_main_queue());
    dispatch_assert_queue(queue);
    say_text("a queue on the main queue", dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL));
    dispatch_release(queue);
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, dispatch_get_main_queue());
    dispatch_source_set_timer(timer, in_milliseconds(2), DISPATCH_TIME_FOREVER, 0);
    dispatch_source_set_event_handler(timer, ^{
      dispatch_assert_queue(dispatch_get_main_queue());
      say("a timer on the main queue", (long)dispatch_source_get_data(timer));
      dispatch_release(timer);
      exit(3);
    });
    dispatch_activate(timer);
  });
}

void finish(void) {
  dispatch_async_f(dispatch_get_main_queue(), (void *)(intptr_t)1000, turn);
  dispatch_main();
}

int main(void) {
  finalizers();
  held_groups();
  block_objects();
  applies();
  forever();
  one_shots();
  repeating();
  suspended_timers();
  cancelled_timers();
  changed_timers();
  data_sources();
  byte_sources();
  signal_sources();
  attributes();
  specific_destructors();
  labels();
  clocks();
  queues_for_ever();
  finish();
}
