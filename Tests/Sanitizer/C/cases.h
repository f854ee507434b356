// cases.h: what the cases of the C program have in common: state that only dispatch objects protect, and functions that no header
// declares.
#ifndef CASES_H
#define CASES_H

#include <dispatch/dispatch.h>
#include <stdbool.h>
#include <stdio.h>

struct sanitizer_case {
  const char *name;
  bool is_racy;
  void (*run)(void);
};
// Ends with one without a name.
extern const struct sanitizer_case queue_cases[], event_cases[], racy_cases[];

// What items change without a lock.
extern long state;

static inline void wait_for(dispatch_group_t group) { dispatch_group_wait(group, DISPATCH_TIME_FOREVER); }

extern void dispatch_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
extern void dispatch_queue_set_width(dispatch_queue_t queue, long width);
extern dispatch_queue_t dispatch_workloop_create(const char *label);
extern dispatch_queue_t _dispatch_runloop_root_queue_create_4CF(const char *label, unsigned long flags);
extern bool _dispatch_runloop_root_queue_perform_4CF(dispatch_queue_t queue);
typedef void (*heard)(void *context, bool done, dispatch_data_t data, int error);
extern dispatch_io_t dispatch_io_create_f(
    dispatch_io_type_t type, int descriptor, dispatch_queue_t queue, void *context, void (*cleanup)(void *context, int error));
extern void dispatch_io_read_f(dispatch_io_t channel, off_t offset, size_t length, dispatch_queue_t queue, void *context, heard heard);
extern void dispatch_io_write_f(
    dispatch_io_t channel, off_t offset, dispatch_data_t data, dispatch_queue_t queue, void *context, heard heard);
extern void _dispatch_main_queue_callback_4CF(void *message);

#endif
