// queues.c: cases without a race: each order comes from a queue of some kind, or from waiting. Sources and the rest: events.c.
#include "cases.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { MANY = 100 };

static void count_on(dispatch_queue_t queue) {
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < MANY; i++) dispatch_group_async(group, queue, ^{ state++; });
  wait_for(group);
  dispatch_release(group);
}

// By workers, several at a time.
static void count_by_sync(dispatch_queue_t queue) {
  dispatch_apply(4, global(), ^(size_t worker) {
    (void)worker;
    for (int i = 0; i < MANY; i++) dispatch_sync(queue, ^{ state++; });
  });
}

static void serial(void) {
  dispatch_queue_t queue = dispatch_queue_create("serial", NULL);
  count_on(queue);
  count_by_sync(queue);
  dispatch_async_and_wait(queue, ^{ state++; });
  dispatch_release(queue);
}

static void add_one(void *number) { *(long *)number += 1; }

static void functions(void) {
  dispatch_queue_t queue = dispatch_queue_create("functions", NULL);
  for (int i = 0; i < MANY; i++) dispatch_async_f(queue, &state, add_one);
  dispatch_sync_f(queue, &state, add_one);
  dispatch_release(queue);
}

static void barriers(void) {
  dispatch_queue_t queue = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  dispatch_group_t group = dispatch_group_create();
  __block atomic_long seen = 0;
  for (int i = 0; i < MANY; i++) {
    dispatch_group_async(group, queue, ^{ atomic_fetch_add_explicit(&seen, state, memory_order_relaxed); });
    dispatch_barrier_async(queue, ^{ state++; });
  }
  dispatch_barrier_sync(queue, ^{ state++; });
  wait_for(group);
  dispatch_release(group);
  dispatch_release(queue);
}

static void one_at_a_time(void) {
  dispatch_queue_t queue = dispatch_queue_create("narrow", DISPATCH_QUEUE_CONCURRENT);
  dispatch_queue_set_width(queue, 1);
  count_on(queue);
  dispatch_release(queue);
}

static void count_on_both(dispatch_queue_t first, dispatch_queue_t second) {
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < MANY; i++) {
    dispatch_group_async(group, first, ^{ state++; });
    dispatch_group_async(group, second, ^{ state++; });
  }
  wait_for(group);
  dispatch_release(group);
}

static void hierarchy(void) {
  dispatch_queue_t base = dispatch_queue_create("base", NULL);
  dispatch_queue_t first = dispatch_queue_create_with_target("first", NULL, base);
  dispatch_queue_t middle = dispatch_queue_create_with_target("middle", DISPATCH_QUEUE_CONCURRENT, base);
  dispatch_queue_t second = dispatch_queue_create_with_target("second", NULL, middle);
  count_on_both(first, second);
  count_on_both(base, second);
  dispatch_release(second);
  dispatch_release(middle);
  dispatch_release(first);
  dispatch_release(base);
}

static void retargeted(void) {
  dispatch_queue_t base = dispatch_queue_create("base", NULL), queue = dispatch_queue_create("moved", NULL);
  count_on(queue);
  dispatch_set_target_queue(queue, base);
  dispatch_sync(queue, ^{});
  count_on_both(base, queue);
  dispatch_release(queue);
  dispatch_release(base);
}

static void inactive(void) {
  dispatch_queue_t base = dispatch_queue_create("base", NULL);
  dispatch_queue_t queue = dispatch_queue_create("later", dispatch_queue_attr_make_initially_inactive(NULL));
  dispatch_set_target_queue(queue, base);
  dispatch_activate(queue);
  count_on_both(base, queue);
  dispatch_release(queue);
  dispatch_release(base);
}

static void suspended(void) {
  dispatch_queue_t queue = dispatch_queue_create("suspended", NULL);
  dispatch_suspend(queue);
  dispatch_async(queue, ^{ state++; });
  state++;
  dispatch_resume(queue);
  dispatch_sync(queue, ^{ state++; });
  dispatch_release(queue);
}

static void workloops(void) {
  dispatch_queue_t loop = dispatch_workloop_create("workloop");
  dispatch_queue_t inner = dispatch_queue_create_with_target("inner", NULL, loop);
  count_on_both(loop, inner);
  dispatch_release(inner);
  dispatch_release(loop);
}

static void run_loop_queue(void) {
  dispatch_queue_t queue = _dispatch_runloop_root_queue_create_4CF("loop", 0);
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < MANY; i++) {
    dispatch_group_enter(group);
    dispatch_async(global(), ^{
      dispatch_async(queue, ^{
        state++;
        dispatch_group_leave(group);
      });
    });
  }
  while (dispatch_group_wait(group, DISPATCH_TIME_NOW)) _dispatch_runloop_root_queue_perform_4CF(queue);
  dispatch_release(group);
  dispatch_release(queue);
}

static void on_main(void) {
  dispatch_queue_t inner = dispatch_queue_create("on main", NULL);
  dispatch_set_target_queue(inner, dispatch_get_main_queue());
  dispatch_group_t group = dispatch_group_create();
  for (int i = 0; i < MANY; i++) {
    dispatch_group_async(group, dispatch_get_main_queue(), ^{ state++; });
    dispatch_group_async(group, inner, ^{ state++; });
  }
  dispatch_group_enter(group);
  dispatch_async(global(), ^{
    dispatch_sync(dispatch_get_main_queue(), ^{ state++; });
    dispatch_group_leave(group);
  });
  while (dispatch_group_wait(group, DISPATCH_TIME_NOW)) _dispatch_main_queue_callback_4CF(NULL);
  dispatch_release(group);
  dispatch_release(inner);
}

static void under_dispatch_main(void) {
  dispatch_queue_t inner = dispatch_queue_create("on main", NULL);
  dispatch_set_target_queue(inner, dispatch_get_main_queue());
  dispatch_async(global(), ^{
    count_on_both(dispatch_get_main_queue(), inner);
    dispatch_async(dispatch_get_main_queue(), ^{
      printf("under-dispatch-main: %ld\n", state);
      exit(0);
    });
  });
  dispatch_main();
}

// MARK: waiting and telling

static void semaphores(void) {
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  for (int i = 0; i < MANY; i++) {
    dispatch_async(global(), ^{
      state++;
      dispatch_semaphore_signal(done);
    });
    dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
    state++;
  }
  dispatch_release(done);
}

static void notifications(void) {
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async(group, global(), ^{ state++; });
  dispatch_group_notify(group, global(), ^{
    state++;
    dispatch_semaphore_signal(done);
  });
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  state++;
  dispatch_release(group);
  dispatch_release(done);
}

static dispatch_once_t token;
static void once(void) {
  __block atomic_long seen = 0;
  dispatch_apply(8, global(), ^(size_t i) {
    (void)i;
    dispatch_once(&token, ^{ state++; });
    atomic_fetch_add_explicit(&seen, state, memory_order_relaxed);
  });
}

static void delayed(void) {
  dispatch_queue_t queue = dispatch_queue_create("delayed", NULL);
  dispatch_group_t group = dispatch_group_create();
  state++;
  for (int i = 0; i < 10; i++) {
    dispatch_group_enter(group);
    dispatch_after(dispatch_time(DISPATCH_TIME_NOW, i * 100000), queue, ^{
      state++;
      dispatch_group_leave(group);
    });
  }
  wait_for(group);
  dispatch_release(group);
  dispatch_release(queue);
}

static void applied(void) {
  static long sums[64];
  dispatch_apply(64, DISPATCH_APPLY_AUTO, ^(size_t i) { sums[i] = (long)i; });
  for (int i = 0; i < 64; i++) state += sums[i];
}

// Between items of the queue, of whatever kind that is, and behind its barriers.
static void apply_between(dispatch_queue_t queue, dispatch_queue_t base) {
  __block atomic_long seen = 0;
  for (int i = 0; i < 10; i++) {
    dispatch_barrier_async(queue, ^{ state++; });
    dispatch_apply(4, queue, ^(size_t index) {
      (void)index;
      atomic_fetch_add_explicit(&seen, state, memory_order_relaxed);
    });
  }
  dispatch_barrier_sync(queue, ^{ state++; });
  if (!base) return;
  dispatch_apply(10, queue, ^(size_t index) { state += (long)index; });
  dispatch_async(base, ^{ state++; });
  dispatch_sync(base, ^{ state++; });
}

static void applied_to_queues(void) {
  dispatch_queue_t serial = dispatch_queue_create("serial", NULL);
  dispatch_queue_t concurrent = dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT);
  dispatch_queue_t above = dispatch_queue_create_with_target("above", DISPATCH_QUEUE_CONCURRENT, serial);
  apply_between(serial, serial);
  apply_between(concurrent, NULL);
  apply_between(above, serial);
  dispatch_release(above);
  dispatch_release(concurrent);
  dispatch_release(serial);
}

static void followed_blocks(void) {
  dispatch_queue_t other = dispatch_queue_create("other", NULL);
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_block_t block = dispatch_block_create(0, ^{ state++; });
  dispatch_block_notify(block, other, ^{
    state++;
    dispatch_semaphore_signal(done);
  });
  dispatch_async(global(), block);
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  dispatch_async(other, ^{ state++; });
  dispatch_sync(other, ^{ state++; });
  block = dispatch_block_create(0, ^{ state++; });
  dispatch_async(global(), block);
  dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
  state++;
  dispatch_release(done);
  dispatch_release(other);
}

static void blocks(void) {
  dispatch_queue_t queue = dispatch_queue_create("blocks", NULL);
  dispatch_block_t block = dispatch_block_create(DISPATCH_BLOCK_BARRIER, ^{ state++; });
  dispatch_async(queue, block);
  dispatch_sync(queue, block);
  count_on(queue);
  dispatch_release(queue);
}

const struct sanitizer_case queue_cases[] = {
  {"serial", false, serial}, {"functions", false, functions}, {"barriers", false, barriers},
  {"one-at-a-time", false, one_at_a_time}, {"hierarchy", false, hierarchy}, {"retargeted", false, retargeted},
  {"inactive", false, inactive}, {"suspended", false, suspended}, {"workloops", false, workloops},
  {"run-loop-queue", false, run_loop_queue}, {"on-main", false, on_main},
  {"under-dispatch-main", false, under_dispatch_main}, {"semaphores", false, semaphores},
  {"notifications", false, notifications}, {"once", false, once}, {"delayed", false, delayed},
  {"applied", false, applied}, {"blocks", false, blocks}, {"applied-to-queues", false, applied_to_queues},
  {"followed-blocks", false, followed_blocks}, {NULL, false, NULL},
};
