// program.h: the functions that no header declares, as the toolchain's library takes them, and what main.c says with.
#ifndef PROGRAM_H
#define PROGRAM_H

#define _GNU_SOURCE
#include <dispatch/dispatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

extern void dispatch_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
extern void dispatch_queue_set_label_nocopy(dispatch_queue_t queue, const char *label);
extern void dispatch_set_qos_class(dispatch_object_t object, unsigned qos_class, int rank);
extern void dispatch_set_qos_class_floor(dispatch_object_t object, unsigned qos_class, int rank);
extern void dispatch_set_qos_class_fallback(dispatch_object_t object, unsigned qos_class);
extern dispatch_block_t dispatch_block_create_with_voucher(unsigned long flags, void *voucher, dispatch_block_t block);
extern dispatch_block_t dispatch_block_create_with_voucher_and_qos_class(
    unsigned long flags, void *voucher, unsigned qos_class, int rank, dispatch_block_t block);
extern dispatch_block_t _dispatch_block_create(
    unsigned long flags, void *voucher, unsigned long priority, dispatch_block_t block);

extern dispatch_queue_t dispatch_workloop_create(const char *label);
extern dispatch_queue_t dispatch_workloop_create_inactive(const char *label);
extern void dispatch_workloop_set_autorelease_frequency(dispatch_queue_t loop, unsigned long frequency);
extern void dispatch_workloop_set_qos_class(dispatch_queue_t loop, unsigned qos_class, uint64_t flags);
extern void dispatch_workloop_set_qos_class_floor(dispatch_queue_t loop, unsigned qos_class, int rank, uint64_t flags);
extern void dispatch_workloop_set_cpupercent(dispatch_queue_t loop, uint8_t percent, uint32_t refill);
extern bool dispatch_workloop_is_current(dispatch_queue_t loop);

extern dispatch_queue_t _dispatch_runloop_root_queue_create_4CF(const char *label, unsigned long flags);
extern bool _dispatch_runloop_root_queue_perform_4CF(dispatch_queue_t queue);
extern void _dispatch_runloop_root_queue_wakeup_4CF(dispatch_queue_t queue);

extern void _dispatch_main_queue_callback_4CF(void *message);
extern int _dispatch_get_main_queue_port_4CF(void);
extern const uint16_t dispatch_queue_offsets[17];

extern void *_os_object_alloc(const void *table, size_t size);
extern void *_os_object_alloc_realized(const void *table, size_t size);
extern void _os_object_dealloc(void *object);
extern void *_os_object_retain(void *object);
extern void *_os_object_retain_internal(void *object);
extern void *_os_object_retain_internal_n(void *object, uint16_t count);
extern void *_os_object_retain_with_resurrect(void *object);
extern void _os_object_release(void *object);
extern void _os_object_release_internal(void *object);
extern void _os_object_release_internal_n(void *object, uint16_t count);

extern bool _dispatch_is_multithreaded(void);
extern void _dispatch_prohibit_transition_to_multithreaded(bool prohibit);
extern void *_dispatch_wait_for_enqueuer(void **word);
extern void _dispatch_iocntl(uint32_t parameter, uint64_t value);
extern void _dispatch_poll_for_events_4launchd(void);
extern void dispatch_atfork_prepare(void);
extern void dispatch_atfork_parent(void);
extern uint64_t dispatch_benchmark(size_t count, dispatch_block_t block);
extern uint64_t dispatch_benchmark_f(size_t count, void *context, dispatch_function_t function);

// Chapters of other files.
void turns(void);
void words(void);

// One line of the output.
static inline void say(const char *text, long result) {
  printf("%s: %ld\n", text, result);
  fflush(stdout);
}
static inline void say_text(const char *text, const char *result) {
  printf("%s: %s\n", text, result);
  fflush(stdout);
}

static inline dispatch_time_t in_milliseconds(int64_t count) {
  return dispatch_time(DISPATCH_TIME_NOW, count * (int64_t)NSEC_PER_MSEC);
}
static inline void signal_it(void *semaphore) { dispatch_semaphore_signal(semaphore); }
static inline void wait_for(dispatch_semaphore_t semaphore) { dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER); }
static inline void write_word(void **word) { __atomic_store_n(word, (void *)77, __ATOMIC_RELEASE); }

#endif
