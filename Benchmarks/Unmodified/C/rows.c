// rows.c: the pieces of work, by libdispatch's C interface: with blocks, and with functions and a context.
#include "rows.h"

#include <Block.h>
#include <dispatch/dispatch.h>

__attribute__((noinline)) static void opaque(void) { __asm__ volatile(""); }
static void function(void *context) { (void)context, opaque(); }
static void indexed(void *context, size_t index) { (void)context, (void)index, opaque(); }
static void leave(void *group) { dispatch_group_leave((dispatch_group_t)group); }

// Made at the first use, and kept.
static dispatch_queue_t serial(void) {
  static dispatch_queue_t queue;
  return queue ? queue : (queue = dispatch_queue_create("bench.serial", 0));
}
static dispatch_queue_t concurrent(void) {
  static dispatch_queue_t queue;
  return queue ? queue : (queue = dispatch_queue_create("bench.concurrent", DISPATCH_QUEUE_CONCURRENT));
}
static dispatch_group_t group(void) {
  static dispatch_group_t group;
  return group ? group : (group = dispatch_group_create());
}
static dispatch_semaphore_t semaphore(void) {
  static dispatch_semaphore_t semaphore;
  return semaphore ? semaphore : (semaphore = dispatch_semaphore_create(0));
}

static void async_block(long count) {
  dispatch_queue_t queue = serial();
  for (long i = 0; i < count; i++) dispatch_async(queue, ^{ (void)i, opaque(); });
  dispatch_sync_f(queue, 0, function);
}

static void async_block_global(long count) {
  dispatch_queue_t queue = serial();
  for (long i = 0; i < count; i++) dispatch_async(queue, ^{ opaque(); });
  dispatch_sync_f(queue, 0, function);
}

static void async_f(long count) {
  dispatch_queue_t queue = serial();
  for (long i = 0; i < count; i++) dispatch_async_f(queue, 0, function);
  dispatch_sync_f(queue, 0, function);
}

static void barrier_async_f(long count) {
  dispatch_queue_t queue = concurrent();
  for (long i = 0; i < count; i++) dispatch_barrier_async_f(queue, 0, function);
  dispatch_barrier_sync_f(queue, 0, function);
}

static void group_async_f(long count) {
  for (long i = 0; i < count; i++) dispatch_group_async_f(group(), serial(), 0, function);
  dispatch_group_wait(group(), DISPATCH_TIME_FOREVER);
}

static void sync_block(long count) {
  dispatch_queue_t queue = serial();
  for (long i = 0; i < count; i++) dispatch_sync(queue, ^{ opaque(); });
}

static void sync_f(long count) {
  dispatch_queue_t queue = serial();
  for (long i = 0; i < count; i++) dispatch_sync_f(queue, 0, function);
}

static void sync_concurrent_f(long count) {
  dispatch_queue_t queue = concurrent();
  for (long i = 0; i < count; i++) dispatch_sync_f(queue, 0, function);
}

static void barrier_sync_f(long count) {
  dispatch_queue_t queue = concurrent();
  for (long i = 0; i < count; i++) dispatch_barrier_sync_f(queue, 0, function);
}

static void apply_f(long count) { dispatch_apply_f((size_t)count, DISPATCH_APPLY_AUTO, 0, indexed); }
static void apply_2(long count) {
  for (long i = 0; i < count; i++) dispatch_apply_f(2, DISPATCH_APPLY_AUTO, 0, indexed);
}

static void enter_leave(long count) {
  dispatch_group_t members = group();
  for (long i = 0; i < count; i++) {
    dispatch_group_enter(members);
    dispatch_group_leave(members);
  }
}

static void signal_wait(long count) {
  dispatch_semaphore_t tokens = semaphore();
  for (long i = 0; i < count; i++) {
    dispatch_semaphore_signal(tokens);
    dispatch_semaphore_wait(tokens, DISPATCH_TIME_FOREVER);
  }
}

static void create_release(long count) {
  for (long i = 0; i < count; i++) dispatch_release(dispatch_queue_create("bench.short", 0));
}

static void retain_release(long count) {
  dispatch_queue_t queue = serial();
  for (long i = 0; i < count; i++) {
    dispatch_retain(queue);
    dispatch_release(queue);
  }
}

static void retain_release_group(long count) {
  dispatch_group_t members = group();
  for (long i = 0; i < count; i++) {
    dispatch_retain(members);
    dispatch_release(members);
  }
}

static void block_create(long count) {
  for (long i = 0; i < count; i++) {
    dispatch_block_t block = dispatch_block_create(0, ^{ (void)i, opaque(); });
    block();
    Block_release(block);
  }
}

static void after_f(long count) {
  for (long i = 0; i < count; i++) {
    dispatch_group_enter(group());
    dispatch_after_f(dispatch_time(DISPATCH_TIME_NOW, 100000), serial(), group(), leave);
  }
  dispatch_group_wait(group(), DISPATCH_TIME_FOREVER);
}

static void once_f(long count) {
  static dispatch_once_t predicate;
  // The function itself: the header's inline check would not call it a second time.
  for (long i = 0; i < count; i++) (dispatch_once_f)(&predicate, 0, function);
}

static void get_specific(long count) {
  static char key;
  dispatch_queue_t queue = serial();
  dispatch_queue_set_specific(queue, &key, &key, 0);
  dispatch_sync(queue, ^{ for (long i = 0; i < count; i++) if (dispatch_get_specific(&key)) opaque(); });
}

static void get_context(long count) {
  dispatch_queue_t queue = serial();
  for (long i = 0; i < count; i++) if (!dispatch_get_context(queue)) opaque();
}

static void get_global(long count) {
  for (long i = 0; i < count; i++) if (dispatch_get_global_queue(0, 0)) opaque();
}

static void get_label(long count) {
  dispatch_queue_t queue = serial();
  for (long i = 0; i < count; i++) if (*dispatch_queue_get_label(queue)) opaque();
}

static void time_now(long count) {
  for (long i = 0; i < count; i++) if (dispatch_time(DISPATCH_TIME_NOW, 1)) opaque();
}

const struct row rows[] = {
  {"c-async-block", 10000, async_block},
  {"c-async-block-global", 10000, async_block_global},
  {"c-async-f", 10000, async_f},
  {"c-barrier-async-f", 10000, barrier_async_f},
  {"c-group-async-f", 10000, group_async_f},
  {"c-after-f", 1000, after_f},
  {"c-sync-block", 10000, sync_block},
  {"c-sync-f", 10000, sync_f},
  {"c-sync-concurrent-f", 10000, sync_concurrent_f},
  {"c-barrier-sync-f", 10000, barrier_sync_f},
  {"c-apply", 100000, apply_f},
  {"c-apply-2", 1000, apply_2},
  {"c-group-enter-leave", 10000, enter_leave},
  {"c-semaphore", 10000, signal_wait},
  {"c-once", 10000, once_f},
  {"c-specific", 10000, get_specific},
  {"c-context", 10000, get_context},
  {"c-global-queue", 10000, get_global},
  {"c-label", 10000, get_label},
  {"c-time", 10000, time_now},
  {"c-retain-release", 10000, retain_release},
  {"c-retain-release-group", 10000, retain_release_group},
  {"c-queue-create", 1000, create_release},
  {"c-block-create", 1000, block_create},
  {0, 0, 0},
};
