// queues.c: the chapters about attributes, labels, applies and times.
#include "program.h"

#include <string.h>

static void describe(const char *text, dispatch_queue_attr_t attribute) {
  dispatch_queue_t queue = dispatch_queue_create(text, attribute);
  dispatch_activate(queue);
  int relative = 1;
  unsigned int class = dispatch_queue_get_qos_class(queue, &relative);
  // Two bodies of a concurrent queue can wait for each other; those of a serial one run in order.
  __block long inside = 0, most = 0;
  dispatch_group_t group = dispatch_group_create();
  for (int round = 0; round < 20; round++)
    dispatch_group_async(group, queue, ^{
      long now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
      if (now > most) most = now;
      __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  printf("%s: class %#x, rank %d, ran\n", text, class, relative);
  dispatch_release(group);
  dispatch_release(queue);
}

void attributes(void) {
  dispatch_queue_attr_t none = DISPATCH_QUEUE_SERIAL, many = DISPATCH_QUEUE_CONCURRENT;
  describe("serial", none);
  describe("concurrent", many);
  const unsigned int classes[] = {0x09, 0x11, 0x15, 0x19};  // the toolchain's library has no class of its own for 0x21
  for (size_t index = 0; index < sizeof classes / sizeof *classes; index++) {
    describe("serial with a class", dispatch_queue_attr_make_with_qos_class(none, classes[index], 0));
    describe("concurrent with a class", dispatch_queue_attr_make_with_qos_class(many, classes[index], -15));
  }
  dispatch_queue_attr_t classed = dispatch_queue_attr_make_with_qos_class(none, 0x19, -7);
  describe("inactive with a class", dispatch_queue_attr_make_initially_inactive(classed));
  describe("with a class, then another", dispatch_queue_attr_make_with_qos_class(classed, 0x11, -1));
  dispatch_queue_attr_t often = dispatch_queue_attr_make_with_autorelease_frequency(
      dispatch_queue_attr_make_initially_inactive(many), DISPATCH_AUTORELEASE_FREQUENCY_NEVER);
  describe("inactive, concurrent, with a frequency", often);
  describe("all of it", dispatch_queue_attr_make_with_qos_class(often, 0x15, -2));
  say("equal ones are equal", often == dispatch_queue_attr_make_with_autorelease_frequency(
                                           dispatch_queue_attr_make_initially_inactive(many), DISPATCH_AUTORELEASE_FREQUENCY_NEVER));
  // The serial one's order, and two of the concurrent one at once.
  dispatch_queue_t pair = dispatch_queue_create("pair", dispatch_queue_attr_make_with_qos_class(many, 0x11, 0));
  dispatch_semaphore_t here = dispatch_semaphore_create(0), there = dispatch_semaphore_create(0);
  dispatch_async(pair, ^{
    dispatch_semaphore_signal(here);
    wait_for(there);
  });
  dispatch_async(pair, ^{
    wait_for(here);
    dispatch_semaphore_signal(there);
  });
  dispatch_barrier_sync(pair, ^{ say_text("two at once", "both through"); });
  dispatch_release(pair);
  dispatch_queue_t asleep = dispatch_queue_create("asleep", dispatch_queue_attr_make_initially_inactive(NULL));
  dispatch_async(asleep, ^{ dispatch_semaphore_signal(here); });
  say("inactive runs", dispatch_semaphore_wait(here, in_milliseconds(5)) == 0);
  dispatch_activate(asleep);
  dispatch_activate(asleep);
  wait_for(here);
  dispatch_release(asleep);
  dispatch_release(here);
  dispatch_release(there);
}

static void label_inside(void *text) { say_text(text, dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL)); }

void labels(void) {
  char text[] = "a label of the caller's";
  dispatch_queue_t queue = dispatch_queue_create(text, NULL);
  text[0] = 'X';  // a copy was taken
  say_text("label", dispatch_queue_get_label(queue));
  say("one address", dispatch_queue_get_label(queue) == dispatch_queue_get_label(queue));
  dispatch_queue_t above = dispatch_queue_create_with_target("above", DISPATCH_QUEUE_CONCURRENT, queue);
  dispatch_sync_f(queue, "sync", label_inside);
  dispatch_sync_f(above, "sync above", label_inside);
  dispatch_async_f(above, "async above", label_inside);
  dispatch_barrier_sync_f(above, "barrier above", label_inside);
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async_f(group, queue, "member", label_inside);
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  dispatch_group_notify_f(group, queue, "notification", label_inside);
  dispatch_sync(queue, ^{});
  dispatch_sync(queue, ^{
    dispatch_queue_t inner = dispatch_queue_create("inner", NULL);
    dispatch_sync_f(inner, "nested", label_inside);
    dispatch_release(inner);
    label_inside("back");
  });
  const char *bytes = "no\xff\xfe text";
  dispatch_queue_t odd = dispatch_queue_create(bytes, NULL);
  dispatch_sync(odd, ^{ say("bytes that are no text", strcmp(dispatch_queue_get_label(odd), bytes)); });
  dispatch_release(odd);
  dispatch_queue_t empty = dispatch_queue_create("", NULL), none = dispatch_queue_create(NULL, NULL);
  say("no labels", (long)(strlen(dispatch_queue_get_label(empty)) + strlen(dispatch_queue_get_label(none))));
  dispatch_release(empty);
  dispatch_release(none);
  dispatch_release(group);
  dispatch_release(above);
  dispatch_release(queue);
}

static void add_index(void *sum, size_t index) { atomic_fetch_add((atomic_long *)sum, (long)index + 1); }

void applies(void) {
  dispatch_queue_t serial = dispatch_queue_create("serial", NULL);
  dispatch_queue_t concurrent = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  dispatch_queue_t above = dispatch_queue_create_with_target("above", DISPATCH_QUEUE_CONCURRENT, serial);
  dispatch_queue_t queues[] = {serial, concurrent, above, dispatch_get_global_queue(0x11, 0), DISPATCH_APPLY_AUTO};
  const char *names[] = {"serial", "concurrent", "concurrent on serial", "global", "none"};
  for (int index = 0; index < 5; index++) {
    atomic_long sum = 0;
    dispatch_apply_f(200, queues[index], &sum, add_index);
    dispatch_apply_f(1, queues[index], &sum, add_index);
    dispatch_apply_f(0, queues[index], &sum, add_index);
    say(names[index], atomic_load(&sum));
  }
  __block long order = 0, wrong = 0;
  dispatch_apply(100, above, ^(size_t index) { wrong += (long)index != order++; });
  say("order on a serial target", wrong);
  __block atomic_long inner = 0;
  dispatch_apply(8, concurrent, ^(size_t outer) {
    dispatch_apply(8, DISPATCH_APPLY_AUTO, ^(size_t index) { atomic_fetch_add(&inner, (long)(outer * index)); });
  });
  say("nested", atomic_load(&inner));
  dispatch_queue_t global = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
  dispatch_apply(200, global, ^(size_t index) {
    (void)index;
    dispatch_assert_queue(global);
  });
  say("bodies on a global queue", 200);
  // Behind what was submitted before, and before what comes after.
  __block long before = 0;
  __block atomic_long seen = 0;
  for (int round = 0; round < 50; round++) dispatch_async(serial, ^{ before++; });
  dispatch_apply(4, serial, ^(size_t index) {
    (void)index;
    atomic_fetch_add(&seen, before);
  });
  say("after what came before", atomic_load(&seen));
  dispatch_release(above);
  dispatch_release(concurrent);
  dispatch_release(serial);
}

// The header calls this undefined; programs do it all the same, and nothing must come of it.
void forever(void) {
  dispatch_queue_t queue = dispatch_queue_create("forever", NULL);
  dispatch_semaphore_t never = dispatch_semaphore_create(0);
  dispatch_after_f(DISPATCH_TIME_FOREVER, queue, never, signal_it);
  dispatch_after(dispatch_time(DISPATCH_TIME_NOW, INT64_MAX), queue, ^{ dispatch_semaphore_signal(never); });
  say("forever came", dispatch_semaphore_wait(never, in_milliseconds(10)) == 0);
  // Neither the queue nor the semaphore is released: somebody may still hold them.
}

void clocks(void) {
  dispatch_time_t now = dispatch_time(DISPATCH_TIME_NOW, 0), wall = dispatch_walltime(NULL, 0);
  say("uptime", now >> 63 == 0 && now > 0);
  say("wall", wall >> 62 == 3);
  say("zero is now", dispatch_time(0, 0) - now < NSEC_PER_SEC);
  say("forever", dispatch_time(DISPATCH_TIME_FOREVER, 1) == DISPATCH_TIME_FOREVER);
  say("past the end", dispatch_time(now, INT64_MAX) == DISPATCH_TIME_FOREVER);
  struct timespec moment = {2000000000, 123456789};
  dispatch_time_t point = dispatch_walltime(&moment, 0);
  say("a moment", (long)-(int64_t)point);
  say("a moment and an hour", (long)-(int64_t)dispatch_walltime(&moment, 3600 * (int64_t)NSEC_PER_SEC));
  say("an hour earlier", (long)-(int64_t)dispatch_time(point, -3600 * (int64_t)NSEC_PER_SEC));
  // The continuous clock has no function of its own; sums keep the clock that the time is of.
  dispatch_time_t continuous = ((dispatch_time_t)1 << 63) | 1000000000;
  say("continuous", (long)(dispatch_time(continuous, 500) - continuous));
  say("continuous, earlier", (long)(continuous - dispatch_time(continuous, -500)));
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
  say("wait until now", dispatch_semaphore_wait(semaphore, now) != 0);
  say("wait until a wall time", dispatch_semaphore_wait(semaphore, dispatch_walltime(NULL, 2000000)) != 0);
  dispatch_time_t due = in_milliseconds(5);
  say("wait until a time", dispatch_semaphore_wait(semaphore, due) != 0 && dispatch_time(DISPATCH_TIME_NOW, 0) >= due);
  dispatch_group_t group = dispatch_group_create();
  say("wait for an empty group", dispatch_group_wait(group, DISPATCH_TIME_NOW));
  dispatch_group_enter(group);
  say("wait for a group until a wall time", dispatch_group_wait(group, dispatch_walltime(NULL, 2000000)) != 0);
  dispatch_group_leave(group);
  dispatch_release(group);
  dispatch_release(semaphore);
}
