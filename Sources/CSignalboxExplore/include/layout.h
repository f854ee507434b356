// layout.h: the memory that the command, the server and each run share, and the core as a face sees it. For C only.
//
// A face is what stands between a program and the core: the preloaded library, or a test in one process. The core knows no
// function of the C library; a face gives it what it needs of the machine. Protocol: README.md.
#ifndef CSIGNALBOX_EXPLORE_LAYOUT_H
#define CSIGNALBOX_EXPLORE_LAYOUT_H

#include "csignalbox_explore.h"

// The thread sanitizer is to see the program, not its explorer: what threads under control share is written by whoever has the baton,
// and the baton must add no order of its own. From here to `SANITIZED_AGAIN` at the end of each file nothing is instrumented.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SBX_SANITIZED 1
#endif
#endif
#ifdef SBX_SANITIZED
_Pragma("clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)")
#define SANITIZED_AGAIN _Pragma("clang attribute pop")
#else
#define SANITIZED_AGAIN
#endif

struct sbx_shared {
  struct sbx_control control;
  struct sbx_outcome outcome;
  struct sbx_run run;       // the run under way
  // The run's state.
  uint32_t is_active, holder, thread_count, object_count;
  uint32_t timed;           // threads that wait with a deadline
  uint32_t watching;        // threads that wait for descriptors
  uint32_t io_is_stale;     // something was done that may have made descriptors ready
  uint32_t away;            // threads outside
  uint32_t arrivals;        // grows when one comes back: a word to sleep on
  uint32_t is_idle;         // the baton's holder sleeps until something comes from outside
  uint32_t dying;           // the kernel's number of a thread that has given the baton away for good
  uint32_t hash;
  uint64_t now, order, random, timer_budget, low_priority;
  uint64_t changes[8];      // PCT: at which steps
  uint32_t change_count, is_fair, is_prelude, clock_mask;
  uint32_t series, jumps;   // jumps of time in a row in which nothing happened but waits that timed out
  uint32_t ready_count, arrivals_seen, take_from, vain_step;
  uint64_t vain_time;       // when the first of these jumps came
  uint32_t spurious_budget, fault_budget;
  uint64_t ready[SBX_MAX_THREADS / 64], waiting[SBX_MAX_THREADS / 64], arrived[SBX_MAX_THREADS / 64];
  struct sbx_thread threads[SBX_MAX_THREADS];
  struct sbx_object objects[SBX_MAX_OBJECTS];
  struct sbx_decision plan[SBX_MAX_DECISIONS];
  struct sbx_decision decisions[SBX_MAX_DECISIONS];
  struct sbx_step steps[SBX_MAX_STEPS];
  struct sbx_stack stacks[SBX_MAX_STACKS];
  struct sbx_tree tree;     // outlives the runs of a search
};

#pragma GCC visibility push(hidden)

// Whether somebody else can make ready what threads wait for: nobody; somebody who lives; or it may be that the last who could has
// ended, so that time need not stand still for it, but nobody can be sure.
enum { SBX_OUTSIDE_NONE, SBX_OUTSIDE_LIVES, SBX_OUTSIDE_HAS_GONE };

// What a face does for the core.
struct sbx_face {
  void (*sleep)(uint32_t *word, uint32_t expected, uint64_t nanoseconds);  // SBX_NEVER: without limit; may end early
  void (*wake)(uint32_t *word);
  void (*end)(void);                                 // ends the process; the outcome is written
  int (*is_gone)(uint32_t tid);                      // whether that thread of the process is no more
  void (*pause)(void);
  // Polls the descriptors that threads wait for, and reports those that are ready to the core (sbx_arrived). Waits for at most
  // `nanoseconds`. Returns how many.
  int (*scan)(uint64_t nanoseconds);
  int (*waits_outside)(void);                        // whether some are such that somebody else can make them ready: SBX_OUTSIDE_…
  uint64_t (*alarm)(void);                           // the earliest timer of the face's own; SBX_NEVER: none
  void (*fire)(uint64_t now);                        // virtual time has come to `now`
  void (*leave_prelude)(void);                       // the prelude's thread is about to wait
  int (*stack)(uint64_t *frames, int capacity);
  uint64_t (*real_time)(void);
  // The following may be null.
  void (*begins)(void);                              // a new thread has the baton for the first time
  int (*rest)(void);                                 // nobody can go on before time does: whether this made somebody ready
  void (*vanish)(void);                              // the run is over, and its thread is not to go on; does not return
  int (*is_foreign)(uint32_t tid);                   // whether that thread is under no control, and may do what others wait for
  // For a search: what the calling thread has turns of, as pairs of where it says so and the object; how many, or -1: too many. A face
  // that has this also tells what the engine's operations touch.
  int (*turns)(struct sbx_turn *turns, int capacity);
  // Threads that are under no control: takes the wakes that they have called since the last time (sbx_woken_from_outside), and whether
  // one may still come to somebody who waits. `is_last_hope`: nobody can go on, and no time will come.
  void (*take_wakes)(void);
  int (*may_be_woken)(int is_last_hope);
  // Whether runs of one process follow each other: then the allocator may give an object the address of another that has gone, or not.
  int is_reused;
};

extern struct sbx_shared *sbx_state;
extern const struct sbx_face *sbx_face;
extern __thread struct sbx_thread *sbx_self __attribute__((tls_model("initial-exec")));

// --- for a face: all on the calling thread, which has the baton ---

// Begins control: the calling thread becomes number 1 and has the baton. What follows until sbx_begin_run is the prelude: one
// thread, nothing to choose, and the same in all runs.
void sbx_begin(struct sbx_shared *shared, const struct sbx_face *face, uint32_t tid);
// Ends the prelude: from here on the run is as its plan says.
void sbx_begin_run(void);
// What the prelude has left is kept, and put in place again for each run.
size_t sbx_prelude_size(const struct sbx_shared *shared);
void sbx_keep_prelude(const struct sbx_shared *shared, void *kept);
void sbx_restore_prelude(struct sbx_shared *shared, const void *kept);
// The thread may stop here. A later stage may let the caller have another value than memory holds: see README.md.
void sbx_point(uint32_t kind, uint64_t address, uint64_t place);
// The same for a thread that has nothing to do: another goes on if one can.
void sbx_yield(uint32_t kind, uint64_t address, uint64_t place);
// Waits until it is woken or virtual time has come to `deadline`.
enum sbx_wake sbx_wait(uint32_t kind, uint64_t address, uint64_t deadline, uint32_t bits, uint64_t place);
// Waits for descriptors: `scan` decides.
enum sbx_wake sbx_watch(uint64_t deadline, uint64_t place);
void sbx_arrived(struct sbx_thread *thread);
// Wakes threads that wait at the address with a bit of `bits`: all, or the first, or, if several wait, one that is chosen.
int sbx_wake_all(uint64_t address, uint32_t bits);
int sbx_wake_one(uint64_t address, uint32_t bits, uint64_t place);
// Those that wait at `from` wait at `to`: `most` of them. Returns how many.
int sbx_move_waiters(uint64_t from, uint64_t to, int most);
int sbx_waiters(uint64_t address);
// A thread under no control has woken this many.
void sbx_woken_from_outside(uint64_t address, uint32_t bits, int most);
// A thread is about to be made; null if there are too many.
struct sbx_thread *sbx_new_thread(uint64_t place);
void sbx_discard_thread(struct sbx_thread *thread);
// Whether the thread's start is one that fails in this run.
int sbx_start_fails(uint64_t place);
// The new thread's first act; returns when it has the baton.
void sbx_enter(struct sbx_thread *thread, uint32_t tid);
// Its last: another goes on.
void sbx_leave(void);
// Around what may take long and is not seen.
void sbx_go_out(uint64_t place);
void sbx_come_back(void);
// The thread has the baton, or waits until it has.
void sbx_settle(void);
// The object's record, made at first use.
struct sbx_object *sbx_object_at(uint64_t address, uint32_t kind, uint64_t place);
void sbx_owned(uint64_t address, uint32_t kind, uint64_t place);
void sbx_released(uint64_t address);
void sbx_forget(uint64_t address);
// The step under way touches the object at the address; what lies around a word that threads sleep on; more than is known. Only a search
// asks.
void sbx_touch(uint64_t address);
void sbx_touch_word(uint64_t word);
void sbx_touch_all(void);
// The object is at least `extent` bytes long.
void sbx_extend(uint64_t address, uint32_t extent);
// There is no such object any more: what comes to be at its address is another.
void sbx_untouch(uint64_t address);
// Ends the run as a failure.
void sbx_fail(enum sbx_failure failure);
uint64_t sbx_read_clock(void);
// Around an atomic operation on a word (memory.c): before it, whether it is to be noted; after a load, what it returns; after a store
// or an update. `fence_all`: instead of a barrier of all threads.
int sbx_word_before(uint32_t kind, uint64_t address, uint64_t place);
uint64_t sbx_word_loaded(uint32_t order, uint64_t value);
void sbx_word_changed(uint32_t order, uint64_t old, uint64_t fresh, int wrote);
// The kernel has compared the word in which the thread is about to sleep.
void sbx_word_compared(uint64_t value);
void sbx_fence_all(uint64_t place);
// The caller gives memory back: how many words lie there. From now on operations on them are failures; or, if that is not to be seen,
// they are forgotten.
int sbx_words_freed(uint64_t begin, uint64_t size, int is_seen);
uint64_t sbx_random(void);

// Whether the calling thread is under control and not inside the core.
static inline int sbx_is_on(void) { return sbx_self && !sbx_self->is_inside && sbx_state->is_active; }

#pragma GCC visibility pop
#endif
