// life.c: the chapters about contexts, finalizers, and objects that outlive their references.
#include "program.h"

#include <Block.h>

// What a finalizer found, and whom it tells.
struct grave {
  const char *place;
  dispatch_semaphore_t filled;
};

static void bury(void *context) {
  struct grave *grave = context;
  grave->place = mark();
  dispatch_semaphore_signal(grave->filled);
}

static void never(void *context) {
  (void)context;
  say_text("a finalizer without a context", "ran");
}

static void check_finalizer(const char *text, dispatch_object_t object, struct grave *grave) {
  struct grave other = {"unused", NULL};
  dispatch_set_context(object, &other);
  dispatch_set_finalizer_f(object, bury);
  dispatch_set_context(object, grave);  // the one at the end counts
  dispatch_retain(object);
  dispatch_release(object);
  dispatch_release(object);
  wait_for(grave->filled);
  say_text(text, grave->place);
}

static void without_context(dispatch_object_t object) {
  dispatch_set_finalizer_f(object, never);
  dispatch_release(object);
}

static dispatch_source_t timer(dispatch_queue_t queue) {
  return dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
}

void finalizers(void) {
  struct grave grave = {NULL, dispatch_semaphore_create(0)};
  dispatch_queue_t target = marked_queue("target");
  check_finalizer("finalizer of a queue", dispatch_queue_create_with_target("queue", NULL, target), &grave);
  check_finalizer(
      "finalizer of a concurrent queue", dispatch_queue_create_with_target("queue", DISPATCH_QUEUE_CONCURRENT, target), &grave);
  check_finalizer("finalizer of a queue without a target", dispatch_queue_create("queue", NULL), &grave);
  check_finalizer("finalizer of a group", dispatch_group_create(), &grave);
  dispatch_group_t group = dispatch_group_create();
  dispatch_set_target_queue(group, target);
  check_finalizer("finalizer of a group with a target", group, &grave);
  check_finalizer("finalizer of a semaphore", dispatch_semaphore_create(1), &grave);
  dispatch_semaphore_t semaphore = dispatch_semaphore_create(1);
  dispatch_set_target_queue(semaphore, target);
  check_finalizer("finalizer of a semaphore with a target", semaphore, &grave);
  dispatch_source_t source = timer(target);
  dispatch_activate(source);
  dispatch_source_cancel(source);
  check_finalizer("finalizer of a source", source, &grave);
  dispatch_source_t idle = timer(NULL);
  dispatch_activate(idle);
  dispatch_source_cancel(idle);
  check_finalizer("finalizer of a source without a target", idle, &grave);
  without_context(dispatch_queue_create("queue", NULL));
  without_context(dispatch_group_create());
  without_context(dispatch_semaphore_create(0));
  dispatch_sync(target, ^{ say_text("the target itself", mark()); });
  dispatch_release(target);
  dispatch_release(grave.filled);
}

void held_groups(void) {
  struct grave grave = {NULL, dispatch_semaphore_create(0)};
  dispatch_queue_t queue = marked_queue("held");
  dispatch_group_t group = dispatch_group_create();
  dispatch_set_context(group, &grave);
  dispatch_set_finalizer_f(group, bury);
  dispatch_suspend(queue);
  for (int round = 0; round < 10; round++) {
    dispatch_group_enter(group);
    dispatch_async(queue, ^{ dispatch_group_leave(group); });
  }
  dispatch_group_async(group, queue, ^{});
  dispatch_semaphore_t notified = dispatch_semaphore_create(0);
  dispatch_group_notify(group, queue, ^{ dispatch_semaphore_signal(notified); });
  dispatch_release(group);
  say("gone while entered", dispatch_semaphore_wait(grave.filled, in_milliseconds(5)) == 0);
  dispatch_resume(queue);
  wait_for(notified);
  wait_for(grave.filled);
  say_text("gone after the last leave", grave.place);
  dispatch_release(notified);
  dispatch_release(grave.filled);
  dispatch_release(queue);
}

static atomic_long runs;

static dispatch_block_t counting(dispatch_block_flags_t flags) {
  return dispatch_block_create(flags, ^{ atomic_fetch_add(&runs, 1); });
}

static void finished(const char *text, dispatch_block_t block) {
  say(text, dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
  Block_release(block);
}

void block_objects(void) {
  dispatch_queue_t queue = dispatch_queue_create("blocks", DISPATCH_QUEUE_CONCURRENT);
  dispatch_group_t group = dispatch_group_create();
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_block_t block = counting(0);
  block();
  finished("called", block);
  block = counting(0);
  dispatch_async(queue, block);
  finished("async", block);
  block = counting(0);
  dispatch_sync(queue, block);
  finished("sync", block);
  block = counting(DISPATCH_BLOCK_BARRIER);
  dispatch_async(queue, block);
  finished("barrier by flag", block);
  block = counting(0);
  dispatch_barrier_async(queue, block);
  finished("barrier async", block);
  block = counting(0);
  dispatch_barrier_sync(queue, block);
  finished("barrier sync", block);
  block = counting(0);
  dispatch_async_and_wait(queue, block);
  finished("async and wait", block);
  block = counting(0);
  dispatch_barrier_async_and_wait(queue, block);
  finished("barrier async and wait", block);
  block = counting(0);
  dispatch_group_async(group, queue, block);
  say("group", dispatch_group_wait(group, DISPATCH_TIME_FOREVER));
  finished("group async", block);
  block = counting(0);
  dispatch_group_notify(group, queue, block);
  finished("group notify", block);
  block = counting(0);
  dispatch_after(in_milliseconds(2), queue, block);
  finished("after", block);
  block = counting(0);
  dispatch_block_t before = counting(0);
  dispatch_block_notify(before, queue, block);
  dispatch_async(queue, before);
  finished("followed", before);
  finished("block notify", block);
  say("runs", atomic_exchange(&runs, 0));

  block = counting(0);
  for (int round = 0; round < 10; round++) dispatch_async(queue, block);
  dispatch_barrier_sync(queue, ^{});
  say("one block, many times", atomic_exchange(&runs, 0));
  Block_release(block);  // the header: one that ran more than once is not to be waited for

  block = counting(0);
  dispatch_block_cancel(block);
  say("cancelled", dispatch_block_testcancel(block) != 0);
  dispatch_async(queue, block);
  finished("wait for a cancelled one", block);
  block = counting(DISPATCH_BLOCK_BARRIER);
  dispatch_block_cancel(block);
  block();
  dispatch_sync(queue, block);
  dispatch_async(queue, block);
  dispatch_barrier_sync(queue, ^{});
  Block_release(block);
  say("runs of a cancelled one", atomic_exchange(&runs, 0));

  // The captures go with the last reference of the block object.
  struct grave grave = {NULL, dispatch_semaphore_create(0)};
  dispatch_queue_t captured = dispatch_queue_create("captured", NULL);
  dispatch_set_context(captured, &grave);
  dispatch_set_finalizer_f(captured, bury);
  dispatch_block_t copy = Block_copy(dispatch_block_create(DISPATCH_BLOCK_DETACHED, ^{ dispatch_retain(captured); }));
  copy();
  dispatch_release(captured);
  Block_release(copy);
  Block_release(copy);
  say("alive", dispatch_semaphore_wait(grave.filled, DISPATCH_TIME_NOW) != 0);
  dispatch_release(captured);
  wait_for(grave.filled);
  dispatch_release(grave.filled);
  dispatch_release(done);
  dispatch_release(group);
  dispatch_release(queue);
}

static void destroyed(void *semaphore) { dispatch_semaphore_signal((dispatch_semaphore_t)semaphore); }

void specific_destructors(void) {
  static char key, other;
  dispatch_semaphore_t first = dispatch_semaphore_create(0), second = dispatch_semaphore_create(0);
  dispatch_queue_t queue = dispatch_queue_create("specifics", NULL);
  dispatch_queue_set_specific(queue, &key, first, destroyed);
  dispatch_queue_set_specific(queue, &key, second, destroyed);
  wait_for(first);
  say("replaced", dispatch_queue_get_specific(queue, &key) == second);
  say("only the old one", dispatch_semaphore_wait(second, DISPATCH_TIME_NOW) != 0);
  dispatch_queue_set_specific(queue, &key, NULL, destroyed);
  wait_for(second);
  say("removed", dispatch_queue_get_specific(queue, &key) == NULL);
  const void *volatile nowhere = NULL;
  dispatch_queue_set_specific(queue, nowhere, first, destroyed);
  say("no key", dispatch_queue_get_specific(queue, nowhere) == NULL);
  dispatch_queue_set_specific(queue, &key, first, destroyed);
  dispatch_queue_set_specific(queue, &other, second, NULL);
  dispatch_async(queue, ^{ say("inside", dispatch_get_specific(&other) == second); });
  dispatch_release(queue);
  wait_for(first);
  say("without a destructor", dispatch_semaphore_wait(second, in_milliseconds(2)) != 0);
  dispatch_release(first);
  dispatch_release(second);
}
