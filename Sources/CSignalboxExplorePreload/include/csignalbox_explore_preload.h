// csignalbox_explore_preload.h: the one function of the preloaded library that is meant to be called by name.
#ifndef CSIGNALBOX_EXPLORE_PRELOAD_H
#define CSIGNALBOX_EXPLORE_PRELOAD_H

#include <stdint.h>

// The engine is about to do `primitive` (EnginePrimitive) to `object`. `place`: where the caller of the engine is, or 0.
void signalbox_explore_point(uint32_t primitive, uintptr_t object, uintptr_t place);
// Virtual time, in nanoseconds, for what the engine measures of itself.
uint64_t signalbox_explore_ticks(void);

#endif
