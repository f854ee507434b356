// orders.c: cases without a race: one promised order each, of those that no submission gives. The rest: queues.c, events.c.
#include "cases.h"

#include <stdlib.h>

static dispatch_queue_t inactive(dispatch_queue_attr_t kind) {
  return dispatch_queue_create("inactive", dispatch_queue_attr_make_initially_inactive(kind));
}

// MARK: queues that begin

static void begins(dispatch_queue_t queue, dispatch_object_t stopped, void (*begin)(dispatch_object_t object)) {
  dispatch_async(queue, counting());
  state++;
  begin(stopped);
  wait_until_done();
}

static void activated(void) {
  dispatch_queue_t queue = inactive(NULL);
  begins(queue, queue, dispatch_activate);
}
static void activated_concurrent(void) {
  dispatch_queue_t queue = inactive(DISPATCH_QUEUE_CONCURRENT);
  begins(queue, queue, dispatch_activate);
}
static void activated_target(void) {
  dispatch_queue_t target = inactive(NULL);
  begins(dispatch_queue_create_with_target("above", NULL, target), target, dispatch_activate);
}
static void activated_workloop(void) {
  dispatch_queue_t loop = dispatch_workloop_create_inactive("workloop");
  dispatch_queue_t above = dispatch_queue_create_with_target("above", NULL, loop);
  begins(above, loop, dispatch_activate);
}
static void resumed_concurrent(void) {
  dispatch_queue_t queue = dispatch_queue_create("suspended", DISPATCH_QUEUE_CONCURRENT);
  dispatch_suspend(queue);
  begins(queue, queue, dispatch_resume);
}
static void resumed_target(void) {
  dispatch_queue_t target = dispatch_queue_create("suspended", NULL);
  dispatch_suspend(target);
  begins(dispatch_queue_create_with_target("above", DISPATCH_QUEUE_CONCURRENT, target), target, dispatch_resume);
}

// MARK: values

static int key;

static void value_of_queue(void) {
  dispatch_queue_t queue = dispatch_queue_create("with a value", NULL);
  do_elsewhere(^{
    state++;
    dispatch_queue_set_specific(queue, &key, &key, NULL);
  });
  if (dispatch_queue_get_specific(queue, &key)) state++;
}
static void value_of_current(void) {
  dispatch_queue_t target = dispatch_queue_create("with a value", NULL);
  dispatch_queue_t queue = dispatch_queue_create_with_target("above", NULL, target);
  do_elsewhere(^{
    state++;
    dispatch_queue_set_specific(target, &key, &key, NULL);
  });
  dispatch_sync(queue, ^{ if (dispatch_get_specific(&key)) state++; });
}
static void value_replaced(void) {
  dispatch_queue_t queue = dispatch_queue_create("with a value", NULL);
  do_elsewhere(^{
    state++;
    dispatch_queue_set_specific(queue, &key, &key, count_and_tell);
  });
  dispatch_queue_set_specific(queue, &key, NULL, NULL);
  wait_until_done();
}

// MARK: every way to submit

static void count_at(void *ignored, size_t index) {
  (void)index;
  count(ignored);
}

static void every_submission(void) {
  dispatch_queue_t queue = dispatch_queue_create("serial", NULL);
  dispatch_group_t group = dispatch_group_create();
  dispatch_block_t block = ^{ state++; };
  for (int i = 0; i < 20; i++) {
    dispatch_async(queue, block);
    dispatch_async_f(queue, NULL, count);
    dispatch_async_enforce_qos_class_f(queue, NULL, count);
    dispatch_barrier_async(queue, block);
    dispatch_barrier_async_f(queue, NULL, count);
    dispatch_group_async(group, queue, block);
    dispatch_group_async_f(group, queue, NULL, count);
    dispatch_after(DISPATCH_TIME_NOW, queue, block);
    dispatch_after_f(DISPATCH_TIME_NOW, queue, NULL, count);
    dispatch_sync(queue, block);
    dispatch_sync_f(queue, NULL, count);
    dispatch_barrier_sync(queue, block);
    dispatch_barrier_sync_f(queue, NULL, count);
    dispatch_async_and_wait(queue, block);
    dispatch_async_and_wait_f(queue, NULL, count);
    dispatch_barrier_async_and_wait(queue, block);
    dispatch_barrier_async_and_wait_f(queue, NULL, count);
    dispatch_apply_f(2, queue, NULL, count_at);
  }
  dispatch_group_notify_f(group, queue, NULL, count_and_tell);
  wait_until_done();
  dispatch_sync(queue, block);
}

// MARK: block objects

static void block_object_follows(void) {
  dispatch_block_t first = dispatch_block_create(0, ^{ state++; });
  dispatch_block_t second = dispatch_block_create(0, counting());
  state++;
  dispatch_block_notify(first, global(), second);
  dispatch_async(global(), first);
  wait_until_done();
}
static void follows_what_has_run(void) {
  dispatch_block_t block = dispatch_block_create(0, ^{ state++; });
  do_elsewhere(^{ dispatch_async_and_wait(global(), block); });
  dispatch_block_notify(block, global(), counting());
  wait_until_done();
}
static void called_by_hand(void) {
  dispatch_block_t block = dispatch_block_create(0, ^{ state++; });
  do_elsewhere(block);
  dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
  state++;
}
static void cancelled_block(void) {
  dispatch_block_t block = dispatch_block_create(0, ^{ abort(); });
  dispatch_block_cancel(block);
  do_elsewhere(^{
    state++;
    dispatch_async(global(), block);
  });
  dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
  state++;
}
static void follows_cancelled_block(void) {
  dispatch_block_t block = dispatch_block_create(0, ^{ abort(); });
  dispatch_block_cancel(block);
  dispatch_block_notify(block, global(), counting());
  do_elsewhere(^{
    state++;
    dispatch_async(global(), block);
  });
  wait_until_done();
}
static void block_objects_in_groups(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async(group, global(), dispatch_block_create(0, ^{ state++; }));
  dispatch_group_notify(group, global(), dispatch_block_create(0, counting()));
  wait_until_done();
}

// MARK: groups

static void left_by_hand(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_enter(group);
  dispatch_group_notify(group, global(), counting());
  do_elsewhere(^{
    state++;
    dispatch_group_leave(group);
  });
  wait_until_done();
  dispatch_group_enter(group);
  do_elsewhere(^{
    state++;
    dispatch_group_leave(group);
  });
  if (!dispatch_group_wait(group, DISPATCH_TIME_NOW)) state++;
}

const struct sanitizer_case order_cases[] = {
  {"activated", false, activated}, {"activated-concurrent", false, activated_concurrent},
  {"activated-target", false, activated_target}, {"activated-workloop", false, activated_workloop},
  {"resumed-concurrent", false, resumed_concurrent}, {"resumed-target", false, resumed_target},
  {"value-of-queue", false, value_of_queue}, {"value-of-current", false, value_of_current},
  {"value-replaced", false, value_replaced}, {"every-submission", false, every_submission},
  {"block-object-follows", false, block_object_follows},
  {"follows-what-has-run", false, follows_what_has_run}, {"called-by-hand", false, called_by_hand},
  {"cancelled-block", false, cancelled_block}, {"follows-cancelled-block", false, follows_cancelled_block},
  {"block-objects-in-groups", false, block_objects_in_groups}, {"left-by-hand", false, left_by_hand},
  {NULL, false, NULL},
};
