// ends.c: groups, semaphores, queues, sources, channels and blocks whose last reference goes while a call on them is still on its way
// out: on the thread that has waited, in the item that was submitted, in the handler that was called.
#include "program.h"

#include <Block.h>
#include <unistd.h>

enum { threads = 8 };

static atomic_long gone;
static void count(void *context) { atomic_fetch_add(&gone, 1); }

// The finalizer runs when nothing is left of the object.
static void watch(dispatch_object_t object) {
  dispatch_set_context(object, &gone);
  dispatch_set_finalizer_f(object, count);
}

static void release(void *object) { dispatch_release(object); }
static dispatch_queue_t pool(void) { return dispatch_get_global_queue(0, 0); }

// Waits for the finalizers of what `rounds` rounds on each thread have made.
static void all_are_gone(const char *what, long rounds) {
  await(&gone, rounds * threads);
  check(what, atomic_exchange(&gone, 0) == rounds * threads);
}

// MARK: groups

static void leave(void *group) { dispatch_group_leave(group); }

static void groups_waited_for(long number) {
  for (int round = 0; round < times(4000); round++) {
    dispatch_group_t group = dispatch_group_create();
    watch(group);
    dispatch_group_enter(group);
    dispatch_async_f(pool(), group, leave);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
  }
}

// Two members: the waiting thread sees the group empty at the swap of whoever leaves last.
static void groups_left_by_two(long number) {
  for (int round = 0; round < times(2000); round++) {
    dispatch_group_t group = dispatch_group_create();
    watch(group);
    dispatch_group_enter(group);
    dispatch_group_enter(group);
    dispatch_async_f(pool(), group, leave);
    dispatch_async_f(pool(), group, leave);
    while (dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 1000))) {}
    dispatch_release(group);
  }
}

static void groups_notified(long number) {
  for (int round = 0; round < times(4000); round++) {
    dispatch_group_t group = dispatch_group_create();
    watch(group);
    dispatch_group_enter(group);
    dispatch_async_f(pool(), group, leave);
    dispatch_group_notify_f(group, pool(), group, release);
  }
}

// MARK: semaphores

static void signal_it(void *semaphore) { dispatch_semaphore_signal(semaphore); }

static void semaphores_waited_for(long number) {
  for (int round = 0; round < times(4000); round++) {
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
    watch(semaphore);
    dispatch_async_f(pool(), semaphore, signal_it);
    if (number % 2) {
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
    } else {
      while (dispatch_semaphore_wait(semaphore, dispatch_time(DISPATCH_TIME_NOW, 1000))) {}
    }
    dispatch_release(semaphore);
  }
}

// MARK: queues

// The item gives back the only reference, which its submitter has given away with it.
static void queues_given_away(long number) {
  for (int round = 0; round < times(2000); round++) {
    dispatch_queue_t queue = dispatch_queue_create("given away", round % 2 ? DISPATCH_QUEUE_CONCURRENT : NULL);
    watch(queue);
    switch (round % 7) {
    case 0: dispatch_barrier_async_f(queue, queue, release); break;
    case 1: dispatch_after_f(DISPATCH_TIME_NOW, queue, queue, release); break;
    case 2: dispatch_after_f(dispatch_time(DISPATCH_TIME_NOW, 50000), queue, queue, release); break;
    case 3: dispatch_async(queue, ^{ dispatch_release(queue); }); break;
    default: dispatch_async_f(queue, queue, release);
    }
  }
}

static void queues_resumed(long number) {
  for (int round = 0; round < times(2000); round++) {
    dispatch_queue_t queue = dispatch_queue_create(
        "resumed", round % 2 ? DISPATCH_QUEUE_CONCURRENT : dispatch_queue_attr_make_initially_inactive(NULL));
    watch(queue);
    if (round % 2) dispatch_suspend(queue);
    dispatch_async_f(queue, queue, release);
    if (round % 2) dispatch_resume(queue); else dispatch_activate(queue);
  }
}

// On a target, which goes with them.
static void queues_on_targets(long number) {
  for (int round = 0; round < times(2000); round++) {
    dispatch_queue_t target = round % 3 ? dispatch_queue_create("target", NULL) : dispatch_workloop_create("target");
    watch(target);
    dispatch_queue_t queue = dispatch_queue_create_with_target("on a target", NULL, target);
    dispatch_release(target);
    dispatch_async_f(queue, queue, release);
  }
}

// MARK: sources

static void timers(long number) {
  for (int round = 0; round < times(500); round++) {
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, pool());
    watch(timer);
    dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
    dispatch_source_set_event_handler(timer, ^{
      dispatch_source_cancel(timer);
      dispatch_release(timer);
    });
    dispatch_resume(timer);
  }
}

static void sources_cancelled(long number) {
  for (int round = 0; round < times(1000); round++) {
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, pool());
    watch(source);
    dispatch_source_set_cancel_handler(source, ^{ dispatch_release(source); });
    dispatch_resume(source);
    dispatch_source_cancel(source);
  }
}

// The handler has seen all that will ever be merged, while the last merge is still under way.
static void sources_merged(long number) {
  for (int round = 0; round < times(500); round++) {
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, pool());
    watch(source);
    long *sum = calloc(1, sizeof *sum);
    dispatch_source_set_event_handler(source, ^{
      if ((*sum += dispatch_source_get_data(source)) < 20) return;
      free(sum);
      dispatch_source_cancel(source);
      dispatch_release(source);
    });
    dispatch_resume(source);
    for (int merge = 0; merge < 20; merge++) dispatch_source_merge_data(source, 1);
  }
}

// MARK: channels

static void channels(long number) {
  for (int round = 0; round < times(200); round++) {
    int ends[2];
    if (pipe(ends)) abort();
    int reading = ends[0];
    dispatch_io_t channel = dispatch_io_create(DISPATCH_IO_STREAM, reading, pool(), ^(int error) {
      close(reading);
      count(NULL);
    });
    dispatch_io_read(channel, 0, SIZE_MAX, pool(), ^(bool done, dispatch_data_t data, int error) {
      if (done) dispatch_release(channel);
    });
    if (write(ends[1], "word", 4) != 4) abort();
    close(ends[1]);
  }
}

// MARK: blocks

static void blocks(long number) {
  for (int round = 0; round < times(1000); round++) {
    dispatch_block_t block = dispatch_block_create(0, ^{ count(NULL); });
    dispatch_async(pool(), block);
    if (round % 2) {
      dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
      Block_release(block);
    } else {
      dispatch_block_notify(block, pool(), ^{ Block_release(block); });
    }
  }
}

// MARK: threads

static pthread_key_t key;

// A thread's last destructors use queues, after everything else of the thread has been given back.
static void destroy(void *value) {
  long round = (long)value;
  dispatch_queue_t queue = dispatch_queue_create("at the end of a thread", NULL);
  dispatch_sync_f(queue, NULL, count);
  dispatch_release(queue);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(key, (void *)(round + 1));
}

static void *end_at_once(void *unused) {
  pthread_setspecific(key, (void *)1);
  return NULL;
}

static void many_threads(int number) {
  for (int made = 0; made < number; made++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_at_once, NULL)) abort();
    pthread_join(thread, NULL);
  }
}

static void destructors(void) {
  pthread_key_create(&key, destroy);
  int number = times(70000);
  many_threads(number);
  check("destructors that used queues", atomic_exchange(&gone, 0) == (long)number * PTHREAD_DESTRUCTOR_ITERATIONS);
}

void ends(void) {
  on_threads(threads, groups_waited_for);
  all_are_gone("groups that were waited for", times(4000));
  on_threads(threads, groups_left_by_two);
  all_are_gone("groups that two have left", times(2000));
  on_threads(threads, groups_notified);
  all_are_gone("groups that went with a notification", times(4000));
  on_threads(threads, semaphores_waited_for);
  all_are_gone("semaphores that were waited for", times(4000));
  on_threads(threads, queues_given_away);
  all_are_gone("queues that went with an item", times(2000));
  on_threads(threads, queues_resumed);
  all_are_gone("queues that were resumed", times(2000));
  on_threads(threads, queues_on_targets);
  all_are_gone("targets that went with a queue", times(2000));
  on_threads(threads, timers);
  all_are_gone("timers that fired once", times(500));
  on_threads(threads, sources_cancelled);
  all_are_gone("sources that were cancelled", times(1000));
  on_threads(threads, channels);
  all_are_gone("channels that were read", times(200));
  on_threads(threads, blocks);
  all_are_gone("blocks", times(1000));
  destructors();
  if (!does_all) return;
  on_threads(threads, sources_merged);
  all_are_gone("sources that were merged into", times(500));
}
