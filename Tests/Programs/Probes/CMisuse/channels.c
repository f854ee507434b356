// channels.c: channels given nothing where something is needed, and what the header answers with NULL or an error.
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static dispatch_queue_t anywhere(void) { return dispatch_get_global_queue(0, 0); }
static void (^const ignore)(int) = ^(int error) { (void)error; };
static dispatch_io_t channel(void) { return dispatch_io_create(DISPATCH_IO_STREAM, dup(0), anywhere(), ignore); }
static dispatch_time_t soon(void) { return dispatch_time(DISPATCH_TIME_NOW, 20 * (int64_t)NSEC_PER_SEC); }

static void refused(void) {
  HOLDS(!dispatch_io_create(7, 0, anywhere(), ignore));
  HOLDS(!dispatch_io_create_with_path(DISPATCH_IO_STREAM, "not/absolute", O_RDONLY, 0, anywhere(), ignore));
  HOLDS(!dispatch_io_create_with_path(DISPATCH_IO_STREAM, null(), O_RDONLY, 0, anywhere(), ignore));
  HOLDS(!dispatch_io_create_with_io(7, channel(), anywhere(), ignore));
}

// The error that the only call of an operation's or a cleanup's handler brings.
static void expect(int expected, void (^begin)(void (^heard)(int error))) {
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  __block int error = -1;
  begin(^(int is) {
    error = is;
    dispatch_semaphore_signal(told);
  });
  HOLDS(dispatch_semaphore_wait(told, soon()) == 0);
  HOLDS(error == expected);
}

static void told_of_errors(void) {
  expect(EBADF, ^(void (^heard)(int)) {
    (void)dispatch_io_create(DISPATCH_IO_STREAM, -1, anywhere(), ^(int error) { heard(error); });
  });
  expect(ENOENT, ^(void (^heard)(int)) {
    dispatch_io_t io = dispatch_io_create_with_path(DISPATCH_IO_STREAM, "/nowhere/at/all", O_RDONLY, 0, anywhere(), ignore);
    dispatch_io_read(io, 0, 1, anywhere(), ^(bool done, dispatch_data_t data, int error) {
      (void)data;
      if (done) heard(error);
    });
  });
  expect(ECANCELED, ^(void (^heard)(int)) {
    dispatch_io_t io = channel();
    dispatch_io_close(io, 0);
    dispatch_io_read(io, 0, 1, anywhere(), ^(bool done, dispatch_data_t data, int error) {
      (void)data;
      if (done) heard(error);
    });
  });
}

// The file is there, so opening it fails, and not the creation of the channel.
static void opening_fails(void) {
  char name[] = "/tmp/signalbox-XXXXXX", *path = name;
  close(mkstemp(path));
  expect(EEXIST, ^(void (^heard)(int)) {
    int flags = O_RDWR | O_CREAT | O_EXCL;
    dispatch_io_t io =
        dispatch_io_create_with_path(DISPATCH_IO_STREAM, path, flags, 0600, anywhere(), ^(int error) { heard(error); });
    dispatch_io_read(io, 0, 1, anywhere(), ^(bool done, dispatch_data_t data, int error) { (void)done, (void)data, (void)error; });
    dispatch_io_close(io, 0);
    dispatch_release(io);
  });
  unlink(path);
}

static void read_after(dispatch_io_t io) {
  expect(0, ^(void (^heard)(int)) {
    dispatch_io_read(io, 0, 0, anywhere(), ^(bool done, dispatch_data_t data, int error) {
      (void)data;
      if (done) heard(error);
    });
  });
}

static void resumed_too_often(void) {
  dispatch_io_t io = channel();
  dispatch_resume(io);
  dispatch_resume(io);
  read_after(io);
  dispatch_suspend(io);
  dispatch_resume(io);
  dispatch_resume(io);
  read_after(io);
  dispatch_release(io);
  io = channel();
  dispatch_resume(io);
  read_after(io);
  dispatch_release(io);
}

static void freed_suspended(void) {
  dispatch_io_t io = channel();
  dispatch_suspend(io);
  dispatch_release(io);
}

static void null_channel(void) { dispatch_io_close((dispatch_io_t)null(), 0); }
static void null_channel_queue(void) {
  dispatch_io_read(channel(), 0, 1, (dispatch_queue_t)null(), ^(bool done, dispatch_data_t data, int error) {
    (void)done, (void)data, (void)error;
  });
}
static void null_channel_handler(void) { dispatch_io_read(channel(), 0, 1, anywhere(), (dispatch_io_handler_t)null()); }
static void null_bytes(void) {
  dispatch_io_write(channel(), 0, (dispatch_data_t)null(), anywhere(), ^(bool done, dispatch_data_t data, int error) {
    (void)done, (void)data, (void)error;
  });
}
static void null_barrier(void) { dispatch_io_barrier(channel(), (dispatch_block_t)null()); }

const struct deed channel_deeds[] = {
    {"channels-refused", refused},
    {"channels-told-of-errors", told_of_errors},
    {"channel-that-cannot-be-opened", opening_fails},
    {"channel-resumed-too-often", resumed_too_often},
    {"channel-freed-suspended", freed_suspended},
    {"null-channel", null_channel},
    {"null-channel-queue", null_channel_queue},
    {"null-channel-handler", null_channel_handler},
    {"null-bytes", null_bytes},
    {"null-barrier", null_barrier},
    {NULL, NULL},
};
