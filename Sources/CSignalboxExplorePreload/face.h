// face.h: what the parts of the preloaded library share: the real functions below ours, and the way in.
#ifndef CSIGNALBOX_EXPLORE_FACE_H
#define CSIGNALBOX_EXPLORE_FACE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "layout.h"

// What a program is to find in place of the C library's. All else is hidden.
#define EXPORT __attribute__((visibility("default")))
#define PLACE ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define KEY(pointer) ((uint64_t)(uintptr_t)(pointer))
#define LIKELY(x) __builtin_expect(!!(x), 1)

#pragma GCC visibility push(hidden)

// The function of that name that comes next in the loader's order.
void *sbx_next(const char *name, const char *version);
// Those that are wanted somewhere lie in a part of the library of their own, and all are looked up before the first run begins: a run
// would have to do it anew each time.
struct sbx_real { const char *name, *version; void *function; };
void sbx_find_real(void);
#define REAL_NAMED(type, name, version) \
  ({ \
    static struct sbx_real real_one __attribute__((section("sbx_real"), used)) = {name, version, 0}; \
    if (!real_one.function) real_one.function = sbx_next(name, version); \
    (type)real_one.function; \
  })
#define REAL_VERSION(name, version) REAL_NAMED(__typeof__(&name), #name, version)
#define REAL(name) REAL_VERSION(name, 0)

// A system call, not through the `syscall` that the program sees.
long sbx_call(long number, long a, long b, long c, long d, long e, long f);
#define CALL(number, a, b, c, d, e, f) sbx_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

// Whether the code at the place belongs to a library whose locks are no points: what they guard is its own. It is the runtime's, or
// what runs tests.
enum { SBX_LOUD = 0, SBX_QUIET_RUNTIME, SBX_QUIET_TESTS };
int sbx_is_quiet(uint64_t place);
static inline int is_on(void) { return LIKELY(sbx_self != 0) && sbx_is_on(); }
static inline void point(uint32_t kind, const void *object, uint64_t place) {
  if (!sbx_is_quiet(place)) sbx_point(kind, KEY(object), place);
  else sbx_settle();
}

// Virtual time as each clock shows it, and back. A deadline in the past is 0.
uint64_t sbx_time_of(clockid_t clock, uint64_t now);
uint64_t sbx_deadline(clockid_t clock, const struct timespec *absolute);
uint64_t sbx_after(const struct timespec *span);
int sbx_is_time(const struct timespec *time);

// timers.c
uint64_t sbx_next_alarm(void);
void sbx_fire_alarms(uint64_t now);
int sbx_timer_read(int descriptor, void *buffer, size_t count, ssize_t *result);
int sbx_is_timer(int descriptor);
// Whether handlers of signals may run now, on the thread that has the baton and while it is inside the core.
extern int sbx_is_signalling;
// descriptors.c
int sbx_scan(uint64_t nanoseconds);
int sbx_waits_outside(void);
// Who can make a descriptor ready, the surest first: this process alone; those too that it has started; besides them whoever may connect;
// anybody.
enum { SBX_INNER, SBX_INHERITED, SBX_LISTENING, SBX_OUTER };
int sbx_kind_of(int descriptor);
void sbx_note_socket(int descriptor);
void sbx_io_changed(void);
// numbers.c
void sbx_number_run(int before, int now);
void sbx_forget_numbers(void);
int sbx_real_number(int number);
// The main thread's number as the C library keeps it: noted before the forks, put back in each run, and told to the kernel at its end.
void sbx_keep_main_thread(void);
void sbx_restore_main_thread(void);
void sbx_main_thread_ends(void);
int sbx_main_thread_is_gone(void);
// A word of a lock in which the kernel has written a number.
void sbx_show_number(uint32_t *word);
int sbx_set_name(pthread_t thread, const char *name);
// futexes.c: a process in which only some threads are under control: what the others have to do with them; null: there are no others.
struct sbx_foreign {
  int (*waits)(const void *word);  // a thread under control is about to wait; a mark of that
  void (*waits_no_more)(int mark);
  void (*woke)(void);             // a thread under control has woken some that are not
  void (*wakes)(const void *word, uint32_t most, uint32_t bits);  // one that is not calls this, before it wakes
};
extern const struct sbx_foreign *sbx_foreign;
// futexes.c: how many threads that are under no control sleep in the kernel, by their words or conditions: several share a count
uint32_t *sbx_asleep_at(const void *word);
// locks.c: `pthread_mutex_trylock`, but EBUSY only if a thread under control has it
int sbx_try_mutex(pthread_mutex_t *mutex, uint64_t place);
// whether the thread, which has just given it back, has it still: it is a recursive one
int sbx_still_has(const pthread_mutex_t *mutex);
// holder.c: whether the thread sleeps in the kernel; another one chooses in place of a holder who sleeps in something unseen, if there is one
int sbx_is_asleep(int process, uint32_t thread);
// whether a thread of the process computes, or would if a processor were free
int sbx_any_runs(int process);
// A small file's text, ended by a zero byte; the count of its bytes, 0 if it cannot be read.
long sbx_read_text(const char *path, char *text, size_t size);
// The processor time, in the kernel's ticks, that the processes below this one have used; their number comes into it, so that one that
// has just begun, or ended, changes it too.
uint64_t sbx_work_below(int process);
// The processor time that it and these have used, in milliseconds.
uint64_t sbx_time_used(int process);
// Whether a process that this one has started has not ended yet. Allocates nothing.
int sbx_has_living_children(void);
void sbx_take_over(struct sbx_shared *shared);
// crash.c of a test's exploration: the schedule so far, on standard error, and saved
void sbx_inside_tell(const char *what, int number);
// server.c: the program is about to do what the runs must not share: each begins here
void sbx_fork_here(void);
static inline void fork_here(void) { if (sbx_self && sbx_state->is_prelude) sbx_fork_here(); }

#pragma GCC visibility pop
#endif
