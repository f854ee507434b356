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
static inline void say(const char *chapter, long result) {
  printf("%s: %ld\n", chapter, result);
  fflush(stdout);
}
static inline void say_text(const char *chapter, const char *result) {
  printf("%s: %s\n", chapter, result);
  fflush(stdout);
}

static inline dispatch_time_t in_milliseconds(int64_t count) {
  return dispatch_time(DISPATCH_TIME_NOW, count * (int64_t)NSEC_PER_MSEC);
}

// The headers name service classes only where the system does.
enum { UTILITY_CLASS = 0x11 };

// Functions for the `_f` calls; the context is an `atomic_long`, or as the name says.
void add_one(void *count);
void add_ten(void *count);
void add_index(void *sum, size_t index);
void signal_it(void *semaphore);

// The chapters, in their order.
void queues(void);
void barriers(void);
void applies(void);
void delays(void);
void groups(void);
void semaphores(void);
void onces(void);
void blocks(void);
void contexts(void);
void specifics(void);
void targets(void);
void suspension(void);
void labels_and_classes(void);
void timers(void);
void times(void);
// Leaves through the main queue.
void finish(void);

#endif
