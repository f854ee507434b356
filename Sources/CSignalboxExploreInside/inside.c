// inside.c: the core's face to some threads of a process that goes on beside them. What the threads call of the C library is taken
// over by the same functions that the preloaded library has; here they are part of the program.
#define _GNU_SOURCE
#include "csignalbox_explore_inside.h"

#include <execinfo.h>
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
#ifdef SBX_SANITIZED
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
// The test, the engine and the core are one image here: whose an address is, who names it finds. The innermost are the core's.
static int stack(uint64_t *frames, int capacity) {
  enum { CORES = 4 };
  void *found[SBX_STACK + CORES];
  int count = backtrace(found, SBX_STACK + CORES), kept = 0;
  while (kept < count - CORES && kept < capacity) { frames[kept] = KEY(found[kept + CORES]); kept++; }
  return kept;
}
static int is_foreign(uint32_t tid) {
  for (uint32_t i = 1; i <= sbx_state->thread_count; i++)
    if (sbx_state->threads[i].tid == tid && sbx_state->threads[i].state != SBX_DEAD) return 0;
  return 1;
}

// --- wakes from threads that are under no control ---

// Words that threads under control wait on, and how many of them; and wakes of others that the baton's holder has not taken yet.
enum { MOST_WORDS = 64, MOST_WAKES = 64, MOST_KNOWN = 64 };
static struct { uint64_t word; uint32_t users; } waited[MOST_WORDS];
static struct { uint64_t word; uint32_t bits; int most; } wakes[MOST_WAKES];
static uint32_t wake_count, wakes_lock;
// Words that others have woken somebody on before, in any run of the exploration: nobody is stuck for good who waits there.
static uint64_t known[MOST_KNOWN];
static uint32_t known_count;

static void lock_wakes(void) {
  // acquire: pairs with the release in unlock_wakes
  while (__atomic_exchange_n(&wakes_lock, 1, __ATOMIC_ACQUIRE)) CALL(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}
static void unlock_wakes(void) { __atomic_store_n(&wakes_lock, 0, __ATOMIC_RELEASE); }

static int is_known(uint64_t word) {
  for (uint32_t i = 0; i < known_count && i < MOST_KNOWN; i++) if (known[i] == word) return 1;
  return 0;
}

// On a thread under control: only these write `waited`, one at a time.
static int waits(const void *word) {
  for (int i = 0; i < MOST_WORDS; i++) {
    if (waited[i].users && waited[i].word != KEY(word)) continue;
    waited[i].users++;
    // seq_cst, here and in `wakes_one`: the mark comes before the word is read, the word's change before the marks are.
    __atomic_store_n(&waited[i].word, KEY(word), __ATOMIC_SEQ_CST);
    return i;
  }
  return -1;
}
static void waits_no_more(int mark) {
  // relaxed: a wake in vain at most
  if (mark >= 0 && --waited[mark].users == 0) __atomic_store_n(&waited[mark].word, 0, __ATOMIC_RELAXED);
}

// On any other thread.
static void wakes_one(const void *word, uint32_t most, uint32_t bits) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);  // seq_cst: as in `waits`
  int is_waited = 0;
  for (int i = 0; i < MOST_WORDS; i++) is_waited |= __atomic_load_n(&waited[i].word, __ATOMIC_SEQ_CST) == KEY(word);
  if (!is_waited) return;
  lock_wakes();
  if (!is_known(KEY(word))) known[known_count++ % MOST_KNOWN] = KEY(word);
  uint32_t place = wake_count < MOST_WAKES ? wake_count++ : MOST_WAKES - 1;
  wakes[place].word = KEY(word);
  wakes[place].bits = bits;
  wakes[place].most = most > INT_MAX ? INT_MAX : (int)most;
  struct sbx_shared *s = sbx_state;
  if (s) {
    __atomic_fetch_add(&s->arrivals, 1, __ATOMIC_RELAXED);  // relaxed: the lock orders what is taken
    CALL(SYS_futex, &s->arrivals, FUTEX_WAKE, 1, 0, 0, 0);
  }
  unlock_wakes();
}
static void take_wakes(void) {
  lock_wakes();
  for (uint32_t i = 0; i < wake_count; i++) sbx_woken_from_outside(wakes[i].word, wakes[i].bits, wakes[i].most);
  wake_count = 0;
  unlock_wakes();
}

// For how long nobody goes on before a thread outside is given up: three seconds where one has woken somebody there before, or the body has
// woken one; a moment in the first run, in which it is learnt whether there are any. Under the thread sanitizer whoever is outside needs
// longer to come: what it runs is instrumented, and a first use names places with the help of another process.
#ifdef SBX_SANITIZED
#define CURIOSITY 3000000000ull
#define PATIENCE 10000000000ull
#else
#define CURIOSITY 100000000ull
#define PATIENCE 3000000000ull
#endif
static int has_others;
static void woke(void) { has_others = 1; }
static const struct sbx_foreign foreign = {.waits = waits, .waits_no_more = waits_no_more, .wakes = wakes_one, .woke = woke};

static uint64_t hopes_since, hopes_at;
static int may_be_woken(int is_last_hope) {
  struct sbx_shared *s = sbx_state;
  // Where time may go on it does: a wait with a limit ends by that.
  if (!is_last_hope) return 0;
  uint64_t most = has_others ? PATIENCE : calls.awaits ? CURIOSITY : 0;
  int waiters = 0;
  for (uint32_t i = 1; i <= s->thread_count; i++) {
    struct sbx_thread *thread = &s->threads[i];
    if (thread->state != SBX_WAITING || (thread->wait_kind != SBX_FUTEX_WAIT && thread->wait_kind != SBX_CONDITION_WAIT)) continue;
    waiters++;
    if (is_known(thread->wait_address)) most = PATIENCE;
  }
  if (!most || !waiters) return 0;
  uint64_t now = face.real_time();
  if (hopes_at != s->outcome.steps + 1) {
    hopes_at = s->outcome.steps + 1;
    hopes_since = now;
  }
  return now - hopes_since < most;
}

// --- a run ---

struct sbx_shared *sbx_inside_make(void) {
  void *memory = mmap(0, sizeof(struct sbx_shared), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? 0 : memory;
}

void sbx_inside_free(struct sbx_shared *shared) {
  // Threads that are under no control may be about to say that they wake somebody.
  lock_wakes();
  if (sbx_state == shared) sbx_state = 0;
  unlock_wakes();
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
    face.is_reused = 1;
    face.rest = rest;
    face.vanish = vanish;
    face.is_foreign = is_foreign;
    face.stack = stack;
    face.turns = told->turns;
    face.take_wakes = take_wakes;
    face.may_be_woken = may_be_woken;
    sbx_foreign = &foreign;
    sbx_find_quiet();
    is_made = 1;
  }
  calls = *told;
  is_resting = 0;
  sbx_inside_give_back();
  hopes_at = 0;
  if (told->awaits) {
    // An exploration begins: words lie elsewhere, and others where they lay.
    lock_wakes();
    has_others = 0;
    known_count = 0;
    unlock_wakes();
  }
  for (int i = 0; i < MOST_WORDS; i++) waited[i].users = 0, waited[i].word = 0;
  lock_wakes();
  wake_count = 0;
  unlock_wakes();
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

uint32_t sbx_inside_progress(const struct sbx_shared *s) { return s->outcome.steps + (uint32_t)s->run.seed; }

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
static int is_ours(void) { return sbx_self && sbx_state->is_active; }
// An instance of a Swift class begins with its metadata, which say how long it is: the kind, the superclass, and then numbers of 32 bits:
// flags, where in its memory the instance begins, the length.
static uint32_t extent_of(uint64_t instance) {
  const uint32_t *numbers = (const uint32_t *)(*(const uint64_t *const *)(uintptr_t)instance + 2);
  return numbers[2] - numbers[1];
}
void sbx_inside_instance(uint64_t object) { if (is_ours() && sbx_searches()) sbx_extend(object, extent_of(object)); }
void sbx_inside_touch(uint64_t object) { if (is_ours()) sbx_touch(object); }
void sbx_inside_touch_word(uint64_t word) {
  if (!is_ours()) return;
  sbx_self->engine_word = word;
  sbx_touch_word(word);
}
void sbx_inside_touch_all(void) { if (is_ours()) sbx_touch_all(); }
void sbx_inside_gone(uint64_t object) { if (is_ours()) sbx_forget(object); }
void sbx_inside_blunt(struct sbx_shared *s) {
  if (s->tree.is_blunt) return;
  s->tree.is_blunt = 1;
  // Schedules may have been left out.
  if (sbx_searches()) s->tree.is_partial = 1;
}
void sbx_inside_blunt_here(void) {
  // With the engine's words as points all is seen.
  if (is_ours() && !(sbx_state->run.flags & SBX_ATOMICS)) sbx_inside_blunt(sbx_state);
}
void sbx_inside_expect(uint64_t word) {
  lock_wakes();
  if (!is_known(word)) known[known_count++ % MOST_KNOWN] = word;
  unlock_wakes();
}
static void *kept;
void sbx_inside_keep(void *engine) { kept = engine; }
void *sbx_inside_kept(void) { return kept; }
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

SANITIZED_AGAIN
