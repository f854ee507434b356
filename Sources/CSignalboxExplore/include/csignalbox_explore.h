// csignalbox_explore.h: the control core of schedule exploration: what it shares with the command, and what a face calls.
//
// A face is what stands between a program and the core: the preloaded library, or a test in one process. The core knows no
// function of the C library but memory and bytes; a face gives it what it needs of the machine. Protocol: README.md.
#ifndef CSIGNALBOX_EXPLORE_H
#define CSIGNALBOX_EXPLORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

enum {
  SBX_LAYOUT = 1,             // changes with every change of what is shared
  SBX_MAX_THREADS = 1024,     // threads of one run, ended ones included; number 0 is the clock
  SBX_MAX_OBJECTS = 16384,    // objects with a number; those beyond have the number 0
  SBX_MAX_DECISIONS = 65536,  // decisions that are kept; a run that makes more cannot be replayed by them
  SBX_MAX_STEPS = 65536,      // the last so many steps are kept
  SBX_MAX_STACKS = 4096,      // the last so many stacks
  SBX_STACK = 24,             // return addresses of one stack
};

// What a thread is about to do at a point. Swift's text for each is in PointKind.swift.
enum sbx_kind {
  SBX_START = 1, SBX_END, SBX_CREATE, SBX_JOIN, SBX_DETACH,
  SBX_LOCK, SBX_TRYLOCK, SBX_TIMEDLOCK, SBX_UNLOCK,
  SBX_READ_LOCK, SBX_WRITE_LOCK, SBX_RW_UNLOCK, SBX_SPIN_LOCK, SBX_SPIN_UNLOCK,
  SBX_CONDITION_WAIT, SBX_CONDITION_SIGNAL, SBX_CONDITION_BROADCAST,
  SBX_SEMAPHORE_WAIT, SBX_SEMAPHORE_POST, SBX_ONCE, SBX_BARRIER,
  SBX_FUTEX_WAIT, SBX_FUTEX_WAKE, SBX_FUTEX_LOCK, SBX_FUTEX_UNLOCK,
  SBX_SLEEP, SBX_YIELD, SBX_CLOCK, SBX_POLL, SBX_IO, SBX_FILE_LOCK, SBX_FILE_UNLOCK, SBX_OUTSIDE,
  SBX_PICK,           // which of several waiters is woken
  SBX_CHOICE,         // who goes on when the thread that ran cannot
  SBX_ENGINE = 64,    // and above: a primitive of the engine, by its number
};

// How a run ended, or why it is no result.
enum sbx_failure {
  SBX_NONE = 0, SBX_DEADLOCK, SBX_CRASH, SBX_STATUS, SBX_UNFINISHED, SBX_NO_PROGRESS, SBX_RACE, SBX_NONDETERMINISM,
  SBX_STUCK_OUTSIDE = 32,   // it waits for something that is not seen; no failure of the program
  SBX_OVERFLOW,             // more threads than are kept
};

enum sbx_strategy {
  SBX_PLAIN = 0,            // nobody is interrupted: the run without any switch that is not forced
  SBX_RANDOM, SBX_STICKY, SBX_POS, SBX_PCT2, SBX_PCT3, SBX_PCT5, SBX_STRATEGIES
};

enum sbx_flags {
  SBX_HOLD_NEWBORN = 1,     // a new thread does not run until nobody else can
  SBX_API_POINTS = 2,       // operations of the engine are points
  SBX_TIMERS = 4,           // the clock is one more that may go on
  SBX_DETAIL = 8,           // stacks are kept
};

enum sbx_state { SBX_FREE = 0, SBX_READY, SBX_WAITING, SBX_AWAY, SBX_DEAD };
enum sbx_wake { SBX_NOT_WOKEN = 0, SBX_WOKEN, SBX_TIMED_OUT };
enum sbx_go { SBX_STAY = 0, SBX_RUN, SBX_CHOOSE_FOR_OTHERS };

#define SBX_NEVER UINT64_MAX

// One thread under control. `go` is the word it sleeps on while it does not have the baton.
struct sbx_thread {
  uint32_t go, state, number, tid;
  uint32_t points;          // own points so far
  uint32_t woken;
  uint32_t wait_kind, wait_bits;
  uint64_t wait_address, deadline;
  uint64_t order;           // when it began to wait, counted over all
  uint64_t priority;
  uint64_t place;           // of its last point
  uint32_t kind, object;    // of its last point
  uint32_t plan, plan_end;  // which decisions of the replay are its own
  uint32_t turns;           // points in a row while others could run
  uint32_t step;            // its last step
  uint32_t is_newborn, is_watching, is_inside, creator;
  uint64_t create_place;
  uint64_t handle;          // the face's: pthread_t
  uint32_t clock_reads, stack_count;
  char name[32];
  uint64_t stack[SBX_STACK];  // where it waits (SBX_DETAIL)
};

struct sbx_object {
  uint64_t address, first_place, owner_place;
  uint32_t kind, owner;     // the thread that has it; 0: nobody
  uint32_t owner_step;
  uint32_t value;           // the face's
};

// "Thread `thread` before its own point `point`: `next` goes on"; 0 is the clock.
struct sbx_decision {
  uint16_t thread, next;
  uint32_t point;
  uint32_t step;            // where it was made, and the hash of all before
  uint32_t hash;
};

struct sbx_step {
  uint64_t place;
  uint32_t object, hash, own;
  uint16_t thread, next;
  uint8_t kind, flags;      // flags: 1 another thread goes on, 2 the thread could not go on, 4 a decision
  uint16_t ready;           // how many could go on
  uint32_t padding;
};

struct sbx_stack {
  uint32_t step, count;
  uint64_t frames[SBX_STACK];
};

// How one run is to go. Made by sbx_plan_run, or from a token.
struct sbx_run {
  uint64_t seed;
  uint32_t strategy, flags;
  uint32_t is_replay;       // the decisions in `plan` are made, and no others
  uint32_t plan_count;
  uint32_t step_estimate;   // for PCT: how many steps a run has
  uint32_t step_limit;
  int64_t wall;             // seconds since 1970 at its begin
};

struct sbx_outcome {
  uint32_t failure;         // enum sbx_failure
  int32_t status;           // exit status, or the signal
  uint32_t steps, switches, forced;
  uint32_t decisions;       // how many were made; those beyond SBX_MAX_DECISIONS are not kept
  uint32_t divergences;     // decisions of the replay that could not be made
  uint32_t divergence_step; // the first
  uint32_t outside;         // how often something unseen had a hand in it
  uint32_t threads, objects;
  uint32_t hash;
  uint64_t virtual_time;
  uint64_t waiting_word;
};

// What the command asks of the server, and what it is told.
struct sbx_control {
  uint32_t layout, processor;
  uint32_t command;         // enum sbx_command
  uint32_t strategies;      // a bit each, for SBX_EXPLORE; 0: all
  uint64_t first, count, stride, seed;
  struct sbx_run run;       // for SBX_REPLAY
  uint32_t processors;      // how many the program is told there are
  uint32_t stop;            // the command wants no further run
  // Told while it works.
  uint64_t done, stuck, outside;
  uint64_t steps, switches;
  uint64_t processor_time;  // of server and children, nanoseconds
  uint64_t per_strategy[SBX_STRATEGIES];
  uint64_t failed_run;      // the run that `outcome` tells of
  int32_t server, child;
  uint32_t refused;         // why it cannot be explored, or 0: see enum sbx_refusal
  uint32_t padding;
};
enum sbx_command { SBX_EXPLORE = 1, SBX_REPLAY, SBX_FLOOR, SBX_QUIT };
enum sbx_refusal { SBX_CAN = 0, SBX_THREADS_BEFORE_MAIN, SBX_WRONG_LAYOUT };

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
  uint32_t change_count, is_fair, own_decisions, padding;
  uint32_t ready_count, arrivals_seen, take_from, padding2;
  uint64_t ready[SBX_MAX_THREADS / 64], waiting[SBX_MAX_THREADS / 64], arrived[SBX_MAX_THREADS / 64];
  struct sbx_thread threads[SBX_MAX_THREADS];
  struct sbx_object objects[SBX_MAX_OBJECTS];
  struct sbx_decision plan[SBX_MAX_DECISIONS];
  struct sbx_decision decisions[SBX_MAX_DECISIONS];
  struct sbx_step steps[SBX_MAX_STEPS];
  struct sbx_stack stacks[SBX_MAX_STACKS];
};

// What a face does for the core.
struct sbx_face {
  void (*sleep)(uint32_t *word, uint32_t expected, uint64_t nanoseconds);  // SBX_NEVER: without limit; may end early
  void (*wake)(uint32_t *word);
  void (*end)(void);                                 // ends the process; the outcome is written
  int (*is_gone)(uint32_t tid);                      // whether that thread of the process is no more
  void (*pause)(void);
  // Looks at the descriptors that threads wait for, and tells the core of those that are ready (sbx_arrived). Waits for at most so
  // long. Returns how many.
  int (*scan)(uint64_t nanoseconds);
  int (*waits_outside)(void);                        // whether some are such that only somebody else can make them ready
  uint64_t (*alarm)(void);                           // the earliest timer of the face's own; SBX_NEVER: none
  void (*fire)(uint64_t now);                        // virtual time has come to `now`
  int (*stack)(uint64_t *frames, int capacity);
  uint64_t (*real_time)(void);
};

extern struct sbx_shared *sbx_state;
extern const struct sbx_face *sbx_face;
extern __thread struct sbx_thread *sbx_self __attribute__((tls_model("initial-exec")));

// --- for a face: all on the calling thread, which has the baton ---

// Begins a run: the calling thread becomes number 1 and has the baton.
void sbx_begin(struct sbx_shared *shared, const struct sbx_face *face, uint32_t tid);
// Whether the calling thread is under control and not inside the core.
static inline int sbx_is_on(void) { return sbx_self && !sbx_self->is_inside && sbx_state->is_active; }
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
// Those that wait at `from` wait at `to`. At most so many; how many.
int sbx_move_waiters(uint64_t from, uint64_t to, int most);
int sbx_waiters(uint64_t address);
// A thread is about to be made; null if there are too many.
struct sbx_thread *sbx_new_thread(uint64_t place);
void sbx_discard_thread(struct sbx_thread *thread);
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
// Ends the run as a failure.
void sbx_fail(enum sbx_failure failure);
uint64_t sbx_read_clock(void);
uint64_t sbx_random(void);

// --- pure parts ---

uint64_t sbx_hash64(uint64_t value);
// What run number `run` of an exploration is like. The first is the plain one.
void sbx_plan_run(uint64_t run, uint64_t seed, uint32_t strategies, struct sbx_run *out);
const char *sbx_strategy_name(uint32_t strategy);
// Draws the steps of PCT's changes: `count` distinct ones of 1...steps, ascending.
void sbx_draw_changes(uint64_t *random, uint32_t steps, uint32_t count, uint64_t *changes);
// Tokens: numbers of seven bits a byte, and letters of six bits. Each returns the size, or -1 where there is no room or sense.
int sbx_pack(const uint64_t *numbers, int count, uint8_t *bytes, int capacity);
int sbx_unpack(const uint8_t *bytes, int size, uint64_t *numbers, int capacity);
int sbx_spell(const uint8_t *bytes, int size, char *text, int capacity);
int sbx_read_spelling(const char *text, int length, uint8_t *bytes, int capacity);
// Clears what the last run left.
void sbx_reset(struct sbx_shared *shared);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
