// core.c: one thread at a time. Points, waits, wakes and the hand-over of the baton; who comes next is choice.c's.
//
// The baton's words are relaxed atomics: the core must add no order of its own, or the thread sanitizer would miss races in what it
// serialises. What travels with the baton is ordered by the kernel, which runs one of the threads after the other on one processor.
#include "core.h"

struct sbx_shared *sbx_state;
const struct sbx_face *sbx_face;
__thread struct sbx_thread *sbx_self __attribute__((tls_model("initial-exec")));

void sbx_reset(struct sbx_shared *s) {
  for (uint32_t i = 0; i <= s->thread_count && i < SBX_MAX_THREADS; i++) s->threads[i] = (struct sbx_thread){0};
  for (uint32_t i = 0; i <= s->object_count && i < SBX_MAX_OBJECTS; i++) s->objects[i] = (struct sbx_object){0};
  s->outcome = (struct sbx_outcome){0};
  s->is_active = s->holder = s->thread_count = s->object_count = 0;
  s->timed = s->watching = s->io_is_stale = s->away = s->arrivals = s->is_idle = s->dying = s->hash = 0;
  s->ready_count = s->arrivals_seen = s->take_from = 0;
  s->now = s->order = s->timer_budget = s->low_priority = 0;
  s->change_count = s->is_fair = s->is_prelude = 0;
  s->series = s->jumps = s->vain_step = s->spurious_budget = s->fault_budget = 0;
  s->vain_time = 0;
  for (int i = 0; i < SBX_MAX_THREADS / 64; i++) s->ready[i] = s->waiting[i] = s->arrived[i] = 0;
}

void sbx_begin(struct sbx_shared *s, const struct sbx_face *face, uint32_t tid) {
  sbx_state = s;
  sbx_face = face;
  sbx_objects_begin();
  sbx_memory_begin();
  s->is_prelude = 1;
  struct sbx_thread *thread = sbx_new_thread(0);
  thread->is_newborn = 0;
  thread->tid = tid;
  s->holder = thread->number;
  sbx_self = thread;
  s->is_active = 1;
}

void sbx_begin_run(void) {
  struct sbx_shared *s = sbx_state;
  s->is_prelude = 0;
  if (sbx_searches()) sbx_search_begins();
  s->random = sbx_hash64(s->run.seed);
  s->low_priority = 1ull << 32;
  s->timer_budget = SBX_TIMER_BUDGET;
  s->spurious_budget = SBX_SPURIOUS_WAKES;
  s->fault_budget = SBX_FAILING_STARTS;
  if (s->run.strategy >= SBX_PCT2 && s->run.strategy <= SBX_PCT5) {
    uint32_t before = s->outcome.steps, all = s->run.step_estimate;
    s->change_count = s->run.strategy == SBX_PCT2 ? 1 : s->run.strategy == SBX_PCT3 ? 2 : 4;
    sbx_draw_changes(&s->random, all > before ? all - before : 1, s->change_count, s->changes);
    for (uint32_t i = 0; i < s->change_count; i++) s->changes[i] += before;
  }
  // In some runs each timer goes as soon as it may, in others now and then.
  static const uint32_t masks[] = {0, 1, 3, 15};
  s->clock_mask = masks[s->random >> 40 & 3];
  s->random = sbx_hash64(s->random);
  sbx_self->priority = s->random | 1ull << 63;
  sbx_find_plan(sbx_self);
}

// The prelude is what lies between the plan of the run and the threads, the one thread, and its objects.
enum { STATE_BEGIN = offsetof(struct sbx_shared, is_active), STATE_END = offsetof(struct sbx_shared, threads) };

size_t sbx_prelude_size(const struct sbx_shared *s) {
  return sizeof(struct sbx_outcome) + (STATE_END - STATE_BEGIN) + sizeof s->threads[0] +
         (s->object_count + 1) * sizeof s->objects[0];
}

static void copy(char *to, const char *from, size_t count) { for (size_t i = 0; i < count; i++) to[i] = from[i]; }

// Goes over the parts in their order; `out` to `kept`, or back.
static void move_prelude(struct sbx_shared *s, char *kept, int out) {
  size_t objects = (out ? s->object_count : *(uint32_t *)(void *)(kept + sizeof(struct sbx_outcome) +
                    offsetof(struct sbx_shared, object_count) - STATE_BEGIN)) + 1;
  struct { char *part; size_t size; } parts[] = {
      {(char *)&s->outcome, sizeof s->outcome},
      {(char *)s + STATE_BEGIN, STATE_END - STATE_BEGIN},
      {(char *)&s->threads[1], sizeof s->threads[1]},
      {(char *)&s->objects[0], objects * sizeof s->objects[0]},
  };
  for (int i = 0; i < 4; i++) {
    if (out) copy(kept, parts[i].part, parts[i].size);
    else copy(parts[i].part, kept, parts[i].size);
    kept += parts[i].size;
  }
}
void sbx_keep_prelude(const struct sbx_shared *s, void *kept) { move_prelude((struct sbx_shared *)s, kept, 1); }
void sbx_restore_prelude(struct sbx_shared *s, const void *kept) { move_prelude(s, (char *)kept, 0); }

// --- ready, waiting ---

void sbx_something_happens(void) {
  sbx_state->jumps = 0;
  sbx_state->series++;
}

void sbx_make_ready(struct sbx_thread *thread, enum sbx_wake why) {
  struct sbx_shared *s = sbx_state;
  if (why == SBX_WOKEN) sbx_something_happens();
  if (thread->state == SBX_WAITING) {
    s->waiting[thread->number / 64] &= ~(1ull << thread->number % 64);
    if (thread->deadline != SBX_NEVER) s->timed--;
    if (thread->is_watching) { thread->is_watching = 0; s->watching--; }
  }
  thread->state = SBX_READY;
  thread->woken = why;
  thread->deadline = SBX_NEVER;
  s->ready[thread->number / 64] |= 1ull << thread->number % 64;
  s->ready_count++;
}

static void make_unready(struct sbx_thread *thread, uint32_t state) {
  struct sbx_shared *s = sbx_state;
  thread->state = state;
  s->ready[thread->number / 64] &= ~(1ull << thread->number % 64);
  s->ready_count--;
}

// --- the baton ---

static void hand_over(struct sbx_thread *next) {
  __atomic_store_n(&sbx_state->holder, next->number, __ATOMIC_RELAXED);
  __atomic_store_n(&next->go, SBX_RUN, __ATOMIC_RELAXED);
  sbx_face->wake(&next->go);
}

// Something outside affects the run: a search of it is not one of all schedules.
static void not_all(void) {
  if (!sbx_searches()) return;
  sbx_touch_all();
  sbx_state->tree.is_partial = 1;
}

// Returns when the calling thread has the baton.
static void sleep_until_go(struct sbx_thread *self) {
  struct sbx_shared *s = sbx_state;
  for (;;) {
    uint32_t go;
    while ((go = __atomic_load_n(&self->go, __ATOMIC_RELAXED)) == SBX_STAY) sbx_face->sleep(&self->go, SBX_STAY, SBX_NEVER);
    if (go == SBX_VANISH) sbx_face->vanish();
    __atomic_store_n(&self->go, SBX_STAY, __ATOMIC_RELAXED);
    if (go == SBX_RUN) break;
    // Whoever had the baton sleeps in something unseen: this thread chooses in its place, and sleeps on unless it chose itself.
    struct sbx_thread *gone = &s->threads[s->take_from];
    if (gone->state == SBX_READY) { make_unready(gone, SBX_AWAY); s->away++; s->outcome.outside++; }
    not_all();
    s->take_from = 0;
    __atomic_store_n(&s->holder, self->number, __ATOMIC_RELAXED);
    struct sbx_thread *next = sbx_choose(self, 1, 0);
    if (next == self) break;
    hand_over(next);
  }
  // A thread that ended may still be giving its memory back: what it does must not run beside this one.
  while (s->dying) {
    if (sbx_face->is_gone(s->dying)) s->dying = 0;
    else sbx_face->pause();
  }
}

static void pass_on(struct sbx_thread *self, int leaves, int yields) {
  struct sbx_thread *next = sbx_choose(self, leaves, yields);
  if (next == self) return;
  hand_over(next);
  sleep_until_go(self);
}

void sbx_settle(void) {
  struct sbx_thread *self = sbx_self;
  struct sbx_shared *s = sbx_state;
  if (!self || __atomic_load_n(&s->holder, __ATOMIC_RELAXED) == self->number) return;
  // It was given up for asleep, and now is back: it takes its place among those that can go on.
  __atomic_fetch_or(&s->arrived[self->number / 64], 1ull << self->number % 64, __ATOMIC_RELAXED);
  __atomic_fetch_add(&s->arrivals, 1, __ATOMIC_RELAXED);
  sbx_face->wake(&s->arrivals);
  sleep_until_go(self);
}

void sbx_go_out(uint64_t place) {
  struct sbx_thread *self = sbx_self;
  struct sbx_shared *s = sbx_state;
  sbx_settle();
  self->is_inside = 1;
  sbx_note(self, SBX_OUTSIDE, 0, place);
  s->outcome.outside++;
  if (s->thread_count > 1) not_all();
  if (s->thread_count > 1) {
    make_unready(self, SBX_AWAY);
    s->away++;
    struct sbx_thread *next = sbx_choose_if_any(self);
    if (next) hand_over(next);
    else {
      // Alone: it keeps the baton.
      s->away--;
      sbx_make_ready(self, SBX_WOKEN);
    }
  }
  self->is_inside = 0;
}

void sbx_come_back(void) {
  sbx_self->is_inside = 1;
  sbx_settle();
  sbx_self->is_inside = 0;
}

// --- points ---

// Who comes here has the baton, or loses time until it has.
static struct sbx_thread *enter_point(uint32_t kind, uint64_t address, uint64_t place) {
  struct sbx_thread *self = sbx_self;
  self->is_inside = 1;
  if (__atomic_load_n(&sbx_state->holder, __ATOMIC_RELAXED) != self->number) sbx_settle();
  sbx_note(self, kind, address, place);
  if (kind != SBX_CLOCK) self->clock_reads = 0;
  return self;
}

void sbx_point(uint32_t kind, uint64_t address, uint64_t place) {
  if (!sbx_is_on()) return;
  // Who starts threads and joins them unseen does so at once: their steps and its own do not depend on each other.
  if (sbx_self->is_unseen && (kind == SBX_CREATE || kind == SBX_JOIN)) {
    sbx_settle();
    sbx_self->kind = kind;
    sbx_self->object = address ? (uint32_t)(sbx_object_at(address, kind, place) - sbx_state->objects) : 0;
    sbx_memory_passes(sbx_self);
    return;
  }
  struct sbx_thread *self = enter_point(kind, address, place);
  pass_on(self, 0, 0);
  sbx_memory_passes(self);
  self->is_inside = 0;
}

void sbx_yield(uint32_t kind, uint64_t address, uint64_t place) {
  if (!sbx_is_on()) return;
  struct sbx_thread *self = enter_point(kind, address, place);
  pass_on(self, 0, 1);
  sbx_memory_passes(self);
  self->is_inside = 0;
}

static void touch(struct sbx_thread *self, uint64_t address) {
  if (address == self->engine_word) sbx_touch_word(address);
  else sbx_touch(address);
}

static enum sbx_wake wait(
    uint32_t kind, uint64_t address, uint64_t deadline, uint32_t bits, uint64_t place, int watches) {
  struct sbx_shared *s = sbx_state;
  struct sbx_thread *self = enter_point(kind, address, place);
  if (watches) sbx_touch_all();
  else if (address) touch(self, address);
  self->woken = SBX_NOT_WOKEN;
  self->wait_kind = kind;
  self->wait_address = address;
  self->wait_bits = bits;
  self->deadline = deadline;
  self->order = ++s->order;
  make_unready(self, SBX_WAITING);
  s->waiting[self->number / 64] |= 1ull << self->number % 64;
  if (deadline != SBX_NEVER) s->timed++;
  if (watches) { self->is_watching = 1; s->watching++; }
  pass_on(self, 1, 0);
  sbx_memory_passes(self);
  self->is_inside = 0;
  return (enum sbx_wake)self->woken;
}

enum sbx_wake sbx_wait(uint32_t kind, uint64_t address, uint64_t deadline, uint32_t bits, uint64_t place) {
  if (sbx_state->is_prelude) sbx_face->leave_prelude();
  if (!sbx_self) return SBX_TIMED_OUT;
  return wait(kind, address, deadline, bits, place, 0);
}

enum sbx_wake sbx_watch(uint64_t deadline, uint64_t place) {
  if (sbx_state->is_prelude) sbx_face->leave_prelude();
  if (!sbx_self) return SBX_TIMED_OUT;
  return wait(SBX_POLL, 0, deadline, ~0u, place, 1);
}

void sbx_arrived(struct sbx_thread *thread) {
  if (thread->state == SBX_WAITING) sbx_make_ready(thread, SBX_WOKEN);
}

// --- wakes ---

static int waits(const struct sbx_thread *thread, uint64_t address, uint32_t bits) {
  return thread->wait_address == address && !thread->is_watching && (thread->wait_bits & bits);
}

// The waiters at an address, those that came first in front.
static int find_waiters(uint64_t address, uint32_t bits, struct sbx_thread **found, int capacity) {
  struct sbx_shared *s = sbx_state;
  int count = 0;
  for (uint32_t word = 0; word <= s->thread_count / 64; word++) {
    for (uint64_t left = s->waiting[word]; left; left &= left - 1) {
      struct sbx_thread *thread = &s->threads[word * 64 + (uint32_t)__builtin_ctzll(left)];
      if (!waits(thread, address, bits)) continue;
      if (count == capacity) return count;
      int place = count++;
      while (place > 0 && found[place - 1]->order > thread->order) { found[place] = found[place - 1]; place--; }
      found[place] = thread;
    }
  }
  return count;
}

void sbx_woken_from_outside(uint64_t address, uint32_t bits, int most) {
  struct sbx_thread *found[SBX_MAX_THREADS];
  int count = find_waiters(address, bits, found, SBX_MAX_THREADS);
  if (!count) return;
  sbx_state->outcome.outside++;
  not_all();
  for (int i = 0; i < count && i < most; i++) sbx_make_ready(found[i], SBX_WOKEN);
}

// Calls `body` for each waiter at the address, in no order: a list of all would be a page of each thread's stack that nothing else needs.
#define FOR_EACH_WAITER(thread, address, bits, body) \
  for (uint32_t word_ = 0; word_ <= sbx_state->thread_count / 64; word_++) { \
    for (uint64_t left_ = sbx_state->waiting[word_]; left_; left_ &= left_ - 1) { \
      struct sbx_thread *thread = &sbx_state->threads[word_ * 64 + (uint32_t)__builtin_ctzll(left_)]; \
      if (waits(thread, address, bits)) { body; } \
    } \
  }

int sbx_waiters(uint64_t address) {
  int count = 0;
  FOR_EACH_WAITER(thread, address, ~0u, (void)thread; count++)
  return count;
}

int sbx_wake_all(uint64_t address, uint32_t bits) {
  int count = 0;
  FOR_EACH_WAITER(thread, address, bits, sbx_make_ready(thread, SBX_WOKEN); count++)
  if (count) touch(sbx_self, address);
  return count;
}

// Which of several is woken.
__attribute__((noinline)) static struct sbx_thread *pick_waiter(uint64_t address, uint32_t bits, uint64_t place) {
  struct sbx_thread *found[SBX_MAX_THREADS], *self = sbx_self;
  int count = find_waiters(address, bits, found, SBX_MAX_THREADS);
  self->is_inside = 1;
  sbx_note(self, SBX_PICK, address, place);
  int chosen = sbx_pick(self, found, count);
  self->is_inside = 0;
  return found[chosen];
}

int sbx_wake_one(uint64_t address, uint32_t bits, uint64_t place) {
  struct sbx_thread *one = 0;
  int count = 0;
  FOR_EACH_WAITER(thread, address, bits, one = thread; count++)
  if (count) touch(sbx_self, address);
  if (count > 1) one = pick_waiter(address, bits, place);
  if (one) sbx_make_ready(one, SBX_WOKEN);
  return one != 0;
}

int sbx_move_waiters(uint64_t from, uint64_t to, int most) {
  struct sbx_thread *found[SBX_MAX_THREADS];
  int count = find_waiters(from, ~0u, found, SBX_MAX_THREADS);
  if (count) sbx_touch_all();
  for (int i = 0; i < count && i < most; i++) found[i]->wait_address = to;
  return count < most ? count : most;
}

// --- threads ---

struct sbx_thread *sbx_new_thread(uint64_t place) {
  struct sbx_shared *s = sbx_state;
  if (s->thread_count + 1 >= SBX_MAX_THREADS) { sbx_fail(SBX_OVERFLOW); return 0; }
  struct sbx_thread *thread = &s->threads[++s->thread_count];
  thread->number = s->thread_count;
  thread->record = (uint64_t)(uintptr_t)thread;
  thread->is_newborn = 1;
  thread->creator = sbx_self ? sbx_self->number : 0;
  thread->create_place = place;
  thread->kind = SBX_START;
  thread->deadline = SBX_NEVER;
  s->random = sbx_hash64(s->random);
  thread->priority = s->random | 1ull << 63;
  sbx_find_plan(thread);
  sbx_memory_starts(thread);
  if (sbx_searches()) sbx_tree_touch(&s->tree, SBX_TOUCHES_THREADS);
  sbx_make_ready(thread, SBX_WOKEN);
  return thread;
}

void sbx_discard_thread(struct sbx_thread *thread) { make_unready(thread, SBX_DEAD); }

int sbx_start_fails(uint64_t place) {
  if (!sbx_is_on() || !(sbx_state->run.flags & SBX_FAULTS) || sbx_self->is_unseen) return 0;
  struct sbx_thread *self = sbx_self;
  self->is_inside = 1;
  sbx_note(self, SBX_FAULT, 0, place);
  int fails = sbx_draw_fault(self);
  self->is_inside = 0;
  return fails;
}

void sbx_enter(struct sbx_thread *thread, uint32_t tid) {
  thread->tid = tid;
  thread->is_inside = 1;
  sbx_self = thread;
  sleep_until_go(thread);
  thread->is_newborn = 0;
  thread->is_inside = 0;
}

// A robust mutex tells those that wait for it that its owner has died. They try again: the mutex itself knows whether it is one.
static void wake_heirs(const struct sbx_thread *self) {
  struct sbx_shared *s = sbx_state;
  for (uint32_t word = 0; word <= s->thread_count / 64; word++) {
    for (uint64_t left = s->waiting[word]; left; left &= left - 1) {
      struct sbx_thread *thread = &s->threads[word * 64 + (uint32_t)__builtin_ctzll(left)];
      if (thread->wait_kind != SBX_LOCK || !thread->object) continue;
      const struct sbx_object *object = &s->objects[thread->object];
      if (object->owner == self->number && object->address == thread->wait_address) sbx_make_ready(thread, SBX_WOKEN);
    }
  }
}

void sbx_leave(void) {
  struct sbx_shared *s = sbx_state;
  struct sbx_thread *self = enter_point(SBX_END, (uint64_t)(uintptr_t)sbx_self, 0);
  sbx_memory_passes(self);
  make_unready(self, SBX_DEAD);
  // Who joins it finds its state.
  sbx_touch((uint64_t)(uintptr_t)self);
  sbx_wake_all((uint64_t)(uintptr_t)self, ~0u);
  wake_heirs(self);
  int others = 0;
  for (uint32_t i = 1; i <= s->thread_count; i++) others |= s->threads[i].state != SBX_DEAD;
  if (!others) {
    // The last thread's end is the program's.
    s->is_active = 0;
    sbx_self = 0;
    return;
  }
  struct sbx_thread *next = sbx_choose(self, 1, 0);
  s->dying = self->tid;
  sbx_self = 0;
  hand_over(next);
}

void sbx_fail(enum sbx_failure failure) {
  struct sbx_shared *s = sbx_state;
  s->outcome.failure = failure;
  sbx_summarise();
  s->is_active = 0;
  sbx_face->end();
}

void sbx_summarise(void) {
  struct sbx_shared *s = sbx_state;
  s->outcome.threads = s->thread_count;
  s->outcome.objects = s->object_count;
  s->outcome.hash = s->hash;
  s->outcome.virtual_time = s->now;
}

// --- time and chance ---

uint64_t sbx_read_clock(void) {
  struct sbx_shared *s = sbx_state;
  struct sbx_thread *self = sbx_self;
  // Whoever does nothing but read the clock waits for it: the more often in a row, the further it goes on.
  uint32_t reads = ++self->clock_reads;
  s->now += reads < 64 ? 1000 : 1000ull << (reads / 64 < 12 ? reads / 64 : 12);
  return s->now;
}

uint64_t sbx_random(void) {
  // The program's random numbers are the same in each run, whatever the schedule.
  static uint64_t state = 0x243f6a8885a308d3;
  return state = sbx_hash64(state);
}

SANITIZED_AGAIN
