// server.c: the fork server. The program stops before its `main`; each run is a child of it, made when everything is loaded.
#include "face.h"

#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "csignalbox_explore_preload.h"

extern const struct sbx_face sbx_preload_face;
void sbx_find_quiet(void);
void sbx_watch_thread_end(void);
void sbx_has_children(void);
void sbx_fix_addresses(void);
void sbx_note_main_stack(void);
void sbx_find_farewells(void);
void (*sbx_at_loader_end(void (*real)(void)))(void);

// SIGNALBOX_EXPLORE_SERVER=COMMANDS,ANSWERS,MEMORY: three descriptors.
static int commands = -1, answers = -1;
static struct sbx_shared *shared;

__attribute__((constructor)) static void load(void) {
  const char *text = getenv("SIGNALBOX_EXPLORE_SERVER");
  int memory;
  if (!text || sscanf(text, "%d,%d,%d", &commands, &answers, &memory) != 3) return;
  if (getenv("SIGNALBOX_EXPLORE_MOVES")) sbx_fix_addresses();
  void *mapped = mmap(0, sizeof(struct sbx_shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  REAL(close)(memory);
  if (mapped == MAP_FAILED) return;
  shared = mapped;
  sbx_state = shared;
  fcntl(commands, F_SETFD, FD_CLOEXEC);
  fcntl(answers, F_SETFD, FD_CLOEXEC);
  // Programs that the program starts are no part of this.
  unsetenv("SIGNALBOX_EXPLORE_SERVER");
  unsetenv("SIGNALBOX_EXPLORE_MOVES");
  unsetenv("LD_PRELOAD");
  unsetenv("LD_BIND_NOW");
}

// On one of the processors that it may use.
static void pin(void) {
  cpu_set_t allowed, one;
  CPU_ZERO(&allowed);
  CPU_ZERO(&one);
  CALL(SYS_sched_getaffinity, 0, sizeof allowed, &allowed, 0, 0, 0);
  uint32_t left = shared->control.processor % (CPU_COUNT(&allowed) ? (uint32_t)CPU_COUNT(&allowed) : 1);
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (!CPU_ISSET(i, &allowed) || left--) continue;
    CPU_SET(i, &one);
    break;
  }
  CALL(SYS_sched_setaffinity, 0, sizeof one, &one, 0, 0, 0);
}

static int (*program_main)(int, char **, char **);

static int count_threads(void) {
  struct stat status;
  return stat("/proc/self/task", &status) == 0 ? (int)status.st_nlink - 2 : 1;
}

// One descriptor more than are open: that of the folder.
static int count_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  int count = 0;
  while (folder && readdir(folder)) count++;
  if (folder) closedir(folder);
  return count;
}
static int descriptors_before;

static void answer(void) {
  char byte = 1;
  while (CALL(SYS_write, answers, &byte, 1, 0, 0, 0) == -EINTR) {}
}

static uint64_t processor_time(void) {
  struct rusage own, children;
  CALL(SYS_getrusage, RUSAGE_SELF, &own, 0, 0, 0, 0);
  CALL(SYS_getrusage, RUSAGE_CHILDREN, &children, 0, 0, 0, 0);
  uint64_t seconds = (uint64_t)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec);
  uint64_t micros = (uint64_t)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec + children.ru_stime.tv_usec);
  return seconds * 1000000000 + micros * 1000;
}

// --- waiting for a run's end ---

enum { SCAN_PERIOD = 50, PATIENCE = 1000, COMPUTING_PATIENCE = 10000 };  // milliseconds
// Who computes on a machine that is busy with other things is given up when it has had half of that, and after a minute.
static int has_computed(int child, int still, uint64_t before) {
  if (still < COMPUTING_PATIENCE || (still % PATIENCE && still < 6 * COMPUTING_PATIENCE)) return 0;
  return still >= 6 * COMPUTING_PATIENCE || (int64_t)(sbx_time_used(child) - before) >= COMPUTING_PATIENCE / 2;
}

// Waits for the child's end; kills one that is stuck where nobody sees it. Returns 0 then. It is not stuck yet while a process that it
// has started works.
static int await_child(int child, int *status) {
  struct sbx_shared *s = shared;
  int handle = (int)CALL(SYS_pidfd_open, child, 0, 0, 0, 0, 0);
  uint32_t last = ~0u;
  int still = 0, idle = 0, lived = 1;
  uint64_t work = 0, used = 0;
  while (handle >= 0) {
    struct pollfd one = {handle, POLLIN, 0};
    struct timespec period = {0, SCAN_PERIOD * 1000000};
    if (CALL(SYS_ppoll, &one, 1, &period, 0, 8, 0) > 0) break;
    uint32_t steps = __atomic_load_n(&s->outcome.steps, __ATOMIC_RELAXED);
    if (steps != last && !s->control.stop) { last = steps; still = idle = 0; continue; }
    still += SCAN_PERIOD;
    idle += SCAN_PERIOD;
    uint32_t holder = s->holder;
    int asleep = holder && sbx_is_asleep(child, holder == 1 ? (uint32_t)child : s->threads[holder].tid);
    if (asleep && !s->is_idle && still == 2 * SCAN_PERIOD) sbx_take_over(s);
    if (still == 2 * SCAN_PERIOD) used = sbx_time_used(child);
    int is_waiting = asleep || s->is_idle;
    if (is_waiting && still % (PATIENCE / 2) == 0) {
      uint64_t now = sbx_work_below(child);
      if (now != work) idle = 0;
      work = now;
    }
    // On a busy machine a thread that is about to end, or to go on, may not have had a processor yet.
    if (is_waiting && idle >= PATIENCE && still < COMPUTING_PATIENCE && sbx_any_runs(child)) idle -= SCAN_PERIOD;
    if ((is_waiting && idle >= PATIENCE) || has_computed(child, still, used) || s->control.stop) {
      lived = 0;
      s->outcome.is_computing = !asleep && !s->is_idle;
      kill(child, SIGKILL);
      break;
    }
  }
  if (handle >= 0) REAL(close)(handle);
  while (CALL(SYS_wait4, child, status, 0, 0, 0, 0) == -EINTR) {}
  return lived;
}

// --- one run ---

// What the runs are measured for: nothing but the fork and its end; the program, let go with nobody in control.
static int is_floor, is_free;
// What the prelude has left in shared memory, and has written.
static void *prelude;
static long output_before;

// In the child: from here on the program runs as the run's plan says.
static void begin_child(void) {
  REAL(close)(commands);
  REAL(close)(answers);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (is_floor) CALL(SYS_exit_group, 0, 0, 0, 0, 0, 0);
  sbx_number_run((int)sbx_self->tid, (int)CALL(SYS_gettid, 0, 0, 0, 0, 0, 0));
  sbx_restore_main_thread();
  if (is_free) { sbx_self = 0; return; }
  sbx_self->is_inside = 0;
  sbx_begin_run();
}

static void reset(void) {
  sbx_reset(shared);
  sbx_restore_prelude(shared, prelude);
}

// Returns 1 in the child.
static int run_once(void) {
  struct sbx_shared *s = shared;
  // What the program writes lies in a file of this server's, which begins anew.
  CALL(SYS_ftruncate, 1, output_before, 0, 0, 0, 0);
  // Without the program's fork handlers: to it, no fork has happened.
  pid_t (*fork_bare)(void) = REAL_NAMED(pid_t(*)(void), "_Fork", 0);
  int child = (int)(fork_bare ? fork_bare() : REAL(fork)());
  if (child == 0) return 1;
  s->control.child = child;
  int status = 0;
  int lived = child > 0 ? await_child(child, &status) : 0;
  s->control.child = 0;
  struct sbx_outcome *outcome = &s->outcome;
  if (outcome->failure == SBX_NONE && !is_floor) {
    outcome->threads = s->thread_count;
    outcome->objects = s->object_count;
    outcome->virtual_time = s->now;
    outcome->hash = s->hash;
    if (!lived) { outcome->failure = SBX_STUCK_OUTSIDE; outcome->status = (int32_t)s->holder; }
    else if (WIFSIGNALED(status)) { outcome->failure = SBX_CRASH; outcome->status = WTERMSIG(status); }
    else if (WEXITSTATUS(status)) { outcome->failure = SBX_STATUS; outcome->status = WEXITSTATUS(status); }
  }
  return 0;
}

static int is_failure(void) { return shared->outcome.failure != SBX_NONE && shared->outcome.failure < SBX_STUCK_OUTSIDE; }

static int explore(void) {
  struct sbx_shared *s = shared;
  struct sbx_control *control = &s->control;
  for (uint64_t i = 0; i < control->count && !control->stop; i++) {
    uint64_t run = control->first + i * control->stride;
    reset();
    sbx_plan_run(run, control->seed, control->strategies, &s->run);
    s->run.step_limit = control->run.step_limit;
    s->run.wall = control->run.wall;
    s->run.step_estimate = control->run.step_estimate;
    sbx_tree_begin(&s->tree);
    if (run_once()) return 1;
    int is_stuck = s->outcome.failure == SBX_STUCK_OUTSIDE || s->outcome.failure == SBX_OVERFLOW;
    // Cut off because nobody wants it any more: it counts as not run.
    if (is_stuck && control->stop) break;
    // What a step that failed would have touched besides is not known.
    if (s->outcome.failure != SBX_NONE && s->outcome.failure != SBX_CUT) sbx_tree_touch(&s->tree, SBX_TOUCHES_ALL);
    if (s->run.strategy == SBX_EXHAUSTIVE && !sbx_tree_advance(&s->tree)) control->is_complete = 1;
    if (s->outcome.failure == SBX_CUT) control->cut++;
    control->done++;
    control->steps += s->outcome.steps;
    control->switches += s->outcome.switches;
    if (s->outcome.failure != SBX_CUT) control->per_strategy[s->run.strategy]++;
    if (s->outcome.outside) control->outside++;
    control->stuck += (uint64_t)is_stuck;
    control->failed_run = run;
    if (is_failure() || is_stuck || control->is_complete) break;
  }
  return 0;
}

// Returns in each child, and never in the server.
static void serve(void) {
  struct sbx_shared *s = shared;
  struct sbx_control *control = &s->control;
  control->server = (int32_t)CALL(SYS_getpid, 0, 0, 0, 0, 0, 0);
  if (!control->refused && count_descriptors() != descriptors_before) control->refused = SBX_NEEDS_EARLY;
  answer();
  for (;;) {
    char byte;
    long count = CALL(SYS_read, commands, &byte, 1, 0, 0, 0);
    if (count == -EINTR) continue;
    if (count <= 0 || control->command == SBX_QUIT) CALL(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    is_floor = control->command == SBX_FLOOR;
    is_free = control->command == SBX_FREE_RUN;
    control->done = control->stuck = control->outside = control->steps = control->switches = control->cut = 0;
    memset(control->per_strategy, 0, sizeof control->per_strategy);
    uint64_t before = processor_time();
    if (control->command == SBX_EXPLORE) {
      if (explore()) return;
    } else {
      for (uint64_t i = 0; i < (is_floor || is_free ? control->count : 1); i++) {
        reset();
        s->run = control->run;
        if (run_once()) return;
        control->done++;
      }
    }
    control->processor_time = processor_time() - before;
    answer();
  }
}

// Each run begins here.
void sbx_fork_here(void) {
  struct sbx_shared *s = shared;
  if (!s || !s->is_prelude) return;
  sbx_self->is_inside = 1;
  prelude = mmap(0, sbx_prelude_size(s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prelude == MAP_FAILED) CALL(SYS_exit_group, 1, 0, 0, 0, 0, 0);
  sbx_keep_prelude(s, prelude);
  output_before = CALL(SYS_lseek, 1, 0, SEEK_END, 0, 0, 0);
  sbx_keep_main_thread();
  serve();
  begin_child();
}

static void before_main(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  pin();
  // What is written just before a crash is to be seen.
  setvbuf(stdout, 0, _IOLBF, 0);
  // One heap for all threads: one runs at a time, and a heap for each costs more than all the rest of a new thread.
  mallopt(M_ARENA_MAX, 1);
  // The unwinder is loaded here, once, not in each run at a moment of its own.
  void *frame;
  backtrace(&frame, 1);
  sbx_find_real();
  sbx_find_quiet();
  sbx_find_farewells();
  sbx_note_main_stack();
  struct sbx_control *control = &shared->control;
  if (control->layout != SBX_LAYOUT) control->refused = SBX_WRONG_LAYOUT;
  else if (count_threads() > 1) control->refused = SBX_THREADS_BEFORE_MAIN;
  descriptors_before = count_descriptors();
  shared->run = control->run;
  shared->run.flags = SBX_API_POINTS;
  sbx_begin(shared, &sbx_preload_face, (uint32_t)CALL(SYS_gettid, 0, 0, 0, 0, 0, 0));
  strcpy(sbx_self->name, "main");
  sbx_self->handle = (uint64_t)pthread_self();
  sbx_watch_thread_end();
  if (control->is_early || control->refused) sbx_fork_here();
}

static int controlled_main(int count, char **arguments, char **environment) {
  if (!shared) return program_main(count, arguments, environment);
  before_main();
  int status = program_main(count, arguments, environment);
  fork_here();
  return status;
}

EXPORT void exit(int status) {
  fork_here();
  REAL(exit)(status);
  __builtin_unreachable();
}

EXPORT int __libc_start_main(int (*body)(int, char **, char **), int count, char **arguments, void (*begin)(void), void (*end)(void),
                             void (*loader_end)(void), void *stack) {
  int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
      (__typeof__(real))sbx_next("__libc_start_main", 0);
  program_main = body;
  return real(controlled_main, count, arguments, begin, end, shared ? sbx_at_loader_end(loader_end) : loader_end, stack);
}

// --- children of the program ---

static void leave_control(void) {
  sbx_has_children();
  sbx_self = 0;
  sbx_state = 0;
  shared = 0;
  sbx_forget_numbers();
}
EXPORT pid_t fork(void) {
  if (is_on()) fork_here();
  if (!is_on()) return REAL(fork)();
  sbx_has_children();
  pid_t child = REAL(fork)();
  if (child == 0) leave_control();
  return child;
}

// Weak, since in a test Signalbox has some of them as well.
#define MAKES_CHILD(result, name, parameters, arguments) \
  EXPORT __attribute__((weak)) result name parameters { \
    fork_here(); \
    sbx_has_children(); \
    return REAL(name) arguments; \
  }
MAKES_CHILD(int, posix_spawn, (pid_t *restrict p, const char *restrict f, const posix_spawn_file_actions_t *restrict a,
                               const posix_spawnattr_t *restrict t, char *const v[restrict], char *const e[restrict]),
            (p, f, a, t, v, e))
MAKES_CHILD(int, posix_spawnp, (pid_t *restrict p, const char *restrict f, const posix_spawn_file_actions_t *restrict a,
                                const posix_spawnattr_t *restrict t, char *const v[restrict], char *const e[restrict]),
            (p, f, a, t, v, e))
MAKES_CHILD(FILE *, popen, (const char *c, const char *m), (c, m))

// --- the engine's points, and its measurements of itself ---

EXPORT void signalbox_explore_point(uint32_t primitive, uintptr_t object, uintptr_t place) {
  if (!is_on() || !(sbx_state->run.flags & SBX_API_POINTS)) return;
  sbx_point(SBX_ENGINE + primitive, object, place ? place : PLACE);
}

EXPORT uint64_t signalbox_explore_thread(uint64_t number) {
  if (!is_on()) return 0;
  for (uint32_t i = sbx_state->thread_count; i > 0; i--) {
    const struct sbx_thread *thread = &sbx_state->threads[i];
    if (thread->tid != number) continue;
    return (uint64_t)thread->points << 2 | (thread->state == SBX_READY ? 1 : thread->state == SBX_DEAD ? 3 : 2);
  }
  return 0;
}

EXPORT int signalbox_explore_wants_stacks(void) { return !is_on() || sbx_state->run.flags & SBX_DETAIL; }

// No read of the program's: who reads the clock again and again is taken to wait for it.
EXPORT uint64_t signalbox_explore_ticks(void) {
  if (!is_on()) {
    struct timespec now;
    CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  }
  sbx_settle();
  return sbx_time_of(CLOCK_MONOTONIC, sbx_state->now += 100);
}

SANITIZED_AGAIN
