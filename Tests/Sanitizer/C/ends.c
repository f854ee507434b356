// ends.c: cases without a race: one promised order each, of channels, and of the ends of objects.
#include "cases.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// MARK: channels

// A channel that reads a pipe, what comes when its read has ended, and the end to be written to.
struct line {
  int reading, writing;
  dispatch_io_t channel;
};
static struct line make_line(dispatch_queue_t queue) {
  int ends[2];
  if (pipe(ends)) abort();
  int reading = ends[0];
  dispatch_io_t channel = dispatch_io_create(DISPATCH_IO_STREAM, reading, queue, ^(int error) {
    state += error + 1;
    close(reading);
    dispatch_semaphore_signal(done);
  });
  dispatch_io_set_low_water(channel, 1);
  dispatch_io_set_high_water(channel, 64);
  return (struct line){reading, ends[1], channel};
}
static void fill(struct line line) {
  char bytes[4096] = {0};
  if (write(line.writing, bytes, sizeof bytes) != sizeof bytes) abort();
  close(line.writing);
}

// The calls of one operation are in order whatever the queue, and the cleanup comes after them.
static void handlers_of_operation(void) {
  struct line line = make_line(global());
  dispatch_io_read(line.channel, 0, SIZE_MAX, global(), ^(bool is_last, dispatch_data_t data, int error) {
    state += error + (data ? (long)dispatch_data_get_size(data) : 0);
    if (is_last) dispatch_io_close(line.channel, 0);
  });
  fill(line);
  wait_until_done();
}
static void hear(void *channel, bool is_last, dispatch_data_t data, int error) {
  state += error + (data ? (long)dispatch_data_get_size(data) : 0);
  if (is_last) dispatch_io_close(channel, 0);
}
static void functions_of_operation(void) {
  struct line line = make_line(global());
  dispatch_io_read_f(line.channel, 0, SIZE_MAX, global(), line.channel, hear);
  fill(line);
  wait_until_done();
}
// The cleanup comes after what the operation's handler did, on another queue.
static void cleanup_on_another_queue(void) {
  struct line line = make_line(dispatch_queue_create("cleanup", NULL));
  dispatch_io_read(
      line.channel, 0, SIZE_MAX, dispatch_queue_create("handler", NULL), ^(bool is_last, dispatch_data_t data, int error) {
        (void)is_last;
        state += error + (data ? (long)dispatch_data_get_size(data) : 0);
      });
  dispatch_io_close(line.channel, 0);
  fill(line);
  wait_until_done();
}
static void channel_closed_elsewhere(void) {
  struct line line = make_line(global());
  do_elsewhere(^{
    state++;
    dispatch_io_close(line.channel, 0);
  });
  wait_until_done();
  close(line.writing);
}
// A barrier comes before the operations behind it, and the cleanup after both.
static void channel_barrier(void) {
  struct line line = make_line(global());
  dispatch_io_barrier(line.channel, ^{ state++; });
  dispatch_io_read(
      line.channel, 0, SIZE_MAX, dispatch_queue_create("handler", NULL), ^(bool is_last, dispatch_data_t data, int error) {
        hear(line.channel, is_last, data, error);
      });
  dispatch_io_barrier(line.channel, ^{ dispatch_io_close(line.channel, 0); });
  fill(line);
  wait_until_done();
}
static void channel_barrier_function(void) {
  struct line line = make_line(global());
  dispatch_io_barrier_f(line.channel, NULL, count);
  dispatch_io_barrier_f(line.channel, NULL, count);
  dispatch_io_read_f(line.channel, 0, SIZE_MAX, dispatch_queue_create("handler", NULL), line.channel, hear);
  fill(line);
  wait_until_done();
}
static void barrier_alone(void) {
  struct line line = make_line(global());
  state++;
  dispatch_io_barrier_f(line.channel, NULL, count_and_tell);
  wait_until_done();
  dispatch_io_close(line.channel, 0);
  wait_until_done();
  close(line.writing);
}
static void channel_resumed(void) {
  struct line line = make_line(global());
  dispatch_suspend(line.channel);
  dispatch_io_read(line.channel, 0, SIZE_MAX, global(), ^(bool is_last, dispatch_data_t data, int error) {
    state += error + (data ? (long)dispatch_data_get_size(data) : 0);
    if (is_last) dispatch_io_close(line.channel, 0);
  });
  fill(line);
  state++;
  dispatch_resume(line.channel);
  wait_until_done();
}
static void channel_of_channel(void) {
  dispatch_queue_t queue = dispatch_queue_create("cleanup", NULL);
  struct line line = make_line(queue);
  dispatch_io_t second = dispatch_io_create_with_io(DISPATCH_IO_STREAM, line.channel, queue, ^(int error) {
    state += error + 1;
    dispatch_semaphore_signal(done);
  });
  state++;
  dispatch_io_close(line.channel, 0);
  dispatch_io_close(second, 0);
  wait_until_done();
  wait_until_done();
  close(line.writing);
}
static void hear_once(void *ignored, dispatch_data_t data, int error) {
  (void)ignored;
  state += error + (data ? 1 : 0);
  dispatch_semaphore_signal(done);
}
static void without_a_channel(void) {
  int ends[2];
  if (pipe(ends)) abort();
  dispatch_data_t data = dispatch_data_create("some bytes", 10, NULL, NULL);
  state++;
  dispatch_write_f(ends[1], data, global(), NULL, hear_once);
  wait_until_done();
  state++;
  dispatch_read_f(ends[0], 10, global(), NULL, hear_once);
  wait_until_done();
  dispatch_write(ends[1], data, global(), ^(dispatch_data_t rest, int error) { hear_once(NULL, rest, error); });
  wait_until_done();
  dispatch_read(ends[0], 10, global(), ^(dispatch_data_t bytes, int error) { hear_once(NULL, bytes, error); });
  wait_until_done();
}

// MARK: ends of objects

// The finalizer comes after what each thread did before it let go of the object.
static void released_by_two(dispatch_object_t object) {
  dispatch_set_context(object, done);
  dispatch_set_finalizer_f(object, count_and_tell);
  dispatch_retain(object);
  do_elsewhere(^{
    state++;
    dispatch_release(object);
  });
  dispatch_release(object);
  wait_until_done();
}
static void queue_released(void) { released_by_two(dispatch_queue_create("queue", NULL)); }
static void group_released(void) { released_by_two(dispatch_group_create()); }
static void semaphore_released(void) { released_by_two(dispatch_semaphore_create(0)); }
static void data_finalized(void) { released_by_two(dispatch_data_create("bytes", 5, NULL, NULL)); }
static void source_released(void) {
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, global());
  dispatch_activate(source);
  released_by_two(source);
}
static void channel_released(void) {
  struct line line = make_line(global());
  released_by_two(line.channel);
  wait_until_done();
  close(line.writing);
}
static void destructor_of_data(dispatch_data_t data) {
  dispatch_retain(data);
  do_elsewhere(^{
    state++;
    dispatch_release(data);
  });
  dispatch_release(data);
  wait_until_done();
}
static void data_released(void) { destructor_of_data(dispatch_data_create("bytes", 5, NULL, counting())); }
static void data_released_by_function(void) { destructor_of_data(dispatch_data_create_f("bytes", 5, NULL, count_and_tell)); }
// A part keeps the whole.
static void part_released(void) {
  dispatch_data_t whole = dispatch_data_create("bytes", 5, NULL, counting());
  dispatch_data_t part = dispatch_data_create_subrange(whole, 1, 3);
  dispatch_data_t joined = dispatch_data_create_concat(part, whole);
  dispatch_release(part);
  do_elsewhere(^{
    state++;
    dispatch_release(joined);
  });
  dispatch_release(whole);
  wait_until_done();
}
static void value_destroyed(void) {
  dispatch_queue_t queue = dispatch_queue_create("with a value", NULL);
  dispatch_queue_set_specific(queue, &queue_cases, done, count_and_tell);
  dispatch_retain(queue);
  do_elsewhere(^{
    state++;
    dispatch_release(queue);
  });
  dispatch_release(queue);
  wait_until_done();
}
// The queue's last item keeps it, and comes before its finalizer.
static void finalized_after_items(void) {
  dispatch_queue_t queue = dispatch_queue_create("queue", NULL);
  dispatch_set_context(queue, done);
  dispatch_set_finalizer_f(queue, count_and_tell);
  static atomic_int is_released;
  dispatch_async(queue, ^{
    while (!atomic_load_explicit(&is_released, memory_order_relaxed)) sched_yield();
    state++;
  });
  dispatch_release(queue);
  atomic_store_explicit(&is_released, 1, memory_order_relaxed);
  wait_until_done();
}
static void finalized_after_handlers(void) {
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, global());
  dispatch_set_context(source, done);
  dispatch_set_finalizer_f(source, count_and_tell);
  dispatch_source_set_cancel_handler(source, ^{ state++; });
  dispatch_activate(source);
  dispatch_source_cancel(source);
  dispatch_release(source);
  wait_until_done();
}

const struct sanitizer_case end_cases[] = {
  {"handlers-of-operation", false, handlers_of_operation}, {"functions-of-operation", false, functions_of_operation},
  {"cleanup-on-another-queue", false, cleanup_on_another_queue},
  {"channel-closed-elsewhere", false, channel_closed_elsewhere}, {"channel-barrier", false, channel_barrier},
  {"channel-barrier-function", false, channel_barrier_function}, {"barrier-alone", false, barrier_alone},
  {"channel-resumed", false, channel_resumed}, {"channel-of-channel", false, channel_of_channel},
  {"without-a-channel", false, without_a_channel}, {"queue-released", false, queue_released},
  {"group-released", false, group_released}, {"semaphore-released", false, semaphore_released},
  {"data-finalized", false, data_finalized}, {"source-released", false, source_released},
  {"channel-released", false, channel_released}, {"data-released", false, data_released},
  {"data-released-by-function", false, data_released_by_function}, {"part-released", false, part_released},
  {"value-destroyed", false, value_destroyed}, {"finalized-after-items", false, finalized_after_items},
  {"finalized-after-handlers", false, finalized_after_handlers}, {NULL, false, NULL},
};
