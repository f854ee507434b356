// program.h: what the files of this program share. It knows nothing of Signalbox; what it prints is the same at every run.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <dispatch/dispatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Exported, and in no header that comes with the toolchain.
typedef void (*cleanup_function)(void *context, int error);
typedef void (*io_function)(void *context, bool done, dispatch_data_t data, int error);
typedef void (*data_function)(void *context, dispatch_data_t data, int error);
extern dispatch_io_t dispatch_io_create_f(
    dispatch_io_type_t type, dispatch_fd_t fd, dispatch_queue_t queue, void *context, cleanup_function cleanup);
extern dispatch_io_t dispatch_io_create_with_path_f(
    dispatch_io_type_t type, const char *path, int oflag, mode_t mode, dispatch_queue_t queue, void *context,
    cleanup_function cleanup);
extern dispatch_io_t dispatch_io_create_with_io_f(
    dispatch_io_type_t type, dispatch_io_t io, dispatch_queue_t queue, void *context, cleanup_function cleanup);
extern void dispatch_io_read_f(
    dispatch_io_t channel, off_t offset, size_t length, dispatch_queue_t queue, void *context, io_function handler);
extern void dispatch_io_write_f(
    dispatch_io_t channel, off_t offset, dispatch_data_t data, dispatch_queue_t queue, void *context, io_function handler);
extern void dispatch_io_barrier_f(dispatch_io_t channel, void *context, dispatch_function_t barrier);
extern void dispatch_read_f(dispatch_fd_t fd, size_t length, dispatch_queue_t queue, void *context, data_function handler);
extern void dispatch_write_f(dispatch_fd_t fd, dispatch_data_t data, dispatch_queue_t queue, void *context, data_function handler);

// What each chapter has: a serial queue for all handlers, a semaphore for each last call.
extern dispatch_queue_t handlers;
extern dispatch_semaphore_t ended;

// One line of the output.
static inline void say(const char *text, long result) {
  printf("%s: %ld\n", text, result);
  fflush(stdout);
}

void wait_for_end(void);
// What a handler got; the bytes as a sum in which their places count.
void tell(const char *name, bool done, dispatch_data_t data, int error);

// The handlers of the functions: the context is a name.
void heard_io(void *name, bool done, dispatch_data_t data, int error);
void heard_data(void *name, dispatch_data_t data, int error);
void heard_end(void *name, int error);
void heard_barrier(void *name);

// A file with `size` bytes that goes when the program ends, opened.
int make_file(size_t size);
const char *file_path(void);
dispatch_data_t make_data(size_t size);

// The chapters, in their order.
void reads(void);
void writes(void);
void pipes(void);
void functions(void);
void refusals(void);
void objects(void);

#endif
