// events.c: cases without a race: each order comes from a source, a channel, or the end of an object. Queues: queues.c.
#include "cases.h"

#include <stdlib.h>
#include <unistd.h>

enum { MANY = 100 };

// All handlers of a source are in order, whatever it runs on; a serial queue's items are in order with them as well.
static void tick_on(dispatch_queue_t queue, dispatch_queue_t others) {
  dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
  dispatch_semaphore_t ended = dispatch_semaphore_create(0);
  __block int left = 20;
  dispatch_source_set_timer(timer, dispatch_time(DISPATCH_TIME_NOW, 0), NSEC_PER_MSEC, 0);
  dispatch_source_set_event_handler(timer, ^{
    state++;
    if (--left == 0) dispatch_source_cancel(timer);
  });
  dispatch_source_set_cancel_handler(timer, ^{
    state++;
    dispatch_semaphore_signal(ended);
  });
  dispatch_resume(timer);
  if (others) for (int i = 0; i < MANY; i++) dispatch_async(others, ^{ state++; });
  dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
  if (others) dispatch_sync(others, ^{ state++; });
  dispatch_release(timer);
  dispatch_release(ended);
}

static void timers(void) {
  dispatch_queue_t queue = dispatch_queue_create("timers", NULL);
  tick_on(queue, queue);
  dispatch_release(queue);
}

static void timers_on_global(void) { tick_on(global(), NULL); }

static void source_on_default(void) { tick_on(NULL, NULL); }

static void merged(void) {
  dispatch_queue_t queue = dispatch_queue_create("merged", NULL);
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  dispatch_source_set_event_handler(source, ^{
    state += (long)dispatch_source_get_data(source);
    if (state >= MANY) dispatch_semaphore_signal(told);
  });
  dispatch_resume(source);
  for (int i = 0; i < MANY; i++) dispatch_source_merge_data(source, 1);
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  dispatch_sync(queue, ^{ state++; });
  dispatch_source_cancel(source);
  dispatch_release(source);
  dispatch_release(told);
  dispatch_release(queue);
}

// MARK: data and channels

static void channels(void) {
  int ends[2];
  if (pipe(ends)) return;
  int reading = ends[0], writing = ends[1];
  dispatch_queue_t queue = dispatch_queue_create("channels", NULL);
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_enter(group);
  dispatch_io_t reader = dispatch_io_create(DISPATCH_IO_STREAM, reading, queue, ^(int error) {
    state += error;
    close(reading);
    dispatch_group_leave(group);
  });
  dispatch_io_read(reader, 0, SIZE_MAX, queue, ^(bool done, dispatch_data_t data, int error) {
    state += error + (data ? (long)dispatch_data_get_size(data) : 0);
    if (done) dispatch_io_close(reader, 0);
  });
  char *bytes = calloc(1, 100000);
  dispatch_data_t data = dispatch_data_create(bytes, 100000, queue, DISPATCH_DATA_DESTRUCTOR_FREE);
  dispatch_group_enter(group);
  dispatch_write(writing, data, queue, ^(dispatch_data_t rest, int error) {
    state += error + (rest ? 1 : 0);
    close(writing);
    dispatch_group_leave(group);
  });
  dispatch_release(data);
  wait_for(group);
  state++;
  dispatch_release(reader);
  dispatch_release(group);
  dispatch_release(queue);
}

static void hear_of_end(void *group, int error) {
  state += error;
  dispatch_group_leave(group);
}
static void hear_of_bytes(void *group, bool done, dispatch_data_t data, int error) {
  state += error + (data ? (long)dispatch_data_get_size(data) : 0);
  if (done) dispatch_group_leave(group);
}

static void channels_by_functions(void) {
  int ends[2];
  if (pipe(ends)) return;
  dispatch_queue_t queue = dispatch_queue_create("functions", NULL);
  dispatch_group_t group = dispatch_group_create();
  state++;
  dispatch_io_t reader = dispatch_io_create_f(DISPATCH_IO_STREAM, ends[0], queue, group, hear_of_end);
  dispatch_io_t writer = dispatch_io_create_f(DISPATCH_IO_STREAM, ends[1], queue, group, hear_of_end);
  for (int i = 0; i < 4; i++) dispatch_group_enter(group);
  dispatch_data_t data = dispatch_data_create("some bytes", 10, NULL, NULL);
  dispatch_io_read_f(reader, 0, 10, queue, group, hear_of_bytes);
  dispatch_io_write_f(writer, 0, data, queue, group, hear_of_bytes);
  dispatch_release(data);
  dispatch_io_close(reader, 0);
  dispatch_io_close(writer, 0);
  wait_for(group);
  state++;
  close(ends[0]);
  close(ends[1]);
  dispatch_release(reader);
  dispatch_release(writer);
  dispatch_release(group);
  dispatch_release(queue);
}

// MARK: last calls

static void at_the_end(void *done) {
  state++;
  dispatch_semaphore_signal(done);
}

static void finalize(dispatch_object_t object, dispatch_queue_t target, dispatch_semaphore_t done) {
  dispatch_set_target_queue(object, target);
  dispatch_set_context(object, done);
  dispatch_set_finalizer_f(object, at_the_end);
  state++;
  dispatch_release(object);
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
}

static void last_calls(void) {
  static int key;
  dispatch_semaphore_t done = dispatch_semaphore_create(0);
  dispatch_queue_t target = dispatch_queue_create("target", NULL);
  finalize(dispatch_queue_create("gone", NULL), target, done);
  finalize(dispatch_group_create(), target, done);
  finalize(dispatch_semaphore_create(0), target, done);
  dispatch_queue_t queue = dispatch_queue_create("with a value", NULL);
  dispatch_queue_set_specific(queue, &key, done, at_the_end);
  state++;
  dispatch_release(queue);
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  dispatch_data_t data = dispatch_data_create(&key, sizeof key, target, ^{ at_the_end(done); });
  state++;
  dispatch_release(data);
  dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
  dispatch_release(target);
  dispatch_release(done);
}

const struct sanitizer_case event_cases[] = {
  {"timers", false, timers}, {"timers-on-global", false, timers_on_global},
  {"source-on-default", false, source_on_default}, {"merged", false, merged}, {"channels", false, channels},
  {"channels-by-functions", false, channels_by_functions}, {"last-calls", false, last_calls}, {NULL, false, NULL},
};
