// probe.h: what the files of this program share.
#ifndef PROBE_H
#define PROBE_H

#include <dispatch/dispatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One thing to do, by name.
struct deed {
  const char *name;
  void (*run)(void);
};

// Each list ends with a name of NULL.
extern const struct deed object_deeds[], queue_deeds[], argument_deeds[], main_deeds[],
    deadlock_deeds[], extra_deeds[], data_deeds[], channel_deeds[];

// States that something holds; what does not is named, and the program fails in the end.
void holds_at(bool condition, const char *text, int line);
#define HOLDS(condition) holds_at(condition, #condition, __LINE__)

// Exported, and in no header that comes with the toolchain.
extern void dispatch_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);

// A pointer that the compiler knows nothing of, so that it lets a null one pass.
void *null(void);

static inline void nothing(void *context) { (void)context; }

#endif
