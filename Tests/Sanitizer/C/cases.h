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
extern const struct sanitizer_case queue_cases[], event_cases[], order_cases[], source_cases[], end_cases[], racy_cases[];

// What items change without a lock.
extern long state;

static inline dispatch_queue_t global(void) { return dispatch_get_global_queue(0, 0); }
static inline void wait_for(dispatch_group_t group) { dispatch_group_wait(group, DISPATCH_TIME_FOREVER); }

// Has another thread do what the block says, and returns when that is done. What comes before the call comes before the deed; what follows
// has no order with it that the sanitizer would see, since relaxed words give none.
extern void do_elsewhere(dispatch_block_t deed);

// The last deed of a case: it counts and tells the main thread, which waits.
extern dispatch_semaphore_t done;
static inline void wait_until_done(void) { dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER); }
static inline void count(void *ignored) {
  (void)ignored;
  state++;
}
static inline void count_and_tell(void *ignored) {
  count(ignored);
  dispatch_semaphore_signal(done);
}
static inline dispatch_block_t counting(void) { return ^{ count_and_tell(NULL); }; }

extern void dispatch_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
extern void dispatch_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_barrier_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
extern void dispatch_barrier_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_async_enforce_qos_class_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_source_cancel_and_wait(dispatch_source_t source);
extern void dispatch_source_set_mandatory_cancel_handler(dispatch_source_t source, dispatch_block_t handler);
extern void dispatch_source_set_mandatory_cancel_handler_f(dispatch_source_t source, dispatch_function_t handler);
extern dispatch_queue_t dispatch_workloop_create_inactive(const char *label);
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
extern dispatch_data_t dispatch_data_create_f(
    const void *buffer, size_t size, dispatch_queue_t queue, dispatch_function_t destructor);
extern void dispatch_io_barrier_f(dispatch_io_t channel, void *context, dispatch_function_t barrier);
typedef void (*heard_once)(void *context, dispatch_data_t data, int error);
extern void dispatch_read_f(int descriptor, size_t length, dispatch_queue_t queue, void *context, heard_once heard);
extern void dispatch_write_f(int descriptor, dispatch_data_t data, dispatch_queue_t queue, void *context, heard_once heard);
extern void _dispatch_main_queue_callback_4CF(void *message);

#endif
