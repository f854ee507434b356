// inside.c: the core's face to some threads of a process that goes on beside them. What the threads call of the C library is taken
// over by the same functions that the preloaded library has; here they are part of the program.
#define _GNU_SOURCE
#include "csignalbox_explore_inside.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "core.h"
#include "face.h"

extern const struct sbx_face sbx_preload_face;
void sbx_find_quiet(void);
void sbx_watch_thread_end(void);

static struct sbx_face face;
static struct sbx_inside_calls calls;
static int is_resting;
static char rest_word;

// --- what the core asks for ---

__attribute__((noreturn)) static void vanish(void) {
#if defined(__SANITIZE_THREAD__) || (defined(__has_feature) && __has_feature(thread_sanitizer))
  // The sanitizer keeps books of threads, and is not to miss one.
  static uint32_t word;
  for (;;) CALL(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
#else
  for (;;) CALL(SYS_exit, 0, 0, 0, 0, 0, 0);
#endif
}
static void end(void) {
  sbx_self->is_inside = 1;
  calls.over();
  vanish();
}
static int rest(void) {
  if (!is_resting) return 0;
  is_resting = 0;
  return sbx_wake_all(KEY(&rest_word), ~0u);
}
static void nothing(void) {}
// A thread inherits its maker's name.
static void begins(void) {
  char name[16];
  snprintf(name, sizeof name, "thread %u", sbx_self->number);
  if (sbx_state->run.flags & SBX_DETAIL) CALL(SYS_prctl, PR_SET_NAME, name, 0, 0, 0, 0);
  calls.begins();
}
static int is_foreign(uint32_t tid) {
  for (uint32_t i = 1; i <= sbx_state->thread_count; i++)
    if (sbx_state->threads[i].tid == tid && sbx_state->threads[i].state != SBX_DEAD) return 0;
  return 1;
}

// --- a run ---

struct sbx_shared *sbx_inside_make(void) {
  void *memory = mmap(0, sizeof(struct sbx_shared), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? 0 : memory;
}

void sbx_inside_free(struct sbx_shared *shared) {
  if (sbx_state == shared) sbx_state = 0;
  munmap(shared, sizeof *shared);
}

void sbx_inside_pin(void) {
  cpu_set_t one;
  int here = sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET(here < 0 ? 0 : here, &one);
  CALL(SYS_sched_setaffinity, 0, sizeof one, &one, 0, 0, 0);
}

void sbx_inside_begin(struct sbx_shared *shared, const struct sbx_inside_calls *told) {
  static int is_made;
  if (!is_made) {
    face = sbx_preload_face;
    face.end = end;
    face.leave_prelude = nothing;
    face.begins = begins;
    face.rest = rest;
    face.vanish = vanish;
    face.is_foreign = is_foreign;
    sbx_find_quiet();
    is_made = 1;
  }
  calls = *told;
  is_resting = 0;
  sbx_inside_give_back();
  sbx_begin(shared, &face, (uint32_t)CALL(SYS_gettid, 0, 0, 0, 0, 0, 0));
  strcpy(sbx_self->name, "body");
  sbx_self->handle = (uint64_t)pthread_self();
  sbx_begin_run();
  sbx_self->is_inside = 0;
}

// The order in which threads end is of no concern.
static struct sbx_run planned;
static void choose_no_more(void) {
  planned = sbx_state->run;
  sbx_state->run.strategy = SBX_PLAIN;
  sbx_state->run.flags &= SBX_API_POINTS | SBX_DETAIL;
}
static void restore_plan(void) {
  sbx_state->run.strategy = planned.strategy;
  sbx_state->run.flags = planned.flags;
}

void sbx_inside_rest(void) {
  is_resting = 1;
  sbx_wait(SBX_CHOICE, KEY(&rest_word), SBX_NEVER, ~0u, 0);
  choose_no_more();
}

int sbx_inside_others(struct sbx_shared *s) {
  int count = 0;
  for (uint32_t i = 2; i <= s->thread_count; i++) count += s->threads[i].state != SBX_DEAD;
  return count;
}

void sbx_inside_end(void) {
  struct sbx_shared *s = sbx_state;
  for (uint32_t i = 2; i <= s->thread_count; i++)
    while (s->threads[i].state != SBX_DEAD) sbx_wait(SBX_JOIN, KEY(&s->threads[i]), SBX_NEVER, ~0u, 0);
  restore_plan();
  sbx_summarise();
  s->is_active = 0;
  sbx_self = 0;
  sbx_inside_give_back();
}

void sbx_inside_fail(uint32_t failure) {
  sbx_self->is_inside = 1;
  if (sbx_state->run.strategy == SBX_PLAIN && planned.seed == sbx_state->run.seed) restore_plan();
  sbx_fail((enum sbx_failure)failure);
  vanish();
}

void sbx_inside_abandon(struct sbx_shared *s) {
  s->is_active = 0;
  for (uint32_t i = 1; i <= s->thread_count; i++) {
    __atomic_store_n(&s->threads[i].go, SBX_VANISH, __ATOMIC_RELAXED);
    CALL(SYS_futex, &s->threads[i].go, FUTEX_WAKE, 1, 0, 0, 0);
  }
}

void sbx_inside_take_over(struct sbx_shared *s) { sbx_take_over(s); }

int sbx_inside_is_stuck(struct sbx_shared *s) {
  uint32_t holder = __atomic_load_n(&s->holder, __ATOMIC_RELAXED);
  if (!holder || __atomic_load_n(&s->is_idle, __ATOMIC_RELAXED)) return 0;
  return sbx_is_asleep((int)CALL(SYS_getpid, 0, 0, 0, 0, 0, 0), s->threads[holder].tid);
}

void sbx_inside_point(uint32_t primitive, uint64_t object, uint64_t place) {
  if (!is_on() || !(sbx_state->run.flags & SBX_API_POINTS)) return;
  sbx_point(SBX_ENGINE + primitive, object, place);
}
int sbx_inside_is_on(void) { return is_on(); }
uint64_t sbx_inside_now(struct sbx_shared *s) { return s->now; }
void sbx_inside_suspend(int suspends) {
  if (!sbx_self) return;
  sbx_self->is_inside = suspends ? 1 : 0;
  __atomic_store_n(&sbx_state->is_idle, suspends ? 1 : 0, __ATOMIC_RELAXED);  // whatever it sleeps for, nobody is to take over
}

void sbx_inside_sleep(uint32_t *word, uint32_t value, uint64_t nanoseconds) {
  struct timespec span = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  CALL(SYS_futex, word, FUTEX_WAIT, value, &span, 0, 0);
}
void sbx_inside_wake(uint32_t *word) { CALL(SYS_futex, word, FUTEX_WAKE, INT_MAX, 0, 0, 0); }
