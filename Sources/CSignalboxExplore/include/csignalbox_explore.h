// csignalbox_explore.h: the control core of schedule exploration: what it shares with the command, and its pure parts. What a face
// calls is in layout.h.
#ifndef CSIGNALBOX_EXPLORE_H
#define CSIGNALBOX_EXPLORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

enum {
  SBX_LAYOUT = 4,             // changes with every change of what is shared
  SBX_MAX_THREADS = 1024,     // threads of one run, ended ones included; number 0 is the clock
  SBX_MAX_OBJECTS = 16384,    // objects with a number; those beyond have the number 0
  SBX_MAX_DECISIONS = 65536,  // decisions that are kept; a run that makes more cannot be replayed by them
  SBX_MAX_STEPS = 65536,      // the last this many steps are kept
  SBX_MAX_STACKS = 4096,      // the last this many stacks
  SBX_STACK = 24,             // return addresses of one stack
  SBX_MAX_NODES = 65536,      // places of one schedule at which an exhaustive search chooses
  SBX_MAX_SLEEPERS = 65536,   // threads that sleep at all of these
  SBX_MAX_TOUCHED = 24,       // objects that one step touches; one that touches more is taken to touch all
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
  SBX_FAULT,          // whether what the thread is about to ask of the system fails
  // Words of the engine, in a build with the trait Explore.
  SBX_ATOMIC_LOAD, SBX_ATOMIC_STORE, SBX_ATOMIC_UPDATE,
  SBX_PARK, SBX_PARKED, SBX_PARK_WAKE,  // about to sleep on a word; asleep there, or woken; about to wake others
  SBX_FENCE_ALL,      // a barrier of all threads
  SBX_STALE,          // which of several stores a load returns
  SBX_ENGINE = 64,    // and above: an event of the engine, by the number of its kind (EventKind.swift in SignalboxWords)
  SBX_ENGINE_ITEM = SBX_ENGINE + 3,  // an item of a queue is about to run
  SBX_ENGINE_ACTOR = SBX_ENGINE + 88,  // a task goes over to an actor
};

// How a run ended, or why it is no result.
enum sbx_failure {
  SBX_NONE = 0, SBX_DEADLOCK, SBX_CRASH, SBX_STATUS, SBX_UNFINISHED, SBX_NO_PROGRESS, SBX_RACE, SBX_NONDETERMINISM, SBX_ERROR,
  SBX_FREED,                // an atomic operation on memory that was given back; `status`: by which thread
  SBX_STUCK_OUTSIDE = 32,   // it waits for something that is not seen; no failure of the program
  SBX_OVERFLOW,             // more threads than are kept
  SBX_CUT,                  // an exhaustive search: it would only repeat another schedule
};

enum sbx_strategy {
  SBX_PLAIN = 0,            // nobody is interrupted: the run without any switch that is not forced
  SBX_RANDOM, SBX_STICKY, SBX_POS, SBX_PCT2, SBX_PCT3, SBX_PCT5,
  SBX_EXHAUSTIVE,           // all of them, one after the other
  SBX_STRATEGIES
};
// Beside the strategies that are wanted: some runs have SBX_FAULTS.
#define SBX_WITH_FAULTS (1u << 31)

enum sbx_flags {
  SBX_HOLD_NEWBORN = 1,     // a new thread does not run until nobody else can
  SBX_API_POINTS = 2,       // operations of the engine are points
  SBX_TIMERS = 4,           // the clock is one more that may go on
  SBX_DETAIL = 8,           // stacks are kept
  SBX_SPURIOUS = 16,        // waits on conditions may end for no reason
  SBX_FAULTS = 8192,        // one start of a thread may fail
  SBX_ATOMICS = 32,         // atomic operations of the engine are points (trait Explore)
  SBX_STALE_READS = 64,     // their loads may return older values than the newest
  SBX_STILL = 128,          // time does not go on when nobody can: that is a deadlock
  // The engine's operations with less than they ask for: to see that what explores them finds it.
  SBX_WEAK_RELEASES = 256, SBX_WEAK_ACQUIRES = 512, SBX_WEAK_SEQ_CST = 1024, SBX_WEAK_FENCES = 2048, SBX_WEAK_WAKES = 4096,
  SBX_KEPT = 4096 * 2 - 32 + SBX_API_POINTS + SBX_FAULTS,  // what a replay needs besides the decisions
};

// Memory orders, by the compiler's numbers.
enum sbx_order { SBX_RELAXED = 0, SBX_ACQUIRE = 2, SBX_RELEASE, SBX_ACQ_REL, SBX_SEQ_CST };

enum sbx_state { SBX_FREE = 0, SBX_READY, SBX_WAITING, SBX_AWAY, SBX_DEAD };
enum sbx_wake { SBX_NOT_WOKEN = 0, SBX_WOKEN, SBX_TIMED_OUT };
enum sbx_go { SBX_STAY = 0, SBX_RUN, SBX_CHOOSE_FOR_OTHERS, SBX_VANISH };

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
  uint64_t place, address;  // of its last point
  uint32_t kind, object;    // of its last point
  uint32_t plan, plan_end;  // which decisions of the replay are its own
  uint32_t turns;           // points in a row while others could run
  uint32_t step;            // its last step
  uint32_t is_newborn, is_watching, is_inside, creator;
  uint64_t create_place;
  uint64_t handle;          // the face's: pthread_t
  uint64_t record;          // where this is in the program: waits for the thread's end are on that address
  uint32_t clock_reads, stack_count;
  uint32_t is_unseen, padding;  // its operations on words are no points
  uint32_t series, timeouts; // how often its wait has timed out in the present series of such
  uint32_t awaits_end;      // about to wait for another's end, without limit
  uint64_t engine_word;     // what the engine was last about to sleep on or to wake
  char name[32];
  uint64_t stack[SBX_STACK];  // where it waits (SBX_DETAIL)
};

struct sbx_object {
  uint64_t address, first_place, owner_place;
  uint32_t kind, owner;     // the thread that has it; 0: nobody
  uint32_t owner_step;
  uint32_t value;           // the face's
};

// "Thread `thread` before its own point `point`: `next` goes on"; 0 is the clock. At a load: how many stores older than the newest.
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
  uint8_t kind, flags;      // flags: 1 another thread goes on, 2 the thread could not go on, 4 a decision,
                            // 8 whoever goes on is woken for no reason
  uint16_t ready;           // how many could go on
  uint32_t order;           // of an atomic operation: enum sbx_order, and the value that it read or wrote
  uint64_t value;
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
  uint32_t outside;         // how often something unseen affected it
  uint32_t threads, objects;
  uint32_t hash;
  uint64_t virtual_time;
  uint64_t waiting_word;
  uint32_t vain_steps;      // how many of the last were nothing but waits that timed out and began anew
  uint32_t is_computing;    // SBX_STUCK_OUTSIDE: it does not wait, but makes no step
};

// What the command asks of the server, and what it answers.
struct sbx_control {
  uint32_t layout, processor;
  uint32_t command;         // enum sbx_command
  uint32_t strategies;      // a bit each, for SBX_EXPLORE; 0: all; and SBX_WITH_FAULTS
  uint64_t first, count, stride, seed;
  struct sbx_run run;       // for SBX_REPLAY
  uint32_t processors;      // how many the program sees
  uint32_t stop;            // the command wants no further run
  // Told while it works.
  uint64_t done, stuck, outside;
  uint64_t steps, switches;
  uint64_t processor_time;  // of server and children, nanoseconds
  uint64_t per_strategy[SBX_STRATEGIES];
  uint64_t failed_run;      // the run that `outcome` is of
  int32_t server, child;
  uint32_t refused;         // why it cannot be explored, or 0: see enum sbx_refusal
  uint32_t is_early;        // runs begin at `main`, not before the first thread
  uint64_t cut;             // runs that an exhaustive search cut short
  uint32_t is_complete;     // there is no schedule left
  uint32_t padding;
};
enum sbx_command { SBX_EXPLORE = 1, SBX_REPLAY, SBX_FLOOR, SBX_QUIT, SBX_FREE_RUN };
// SBX_NEEDS_EARLY: it has opened files before its first thread, so it is to be run from its `main` on each time.
enum sbx_refusal { SBX_CAN = 0, SBX_THREADS_BEFORE_MAIN, SBX_WRONG_LAYOUT, SBX_NEEDS_EARLY };

// A turn of a queue's that a thread has: the place in its stack that says so, and the queue.
struct sbx_turn { uint64_t frame, object; };

// The whole of it: layout.h. Swift reads it through the functions below.
struct sbx_shared;

// --- pure parts ---

uint64_t sbx_hash64(uint64_t value);
// What run number `run` of an exploration is like. The first is the plain one.
void sbx_plan_run(uint64_t run, uint64_t seed, uint32_t strategies, struct sbx_run *_Nonnull out);
const char *_Nonnull sbx_strategy_name(uint32_t strategy);
// Draws the steps of PCT's changes: `count` distinct ones of 1...steps, ascending.
void sbx_draw_changes(uint64_t *_Nonnull random, uint32_t steps, uint32_t count, uint64_t *_Nonnull changes);
// Tokens: numbers of seven bits a byte, and letters of six bits. Each returns the size, or -1 where there is no room or sense.
int sbx_pack(const uint64_t *_Nonnull numbers, int count, uint8_t *_Nonnull bytes, int capacity);
int sbx_unpack(const uint8_t *_Nonnull bytes, int size, uint64_t *_Nonnull numbers, int capacity);
int sbx_spell(const uint8_t *_Nonnull bytes, int size, char *_Nonnull text, int capacity);
int sbx_read_spelling(const char *_Nonnull text, int length, uint8_t *_Nonnull bytes, int capacity);

// An exhaustive search. A step touches objects, by their numbers, or one of these. With SBX_READS besides, it changes nothing there.
enum { SBX_TOUCHES_NOTHING = 0, SBX_TOUCHES_THREADS = 0xfffffffe, SBX_TOUCHES_ALL = 0xffffffff, SBX_READS = 0x10000 };
// What a step has touched, as it is kept beyond the run: objects that had a number when it began, a bit each (several may share one),
// and whether there were others, which have another number in each run.
struct sbx_footprint {
  uint64_t changed, read;
  uint32_t known;                 // the highest number that there was when the step began
  uint8_t changed_new, read_new;
  uint16_t thread;
};
struct sbx_node {
  uint64_t enabled, done, sleep;  // who could go on, who was tried, who slept when the place was first come to: a bit each
  uint32_t chosen;
  uint32_t picks;                 // how many waiters there are to choose from; 0: threads are chosen
  uint32_t hash;                  // of all that has happened before
  uint32_t sleepers;              // where the footprints of `done` begin
  struct sbx_footprint step;      // what the chosen thread's step has touched
};
struct sbx_tree {
  uint32_t depth, at;             // nodes of the path, and how many of them the run has come to
  uint32_t is_partial;            // not all schedules are searched: the path is too long, or not the same each time
  uint32_t is_blunt;              // each step is taken to touch all
  // The step under way: the place that it was chosen at, or none; and what it has touched so far.
  uint32_t node, known, touched_count, touches_all;
  uint32_t touched[SBX_MAX_TOUCHED];
  uint32_t hash, sleeper_count;
  uint64_t sleep;                 // who sleeps now
  struct sbx_footprint asleep[64];
  struct sbx_node nodes[SBX_MAX_NODES];
  struct sbx_footprint sleepers[SBX_MAX_SLEEPERS];
};
// What the step touches by itself that comes after a point of that kind, at that object.
uint32_t sbx_footprint(uint32_t kind, uint32_t object);
int sbx_depend(uint32_t one, uint32_t other);
// A run begins: it follows the path.
void sbx_tree_begin(struct sbx_tree *_Nonnull tree);
// The step under way touches this.
void sbx_tree_touch(struct sbx_tree *_Nonnull tree, uint32_t object);
// The step under way is over. Who of those that can goes on (a bit each; bit 0 is the clock), `known` being the highest number of an
// object so far; -1: the run would only repeat another.
int sbx_tree_choose(struct sbx_tree *_Nonnull tree, uint64_t enabled, uint32_t known, uint32_t usual);
// Which of this many waiters is woken.
int sbx_tree_pick(struct sbx_tree *_Nonnull tree, uint32_t count);
// The run is over: the next schedule's path; 0 if there is none.
int sbx_tree_advance(struct sbx_tree *_Nonnull tree);
// How much of the tree the schedules so far are, by the places of the path: from 0 to 1.
double sbx_tree_progress(const struct sbx_tree *_Nonnull tree);

// Clears what the last run left.
void sbx_reset(struct sbx_shared *_Nonnull shared);

// --- for the command: what is shared, by its parts ---

size_t sbx_shared_size(void);
struct sbx_control *_Nonnull sbx_control_of(struct sbx_shared *_Nonnull shared);
struct sbx_outcome *_Nonnull sbx_outcome_of(struct sbx_shared *_Nonnull shared);
struct sbx_run *_Nonnull sbx_run_of(struct sbx_shared *_Nonnull shared);
struct sbx_tree *_Nonnull sbx_tree_of(struct sbx_shared *_Nonnull shared);
struct sbx_thread *_Nonnull sbx_thread_at(struct sbx_shared *_Nonnull shared, uint32_t number);
struct sbx_object *_Nonnull sbx_object_numbered(struct sbx_shared *_Nonnull shared, uint32_t number);
struct sbx_decision *_Nonnull sbx_decisions_of(struct sbx_shared *_Nonnull shared);
struct sbx_decision *_Nonnull sbx_plan_of(struct sbx_shared *_Nonnull shared);
// The step with that number, and its stack; null if it is no longer kept.
struct sbx_step *_Nullable sbx_step_at(struct sbx_shared *_Nonnull shared, uint32_t number);
struct sbx_stack *_Nullable sbx_stack_at(struct sbx_shared *_Nonnull shared, uint32_t number);
// The thread whose end is waited for at the address, and the object that is there: a number, or 0.
uint32_t sbx_thread_named_by(struct sbx_shared *_Nonnull shared, uint64_t address);
uint32_t sbx_object_named_by(struct sbx_shared *_Nonnull shared, uint64_t address);
static inline const uint64_t *_Nonnull sbx_frames(const struct sbx_stack *_Nonnull stack) { return stack->frames; }
static inline const uint64_t *_Nonnull sbx_wait_frames(const struct sbx_thread *_Nonnull thread) { return thread->stack; }
static inline const char *_Nonnull sbx_thread_name(const struct sbx_thread *_Nonnull thread) { return thread->name; }

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
