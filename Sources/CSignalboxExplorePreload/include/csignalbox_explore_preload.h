// csignalbox_explore_preload.h: the functions of the preloaded library that are meant to be called by name.
#ifndef CSIGNALBOX_EXPLORE_PRELOAD_H
#define CSIGNALBOX_EXPLORE_PRELOAD_H

#include <stdint.h>

// The engine is about to do `primitive` (EnginePrimitive) to `object`. `place`: where the caller of the engine is, or 0.
void signalbox_explore_point(uint32_t primitive, uintptr_t object, uintptr_t place);
// Virtual time, in nanoseconds, for what the engine measures of itself.
uint64_t signalbox_explore_ticks(void);
// Whether call stacks of this run are read by anybody.
int signalbox_explore_wants_stacks(void);

// What a thread does, in place of what the kernel says: all but one sleep there, and for how long is no matter of the schedule. 0: it is
// not known; else its own points so far times four, and 1: it could go on, 2: it waits, 3: it has ended.
uint64_t signalbox_explore_thread(uint64_t number);

#endif
