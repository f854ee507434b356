// core.h: what the parts of the core know of one another.
#ifndef CSIGNALBOX_EXPLORE_CORE_H
#define CSIGNALBOX_EXPLORE_CORE_H

#include "layout.h"

#pragma GCC visibility push(hidden)

// A timer may be chosen to go if it is due within this time, and all that were chosen may take so much in one run: longer timeouts
// are there to catch what never ends, and would fail falsely.
#define SBX_TIMER_REACH 50000000ull
#define SBX_TIMER_BUDGET 1000000000ull
// Points in a row after which a thread that keeps others from running is made to wait: it may be polling for one of them.
#define SBX_TURNS 300
// This many jumps of time in a row, in which nothing happens but waits that time out and begin anew, are a deadlock if time has gone on by
// so much: those who wait look up now and then, and nobody is left to wake them. After the first jumps time goes on in larger and larger
// leaps, as it may for whoever is late to wake up: who looks up until a limit comes to its limit soon.
#define SBX_JUMPS 1000
#define SBX_SHORT_JUMPS 100
#define SBX_VAIN_TIME (3600ull * 1000000000)
// A wait until such a time is one without limit.
#define SBX_FAR (86400ull * 1000000000)
// How often a wait may end for no reason in one run, and how rarely that is drawn at a point.
#define SBX_SPURIOUS_WAKES 2
#define SBX_SPURIOUS_MASK 7

// How many starts of threads may fail in one run, and how rarely that is drawn at one.
#define SBX_FAILING_STARTS 1
#define SBX_FAULT_MASK 3

// A series of waits that time out is over.
void sbx_something_happens(void);
void sbx_make_ready(struct sbx_thread *thread, enum sbx_wake why);
// Notes the point that a thread has come to.
void sbx_note(struct sbx_thread *self, uint32_t kind, uint64_t address, uint64_t place);
// Who goes on; ends the run if nobody ever can. `leaves`: not the caller as it is; `yields`: rather another.
struct sbx_thread *sbx_choose(struct sbx_thread *self, int leaves, int yields);
// The same, but null if nobody can now.
struct sbx_thread *sbx_choose_if_any(struct sbx_thread *self);
// Which of several waiters is woken: an index.
int sbx_pick(struct sbx_thread *self, struct sbx_thread **waiters, int count);
// Whether what the thread is about to ask of the system fails.
int sbx_draw_fault(struct sbx_thread *self);
void sbx_find_plan(struct sbx_thread *thread);
// Which of several stores a load returns: how many older than the newest.
int sbx_pick_value(struct sbx_thread *self, int count);
// memory.c: a run begins; a thread is made; a thread has passed a point that orders memory. Whether the thread does nothing but load
// one word that is left alone.
void sbx_memory_begin(void);
void sbx_memory_starts(struct sbx_thread *child);
void sbx_memory_passes(struct sbx_thread *self);
int sbx_memory_spins(const struct sbx_thread *self);
void sbx_summarise(void);
void sbx_search_begins(void);
void sbx_objects_begin(void);
// Whether the run is one of a search.
static inline int sbx_searches(void) { return sbx_state->run.strategy == SBX_EXHAUSTIVE && !sbx_state->run.is_replay; }
// For a search: the object's number among those that were touched, from 1; 0: there are too many. And how many there are.
uint32_t sbx_touch_number(uint64_t address);
uint32_t sbx_touch_count(void);

#pragma GCC visibility pop
#endif
