// csignalbox_explore_inside.h: the core's face to some threads of a process that goes on beside them.
#ifndef CSIGNALBOX_EXPLORE_INSIDE_H
#define CSIGNALBOX_EXPLORE_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#include "csignalbox_explore.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

// What an explorer gets, on a thread under control.
struct sbx_inside_calls {
  void (*_Nonnull begins)(void);  // a thread has begun
  void (*_Nonnull over)(void);    // the run has failed: the outcome says how
  int (*_Nonnull turns)(struct sbx_turn *_Nonnull turns, int capacity);  // for a search: what the thread has turns of; -1: too many
  int awaits;                     // whether threads outside may do something for the first time: they are given a moment for it
};

// The memory of one exploration; null where the system has none.
struct sbx_shared *_Nullable sbx_inside_make(void);
// Gives it back, after a run that has not failed.
void sbx_inside_free(struct sbx_shared *_Nonnull shared);
// Keeps the calling thread, and those that it will make, on the processor where it runs.
void sbx_inside_pin(void);
// The calling thread comes under control, as the first of a run; the plan is in `sbx_run_of`.
void sbx_inside_begin(struct sbx_shared *_Nonnull shared, const struct sbx_inside_calls *_Nonnull calls);
// Waits until no other thread can go on without time doing so.
void sbx_inside_rest(void);
// How many threads but the caller have not ended.
int sbx_inside_others(struct sbx_shared *_Nonnull shared);
// The others end; then the calling thread is under no control any more.
void sbx_inside_end(void);
// Ends the run as a failure: `over` is called, and the calling thread never goes on.
void sbx_inside_fail(uint32_t failure) __attribute__((noreturn));
// After a failure: the threads of the run end where they are. The memory must not be used for another run.
void sbx_inside_abandon(struct sbx_shared *_Nonnull shared);
// Changes with each step and each run.
uint32_t sbx_inside_progress(const struct sbx_shared *_Nonnull shared);
// Another thread is to choose, since the holder sleeps in something unseen.
void sbx_inside_take_over(struct sbx_shared *_Nonnull shared);
// Whether the thread that has the baton sleeps in the kernel, but not because it has nothing to do.
int sbx_inside_is_stuck(struct sbx_shared *_Nonnull shared);
// A point of the engine's. Does nothing on a thread that is under no control.
void sbx_inside_point(uint32_t primitive, uint64_t object, uint64_t place);
// For a search: the object is an instance of a Swift class; the calling thread, which may be under no control, is about to do something
// to an object; to a word that others sleep on; there is no such object any more.
void sbx_inside_instance(uint64_t object);
void sbx_inside_touch(uint64_t object);
void sbx_inside_touch_word(uint64_t word);
void sbx_inside_touch_all(void);
void sbx_inside_gone(uint64_t object);
// From now on each step of a search is taken to touch all.
void sbx_inside_blunt(struct sbx_shared *_Nonnull shared);
// What a run has begun: groups that were entered and left, by address, and queues that are stopped.
struct sbx_inside_group {
  uint64_t address;
  int64_t count;
  char name[48];
};
static inline const char *_Nonnull sbx_inside_group_name(const struct sbx_inside_group *_Nonnull group) { return group->name; }
void sbx_inside_forget_leftovers(void);
// Whether the group was entered and has no name yet.
int sbx_inside_enters(uint64_t group, int64_t change);
void sbx_inside_name_group(uint64_t group, const char *_Nonnull name);
const struct sbx_inside_group *_Nullable sbx_inside_group_at(uint32_t index);
void sbx_inside_stop(uint64_t queue, int is_stopped);
uint64_t sbx_inside_stopped_at(uint32_t index);
// What the run's threads belong to, kept where the thread sanitizer does not see it.
void sbx_inside_keep(void *_Nonnull engine);
void *_Nonnull sbx_inside_kept(void);
// A thread under no control is to wake whoever sleeps on the word.
void sbx_inside_expect(uint64_t word);
// From now on each step of the search that is under way, if one is, is taken to touch all.
void sbx_inside_blunt_here(void);
// Whether the program has the thread sanitizer; and how many races it has reported on threads under control.
int sbx_inside_is_sanitized(void);
uint32_t sbx_inside_races(void);
// Whether the calling thread is under control.
int sbx_inside_is_on(void);
// Virtual nanoseconds since the run's begin.
uint64_t sbx_inside_now(struct sbx_shared *_Nonnull shared);
// Operations on the engine's words, as ExploreControl (SignalboxSystem) describes them; `unseen` says that the calling thread's are no
// points from now on.
int sbx_inside_word_before(uint32_t point, const void *_Nonnull word, uint32_t width, uint32_t order);
uint64_t sbx_inside_word_loaded(const void *_Nonnull word, uint32_t width, uint32_t order, uint64_t value);
void sbx_inside_word_changed(
    const void *_Nonnull word, uint32_t width, uint32_t order, uint64_t old, uint64_t fresh, int wrote);
int sbx_inside_park(const void *_Nonnull word, uint32_t expected, uint64_t deadline, int is_wall, uint32_t bits);
int sbx_inside_park_wake(const void *_Nonnull word, int most, uint32_t bits);
int sbx_inside_fence(void);
void sbx_inside_unseen(int is_unseen);
// After a run: what its threads gave back while it was kept.
void sbx_inside_give_back(void);
// What the calling thread does until it calls this again with 0 is under no control, and makes no thread that is.
void sbx_inside_suspend(int suspends);
// From now on jobs of Swift's tasks that threads under control enqueue are given to `taker`: for the main executor or not, and after
// this many nanoseconds of virtual time; and functions that they submit to the toolchain's library to `now` and `later`. Once.
void sbx_inside_take_jobs(
    void (*_Nonnull taker)(void *_Nonnull job, int is_main, uint64_t delay),
    void (*_Nonnull now)(int is_main, void *_Nullable context, void (*_Nonnull work)(void *_Nullable)),
    void (*_Nonnull later)(uint64_t when, void *_Nullable context, void (*_Nonnull work)(void *_Nullable)));
void sbx_inside_run_job(void *_Nonnull job, int is_main);
// Until the next call of the other: a crash of a thread under control tells the schedule, by its place, and adds it to a file; an
// empty name: to none.
void sbx_inside_catch(const char *_Nonnull place, const char *_Nonnull folder, const char *_Nonnull file);
void sbx_inside_catch_no_more(void);
// Sleeps while the word has the value, for at most `nanoseconds`; wakes all that do. Of the kernel, whoever calls.
void sbx_inside_sleep(uint32_t *_Nonnull word, uint32_t value, uint64_t nanoseconds);
void sbx_inside_wake(uint32_t *_Nonnull word);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
