// objects.c: the chapters about blocks as objects, contexts, hierarchies, timers and times.
#include "program.h"

#include <Block.h>
#include <string.h>

void blocks(void) {
  dispatch_queue_t queue = dispatch_queue_create("blocks", NULL);
  __block long runs = 0;
  dispatch_block_t block = dispatch_block_create(0, ^{ runs++; });
  dispatch_semaphore_t notified = dispatch_semaphore_create(0);
  dispatch_block_notify(block, queue, ^{ dispatch_semaphore_signal(notified); });
  say("block wait in time", dispatch_block_wait(block, in_milliseconds(5)) != 0);
  dispatch_async(queue, block);
  dispatch_semaphore_wait(notified, DISPATCH_TIME_FOREVER);
  say("block wait", dispatch_block_wait(block, DISPATCH_TIME_FOREVER));
  say("block runs", runs);
  Block_release(block);

  dispatch_suspend(queue);
  dispatch_block_t cancelled = dispatch_block_create(DISPATCH_BLOCK_DETACHED, ^{ runs += 100; });
  dispatch_async(queue, cancelled);
  say("cancelled before", dispatch_block_testcancel(cancelled) != 0);
  dispatch_block_cancel(cancelled);
  say("cancelled after", dispatch_block_testcancel(cancelled) != 0);
  dispatch_resume(queue);
  say("wait of a cancelled block", dispatch_block_wait(cancelled, DISPATCH_TIME_FOREVER));
  Block_release(cancelled);

  dispatch_block_t classed = dispatch_block_create_with_qos_class(
      DISPATCH_BLOCK_ENFORCE_QOS_CLASS | DISPATCH_BLOCK_BARRIER, UTILITY_CLASS, -1, ^{ runs += 10; });
  dispatch_sync(queue, classed);
  Block_release(classed);
  dispatch_block_perform(DISPATCH_BLOCK_ASSIGN_CURRENT, ^{ runs += 1000; });
  dispatch_block_t direct = dispatch_block_create(DISPATCH_BLOCK_INHERIT_QOS_CLASS, ^{ runs += 10000; });
  direct();
  say("wait of a called block", dispatch_block_wait(direct, DISPATCH_TIME_NOW));
  Block_release(direct);
  dispatch_sync(queue, ^{});
  say("all runs", runs);
  dispatch_release(notified);
  dispatch_release(queue);
}

static atomic_long finalized;
static void finalize(void *context) { atomic_fetch_add(&finalized, *(long *)context); }

void contexts(void) {
  static long weight = 7;
  dispatch_semaphore_t gone = dispatch_semaphore_create(0);
  dispatch_queue_t queue = dispatch_queue_create("contexts", NULL);
  say("context at first", dispatch_get_context(queue) == NULL);
  dispatch_set_context(queue, &weight);
  dispatch_set_finalizer_f(queue, finalize);
  say("context", *(long *)dispatch_get_context(queue));
  dispatch_retain(queue);
  dispatch_release(queue);
  dispatch_async(queue, ^{});
  dispatch_sync(queue, ^{ say("finalized while held", atomic_load(&finalized)); });
  dispatch_release(queue);
  dispatch_group_t group = dispatch_group_create();
  dispatch_set_context(group, gone);
  dispatch_set_finalizer_f(group, signal_it);
  dispatch_release(group);
  dispatch_semaphore_wait(gone, DISPATCH_TIME_FOREVER);
  say_text("finalizer of a group", "ran");
  for (int round = 0; round < 5000 && atomic_load(&finalized) != weight; round++)
    dispatch_semaphore_wait(gone, in_milliseconds(1));
  say("finalizer of a queue", atomic_load(&finalized));
  dispatch_queue_t bare = dispatch_queue_create("no context", NULL);
  dispatch_set_finalizer_f(bare, finalize);
  dispatch_release(bare);
  dispatch_release(gone);
}

static char first_key, second_key;

void specifics(void) {
  dispatch_semaphore_t destroyed = dispatch_semaphore_create(0);
  dispatch_queue_t root = dispatch_queue_create("root", NULL);
  dispatch_queue_t leaf = dispatch_queue_create_with_target("leaf", DISPATCH_QUEUE_CONCURRENT, root);
  dispatch_queue_set_specific(root, &first_key, destroyed, signal_it);
  dispatch_queue_set_specific(leaf, &second_key, "leaf's", NULL);
  dispatch_sync(leaf, ^{
    say("specific inherited", dispatch_get_specific(&first_key) == destroyed);
    say_text("specific", dispatch_get_specific(&second_key));
  });
  say("specific from outside", dispatch_get_specific(&first_key) == NULL);
  say("specific of a queue", dispatch_queue_get_specific(leaf, &first_key) == NULL);
  dispatch_queue_set_specific(root, &first_key, NULL, NULL);
  dispatch_semaphore_wait(destroyed, DISPATCH_TIME_FOREVER);
  dispatch_queue_set_specific(root, &first_key, destroyed, signal_it);
  dispatch_release(leaf);
  dispatch_release(root);
  dispatch_semaphore_wait(destroyed, DISPATCH_TIME_FOREVER);
  say_text("destructors of specifics", "ran");
  dispatch_release(destroyed);
}

void targets(void) {
  dispatch_queue_t root = dispatch_queue_create("root", NULL);
  dispatch_queue_t branches[4];
  for (int index = 0; index < 4; index++) {
    branches[index] = dispatch_queue_create("branch", DISPATCH_QUEUE_CONCURRENT);
    dispatch_set_target_queue(branches[index], root);
  }
  dispatch_group_t group = dispatch_group_create();
  __block long unguarded = 0;
  for (int round = 0; round < 200; round++) dispatch_group_async(group, branches[round % 4], ^{ unguarded++; });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  say("four branches of a serial root", unguarded);
  dispatch_queue_t first = branches[0], second = branches[1];
  dispatch_sync(first, ^{
    dispatch_assert_queue(root);
    dispatch_assert_queue(first);
    dispatch_assert_queue_not(second);
  });
  for (int index = 0; index < 4; index++) dispatch_release(branches[index]);
  dispatch_release(group);
  dispatch_release(root);
}

void suspension(void) {
  dispatch_queue_t queue = dispatch_queue_create("suspension", NULL);
  __block long runs = 0;
  dispatch_suspend(queue);
  dispatch_suspend(queue);
  for (int round = 0; round < 10; round++) dispatch_async(queue, ^{ runs++; });
  dispatch_resume(queue);
  say("suspended", runs);
  dispatch_resume(queue);
  dispatch_sync(queue, ^{ say("resumed", runs); });
  dispatch_release(queue);
  dispatch_queue_t inactive = dispatch_queue_create(
      "inactive", dispatch_queue_attr_make_initially_inactive(DISPATCH_QUEUE_CONCURRENT));
  dispatch_async(inactive, ^{ runs += 100; });
  dispatch_set_target_queue(inactive, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0));
  dispatch_activate(inactive);
  dispatch_barrier_sync(inactive, ^{ say("activated", runs); });
  dispatch_release(inactive);
}

void labels_and_classes(void) {
  dispatch_queue_attr_t attributes = dispatch_queue_attr_make_with_qos_class(
      dispatch_queue_attr_make_with_autorelease_frequency(NULL, DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM), UTILITY_CLASS, -3);
  dispatch_queue_t queue = dispatch_queue_create("with a class", attributes);
  int relative = 0;
  say("class", dispatch_queue_get_qos_class(queue, &relative) == UTILITY_CLASS);
  say("relative", relative);
  say_text("label", dispatch_queue_get_label(queue));
  dispatch_sync(queue, ^{ say_text("current label", dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL)); });
  dispatch_queue_t nameless = dispatch_queue_create(NULL, NULL);
  say("length of no label", (long)strlen(dispatch_queue_get_label(nameless)));
  say_text("label of the main queue", dispatch_queue_get_label(dispatch_get_main_queue()));
  say("global queue of no kind", dispatch_get_global_queue(12345, 0) == NULL);
  say("one global queue of a class",
      dispatch_get_global_queue(UTILITY_CLASS, 0) == dispatch_get_global_queue(UTILITY_CLASS, 0));
  dispatch_release(nameless);
  dispatch_release(queue);
}

struct ticking {
  dispatch_source_t timer;
  dispatch_semaphore_t done;
  atomic_long ticks;
};
static void tick(void *context) {
  struct ticking *ticking = context;
  if (atomic_fetch_add(&ticking->ticks, 1) + 1 == 3) dispatch_source_cancel(ticking->timer);
}
static void ticked(void *context) { dispatch_semaphore_signal(((struct ticking *)context)->done); }

void timers(void) {
  dispatch_queue_t queue = dispatch_queue_create("timers", NULL);
  struct ticking ticking = {dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue), dispatch_semaphore_create(0), 0};
  dispatch_set_context(ticking.timer, &ticking);
  dispatch_source_set_event_handler_f(ticking.timer, tick);
  dispatch_source_set_cancel_handler_f(ticking.timer, ticked);
  dispatch_source_set_timer(ticking.timer, in_milliseconds(2), 2 * NSEC_PER_MSEC, NSEC_PER_MSEC);
  dispatch_resume(ticking.timer);
  dispatch_semaphore_wait(ticking.done, DISPATCH_TIME_FOREVER);
  say("ticks", atomic_load(&ticking.ticks));
  say("cancelled", dispatch_source_testcancel(ticking.timer) != 0);
  dispatch_release(ticking.timer);

  dispatch_source_t once = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
  dispatch_semaphore_t done = ticking.done;
  dispatch_source_set_event_handler(once, ^{
    say("fired", (long)dispatch_source_get_data(once));
    dispatch_semaphore_signal(done);
  });
  dispatch_source_set_cancel_handler(once, ^{ dispatch_semaphore_signal(done); });
  dispatch_source_set_timer(once, dispatch_walltime(NULL, 2 * (int64_t)NSEC_PER_MSEC), DISPATCH_TIME_FOREVER, 0);
  dispatch_activate(once);
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  dispatch_source_cancel(once);
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  say_text("one shot", "fired and cancelled");
  dispatch_release(once);
  dispatch_release(done);
  dispatch_release(queue);
}

void times(void) {
  dispatch_time_t now = dispatch_time(DISPATCH_TIME_NOW, 0);
  say("a second later", dispatch_time(now, (int64_t)NSEC_PER_SEC) - now == NSEC_PER_SEC);
  say("a second earlier", now - dispatch_time(now, -(int64_t)NSEC_PER_SEC) == NSEC_PER_SEC);
  say("forever", dispatch_time(DISPATCH_TIME_FOREVER, -5) == DISPATCH_TIME_FOREVER);
  say("later than forever", dispatch_time(now, INT64_MAX) == DISPATCH_TIME_FOREVER);
  struct timespec moment = {1000000, 500};
  dispatch_time_t wall = dispatch_walltime(&moment, 0);
  say("a moment on the wall", (long)-(int64_t)wall);
  say("wall and delta", (long)-(int64_t)dispatch_walltime(&moment, 250) - (long)-(int64_t)wall);
  say("later on the wall", (long)-(int64_t)dispatch_time(wall, 1000) - (long)-(int64_t)wall);
}
