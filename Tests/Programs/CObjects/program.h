// program.h: what the files of this program share. It knows nothing of Signalbox; what it prints is the same at every run.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <dispatch/dispatch.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

static inline void signal_it(void *semaphore) { dispatch_semaphore_signal((dispatch_semaphore_t)semaphore); }

static inline void wait_for(dispatch_semaphore_t semaphore) { dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER); }

// Exported, and in no header that comes with the toolchain.
extern void dispatch_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
extern void dispatch_barrier_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);

// A queue that tells by its specific value that something runs on it.
dispatch_queue_t marked_queue(const char *label);
const char *mark(void);

// The chapters, in their order.
void finalizers(void);
void held_groups(void);
void block_objects(void);
void applies(void);
void forever(void);
void one_shots(void);
void repeating(void);
void suspended_timers(void);
void cancelled_timers(void);
void changed_timers(void);
void data_sources(void);
void byte_sources(void);
void signal_sources(void);
void attributes(void);
void specific_destructors(void);
void labels(void);
void clocks(void);
// Leaves through the main queue.
void finish(void);

#endif
