// files.c: reading and writing files: marks, offsets, lengths, barriers.
#include "program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static dispatch_io_t channel_on(dispatch_io_type_t type, int file) {
  return dispatch_io_create(type, file, handlers, ^(int error) {
    close(file);
    say("cleanup", error);
    dispatch_semaphore_signal(ended);
  });
}

static void read_it(dispatch_io_t channel, const char *name, off_t offset, size_t length) {
  dispatch_io_read(channel, offset, length, handlers, ^(bool done, dispatch_data_t data, int error) {
    tell(name, done, data, error);
  });
  wait_for_end();
}

static void finish(dispatch_io_t channel) {
  dispatch_io_close(channel, 0);
  dispatch_release(channel);
  wait_for_end();
}

void reads(void) {
  dispatch_io_t channel = channel_on(DISPATCH_IO_STREAM, make_file(10500));
  read_it(channel, "a thousand", 7, 1000);
  read_it(channel, "none", 0, 0);
  dispatch_io_set_high_water(channel, 3000);
  read_it(channel, "the rest by the high mark", 0, SIZE_MAX);
  read_it(channel, "behind the end", 0, 10);
  finish(channel);

  channel = channel_on(DISPATCH_IO_STREAM, make_file(3000000));
  dispatch_io_set_low_water(channel, SIZE_MAX);
  read_it(channel, "everything at once", 0, SIZE_MAX);
  finish(channel);

  channel = channel_on(DISPATCH_IO_STREAM, make_file(9000));
  dispatch_io_set_high_water(channel, 1000);
  dispatch_io_set_low_water(channel, 4000);
  read_it(channel, "a low mark above the high one", 0, SIZE_MAX);
  finish(channel);

  int file = make_file(1000);
  lseek(file, 100, SEEK_SET);
  channel = channel_on(DISPATCH_IO_RANDOM, file);
  read_it(channel, "at an offset", 500, 50);
  read_it(channel, "across the end", 850, 100);
  read_it(channel, "far behind the end", 5000, 100);
  read_it(channel, "before the beginning", -101, 10);
  say("the file pointer", lseek(file, 0, SEEK_CUR));
  finish(channel);
}

static void write_it(dispatch_io_t channel, const char *name, off_t offset, size_t size) {
  dispatch_data_t data = make_data(size);
  dispatch_io_write(channel, offset, data, handlers, ^(bool done, dispatch_data_t rest, int error) {
    tell(name, done, rest, error);
  });
  dispatch_release(data);
  wait_for_end();
}

void writes(void) {
  dispatch_io_t channel = channel_on(DISPATCH_IO_RANDOM, make_file(0));
  write_it(channel, "written", 0, 5000);
  write_it(channel, "nothing", 0, 0);
  write_it(channel, "behind a hole", 9000, 10);
  dispatch_io_set_high_water(channel, 2000);
  write_it(channel, "by the high mark", 100, 7000);
  write_it(channel, "before the beginning", -1, 10);
  dispatch_io_barrier(channel, ^{
    say("size in the barrier", lseek(dispatch_io_get_descriptor(channel), 0, SEEK_END));
    dispatch_semaphore_signal(ended);
  });
  wait_for_end();
  read_it(channel, "what is there", 0, SIZE_MAX);
  finish(channel);

  channel = channel_on(DISPATCH_IO_STREAM, open("/dev/full", O_RDWR));
  write_it(channel, "on a full device", 0, 100);
  finish(channel);
}
