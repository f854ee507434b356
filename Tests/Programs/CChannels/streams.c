// streams.c: pipes, the functions without channels and those with contexts, what is refused, channels as objects.
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static char name_io[] = "by function", name_end[] = "cleanup by function", name_data[] = "without a channel";

void pipes(void) {
  signal(SIGPIPE, SIG_IGN);
  int ends[2];
  if (pipe(ends)) exit(1);
  dispatch_io_t channel = dispatch_io_create_f(DISPATCH_IO_STREAM, ends[0], handlers, name_end, heard_end);
  dispatch_io_set_low_water(channel, 1);
  dispatch_semaphore_t some = dispatch_semaphore_create(0);
  dispatch_io_read(channel, 0, 10, handlers, ^(bool done, dispatch_data_t data, int error) {
    tell("from a pipe", done, data, error);
    dispatch_semaphore_signal(some);
  });
  if (write(ends[1], "abc", 3) != 3) exit(1);
  dispatch_semaphore_wait(some, DISPATCH_TIME_FOREVER);
  if (write(ends[1], "defghijkl", 9) != 9) exit(1);
  dispatch_semaphore_wait(some, DISPATCH_TIME_FOREVER);
  wait_for_end();
  dispatch_io_read(channel, 0, 2, handlers, ^(bool done, dispatch_data_t data, int error) {
    tell("what is left", done, data, error);
  });
  wait_for_end();
  dispatch_io_read_f(channel, 0, 10, handlers, name_io, heard_io);
  dispatch_io_close(channel, DISPATCH_IO_STOP);
  wait_for_end();
  wait_for_end();
  say("blocks again", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0);
  dispatch_release(channel);
  dispatch_release(some);
  if (write(ends[1], "mnop", 4) != 4) exit(1);
  dispatch_read(ends[0], SIZE_MAX, handlers, ^(dispatch_data_t data, int error) { tell("without a channel", true, data, error); });
  wait_for_end();
  close(ends[0]);
  dispatch_data_t data = make_data(100);
  dispatch_write(ends[1], data, handlers, ^(dispatch_data_t rest, int error) { tell("nobody reads", true, rest, error); });
  wait_for_end();
  dispatch_release(data);
  close(ends[1]);
}

void functions(void) {
  int file = make_file(1000);
  dispatch_io_t channel = dispatch_io_create_f(DISPATCH_IO_STREAM, file, handlers, name_end, heard_end);
  dispatch_io_read_f(channel, 0, 400, handlers, name_io, heard_io);
  wait_for_end();
  dispatch_io_t other = dispatch_io_create_with_io_f(DISPATCH_IO_RANDOM, channel, handlers, name_end, heard_end);
  dispatch_io_read_f(other, 0, 10, handlers, name_io, heard_io);
  wait_for_end();
  dispatch_io_barrier_f(other, "barrier by function", heard_barrier);
  wait_for_end();
  dispatch_data_t data = make_data(3);
  dispatch_io_write_f(other, 0, data, handlers, name_io, heard_io);
  wait_for_end();
  dispatch_io_close(channel, 0);
  dispatch_io_close(other, 0);
  wait_for_end();
  wait_for_end();
  dispatch_release(channel);
  dispatch_release(other);
  lseek(file, 0, SEEK_SET);
  dispatch_read_f(file, 7, handlers, name_data, heard_data);
  wait_for_end();
  dispatch_write_f(file, data, handlers, name_data, heard_data);
  wait_for_end();
  dispatch_release(data);
  say("the file pointer", lseek(file, 0, SEEK_CUR));
  close(file);

  channel = dispatch_io_create_with_path_f(DISPATCH_IO_STREAM, file_path(), O_RDONLY, 0, handlers, name_end, heard_end);
  say("not open yet", dispatch_io_get_descriptor(channel));
  dispatch_io_read_f(channel, 0, SIZE_MAX, handlers, name_io, heard_io);
  wait_for_end();
  dispatch_io_close(channel, 0);
  wait_for_end();
  dispatch_release(channel);
}

void refusals(void) {
  say("no such type", dispatch_io_create(7, 0, handlers, ^(int error) { (void)error; }) == NULL);
  say("relative path", dispatch_io_create_with_path(DISPATCH_IO_STREAM, "x", O_RDONLY, 0, handlers, ^(int error) {
    (void)error;
  }) == NULL);
  dispatch_io_t channel = dispatch_io_create_with_path(DISPATCH_IO_STREAM, "/tmp/signalbox-none", O_RDONLY, 0, handlers, ^(int error) {
    say("no such file", error);
    dispatch_semaphore_signal(ended);
  });
  dispatch_queue_t elsewhere = dispatch_queue_create("elsewhere", NULL);
  __block int seen = 0;
  dispatch_io_read(channel, 0, 10, elsewhere, ^(bool done, dispatch_data_t data, int error) {
    if (done && !data) seen = error;
    dispatch_semaphore_signal(ended);
  });
  wait_for_end();
  wait_for_end();
  dispatch_sync(elsewhere, ^{ say("the read hears it", seen); });
  dispatch_release(elsewhere);
  dispatch_release(channel);

  channel = dispatch_io_create(DISPATCH_IO_STREAM, make_file(10), handlers, ^(int error) { (void)error; });
  dispatch_io_close(channel, 0);
  dispatch_io_read_f(channel, 0, 10, handlers, name_io, heard_io);
  wait_for_end();
  say("descriptor of a closed channel", dispatch_io_get_descriptor(channel));
  dispatch_release(channel);
}

// Which of the finalizer and the cleanup handler comes first is nobody's promise: it prints nothing.
static void finalized(void *context) {
  *(int *)context = 1;
  dispatch_semaphore_signal(ended);
}

void objects(void) {
  int ends[2];
  if (pipe(ends)) exit(1);
  dispatch_io_t channel = dispatch_io_create_f(DISPATCH_IO_STREAM, ends[0], handlers, name_end, heard_end);
  int is_finalized = 0;
  dispatch_set_context(channel, &is_finalized);
  dispatch_set_finalizer_f(channel, finalized);
  dispatch_set_target_queue(channel, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0));
  dispatch_retain(channel);
  dispatch_release(channel);
  say("context kept", dispatch_get_context(channel) == &is_finalized);
  dispatch_io_read_f(channel, 0, 3, handlers, name_io, heard_io);
  // The read goes on without the last reference.
  dispatch_release(channel);
  if (write(ends[1], "xyz", 3) != 3) exit(1);
  wait_for_end();
  wait_for_end();
  wait_for_end();
  say("finalized", is_finalized);
  close(ends[0]);
  close(ends[1]);
}
