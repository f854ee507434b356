// program.h: what the chapters share.
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// Functions that the library exports and no header of the toolchain's declares.
dispatch_queue_t dispatch_workloop_create(const char *label);

// Calls body(number) on this many threads at once, for the numbers from 0, and returns when all have ended.
void on_threads(int threads, void (*body)(long number));

// How often a chapter does its deed on each thread: less with the argument "brief".
int times(int most);

// Whether what the toolchain's library does not survive is done as well.
extern int does_all;

// One line of the output. Should it not hold, the program ends with a status of its own.
void check(const char *what, int holds);

// Waits until the counter has reached the number.
void await(atomic_long *counter, long number);

// Things that are let go of while somebody may still be inside of a call on them.
void ends(void);
// Targets that change while items run.
void targets(void);
// The same where the new target is the main queue: keeps the main thread, and ends the program with the status that `end` returns.
void targets_on_main(int (*end)(void));
