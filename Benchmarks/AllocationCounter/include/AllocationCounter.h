// AllocationCounter.h: counts the program's calls of the malloc family, on all threads, while switched on.
#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// Starts counting at zero.
void allocationCounterStart(void);

/// Stops counting; returns the number of calls since the start.
long allocationCounterStop(void);

/// 0 where a sanitizer owns the allocator and nothing can be counted.
int allocationCounterWorks(void);

#endif
