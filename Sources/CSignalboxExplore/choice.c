// choice.c: who goes on. The default is whoever runs, else the next in turn; a strategy or a replay decides otherwise.
#include "core.h"

static uint32_t mix(uint32_t hash, uint32_t value) {
  hash = (hash ^ value) * 0x9e3779b1;
  return hash ^ hash >> 15;
}

static uint64_t draw(void) {
  uint64_t state = sbx_state->random;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  sbx_state->random = state;
  return state * 0x2545f4914f6cdd1d >> 16;
}

// What somebody does who waits, looks up, and waits again.
static int is_wait(uint32_t kind) {
  return kind == SBX_FUTEX_WAIT || kind == SBX_CONDITION_WAIT || kind == SBX_SEMAPHORE_WAIT || kind == SBX_JOIN ||
         kind == SBX_POLL || kind == SBX_CLOCK;
}

void sbx_note(struct sbx_thread *self, uint32_t kind, uint64_t address, uint64_t place) {
  struct sbx_shared *s = sbx_state;
  if (s->jumps && !is_wait(kind)) sbx_something_happens();
  self->kind = kind;
  self->object = address ? (uint32_t)(sbx_object_at(address, kind, place) - s->objects) : 0;
  self->place = place;
  self->address = address;
  // What it is about to touch has a number from here on.
  if (address && address != self->engine_word && sbx_searches()) sbx_touch_number(address);
  if (s->run.strategy == SBX_POS) self->priority = draw();
  if (s->run.flags & SBX_DETAIL) {
    self->stack_count = (uint32_t)sbx_face->stack(self->stack, SBX_STACK);
    struct sbx_stack *kept = &s->stacks[(s->outcome.steps + 1) % SBX_MAX_STACKS];
    kept->step = s->outcome.steps + 1;
    kept->count = self->stack_count;
    for (uint32_t i = 0; i < kept->count; i++) kept->frames[i] = self->stack[i];
  }
}

// --- replay ---

// Decisions of the replay are sorted by thread and point.
void sbx_find_plan(struct sbx_thread *thread) {
  struct sbx_shared *s = sbx_state;
  uint32_t i = 0;
  if (!s->run.is_replay) return;
  while (i < s->run.plan_count && s->plan[i].thread < thread->number) i++;
  thread->plan = i;
  while (i < s->run.plan_count && s->plan[i].thread == thread->number) i++;
  thread->plan_end = i;
}

static void diverged(void) {
  struct sbx_outcome *outcome = &sbx_state->outcome;
  if (outcome->divergences++ == 0) outcome->divergence_step = outcome->steps;
}

// What the replay has for the thread's point: a thread's number, 0 the clock, -1 nothing.
static int planned(struct sbx_thread *self) {
  struct sbx_shared *s = sbx_state;
  while (self->plan < self->plan_end && s->plan[self->plan].point < self->points) { self->plan++; diverged(); }
  if (self->plan == self->plan_end || s->plan[self->plan].point != self->points) return -1;
  return s->plan[self->plan++].next;
}

// --- the steps ---

static void decided(struct sbx_thread *self, uint32_t next) {
  struct sbx_shared *s = sbx_state;
  uint32_t number = s->outcome.decisions++;
  if (number >= SBX_MAX_DECISIONS) return;
  s->decisions[number] = (struct sbx_decision){
      .thread = (uint16_t)self->number, .next = (uint16_t)next, .point = self->points, .step = s->outcome.steps,
      .hash = s->hash};
}

enum { SWITCHED = 1, FORCED = 2, DECIDED = 4, FOR_NO_REASON = 8 };

static void step(struct sbx_thread *self, uint32_t next, uint32_t ready, uint32_t flags) {
  struct sbx_shared *s = sbx_state;
  struct sbx_outcome *outcome = &s->outcome;
  uint32_t number = ++outcome->steps;
  self->step = number;
  s->now += 100;
  uint32_t object = sbx_face->is_reused ? 0 : self->object;
  s->hash = mix(s->hash, self->number | self->kind << 11 | ready << 18) + object * 0x85ebca6b;
  if (next != self->number) {
    flags |= SWITCHED;
    outcome->switches++;
    if (flags & FORCED) outcome->forced++;
  }
  s->steps[number % SBX_MAX_STEPS] = (struct sbx_step){
      .place = self->place, .object = self->object, .hash = s->hash, .own = self->points, .thread = (uint16_t)self->number,
      .next = (uint16_t)next, .kind = (uint8_t)self->kind, .flags = (uint8_t)flags, .ready = (uint16_t)ready};
  if (number < s->run.step_limit) return;
  if (!s->is_fair) s->is_fair = 1;
  if (number > s->run.step_limit * 2) sbx_fail(SBX_NO_PROGRESS);
}

// --- time ---

static uint64_t next_deadline(void) {
  struct sbx_shared *s = sbx_state;
  uint64_t next = sbx_face->alarm ? sbx_face->alarm() : SBX_NEVER;
  if (!s->timed) return next;
  for (uint32_t word = 0; word <= s->thread_count / 64; word++) {
    for (uint64_t left = s->waiting[word]; left; left &= left - 1) {
      struct sbx_thread *thread = &s->threads[word * 64 + (uint32_t)__builtin_ctzll(left)];
      if (thread->deadline < next) next = thread->deadline;
    }
  }
  return next;
}

static void advance(uint64_t to) {
  struct sbx_shared *s = sbx_state;
  if (to > s->now) s->now = to;
  for (uint32_t word = 0; s->timed && word <= s->thread_count / 64; word++) {
    for (uint64_t left = s->waiting[word]; left; left &= left - 1) {
      struct sbx_thread *thread = &s->threads[word * 64 + (uint32_t)__builtin_ctzll(left)];
      if (thread->deadline > s->now) continue;
      thread->timeouts = thread->series == s->series ? thread->timeouts + 1 : 1;
      thread->series = s->series;
      sbx_touch_all();
      sbx_make_ready(thread, SBX_TIMED_OUT);
    }
  }
  if (sbx_face->fire) sbx_face->fire(s->now);
}

// Whether the thread's wait has timed out again and again, and nothing else has happened.
static int waits_in_vain(const struct sbx_thread *thread) {
  return thread->series == sbx_state->series && thread->timeouts >= 2;
}

// Whether all who wait with a deadline have waited in vain again and again, and nothing else can come.
static int is_in_vain(void) {
  struct sbx_shared *s = sbx_state;
  if (s->jumps++ == 0) {
    s->vain_time = s->now;
    s->vain_step = s->outcome.steps;
  }
  if (s->jumps < SBX_JUMPS || s->now - s->vain_time < SBX_VAIN_TIME) return 0;
  // Signals that come again and again may still do something.
  if (sbx_face->alarm && sbx_face->alarm() != SBX_NEVER && s->jumps < SBX_JUMPS * 100) return 0;
  for (uint32_t i = 1; i <= s->thread_count; i++) {
    struct sbx_thread *thread = &s->threads[i];
    if (thread->state != SBX_WAITING || thread->deadline == SBX_NEVER || thread->deadline > s->now + SBX_FAR) continue;
    if (!waits_in_vain(thread)) return 0;
  }
  s->outcome.vain_steps = s->outcome.steps - s->vain_step;
  return 1;
}

// Where time goes when nobody can: to the next deadline, and beyond it where those who wait have done so in vain many times. What
// others wait for stays ahead.
static uint64_t leap(uint64_t next) {
  struct sbx_shared *s = sbx_state;
  if (s->jumps < SBX_SHORT_JUMPS) return next;
  uint32_t doublings = (s->jumps - SBX_SHORT_JUMPS) / 8;
  uint64_t to = next + (1000000ull << (doublings < 24 ? doublings : 24));
  uint64_t alarm = sbx_face->alarm ? sbx_face->alarm() : SBX_NEVER;
  if (alarm < to) to = alarm;
  for (uint32_t i = 1; i <= s->thread_count; i++) {
    struct sbx_thread *thread = &s->threads[i];
    if (thread->state == SBX_WAITING && thread->deadline < to && !waits_in_vain(thread)) to = thread->deadline;
  }
  return to;
}

static void take_arrivals(void) {
  struct sbx_shared *s = sbx_state;
  uint32_t arrivals = __atomic_load_n(&s->arrivals, __ATOMIC_RELAXED);
  if (arrivals == s->arrivals_seen) return;
  s->arrivals_seen = arrivals;
  if (sbx_face->take_wakes) sbx_face->take_wakes();
  for (uint32_t word = 0; word < SBX_MAX_THREADS / 64; word++) {
    uint64_t back = __atomic_exchange_n(&s->arrived[word], 0, __ATOMIC_RELAXED);
    for (; back; back &= back - 1) {
      struct sbx_thread *thread = &s->threads[word * 64 + (uint32_t)__builtin_ctzll(back)];
      if (thread->state == SBX_AWAY) { s->away--; sbx_make_ready(thread, SBX_WOKEN); }
    }
  }
}

// Something outside may bring somebody: real time passes until it does, and virtual time with it.
static void idle(uint64_t next) {
  struct sbx_shared *s = sbx_state;
  uint64_t most = next == SBX_NEVER ? 10000000 : next - s->now;
  uint64_t before = sbx_face->real_time();
  s->outcome.outside++;
  __atomic_store_n(&s->is_idle, 1, __ATOMIC_RELAXED);
  if (s->watching) sbx_face->scan(s->away && most > 1000000 ? 1000000 : most > 10000000 ? 10000000 : most);
  else sbx_face->sleep(&s->arrivals, s->arrivals_seen, most);
  __atomic_store_n(&s->is_idle, 0, __ATOMIC_RELAXED);
  uint64_t now = s->now + (sbx_face->real_time() - before);
  if (now >= next) advance(now);
  else s->now = now;
}

// Until somebody can go on; 0 if nobody can, and the caller does not want to wait.
static int await_somebody(int waits) {
  struct sbx_shared *s = sbx_state;
  for (;;) {
    take_arrivals();
    if (s->watching && s->io_is_stale) { s->io_is_stale = 0; sbx_face->scan(0); }
    if (s->ready_count) return 1;
    if (s->watching && sbx_face->scan(0)) continue;
    if (!s->away && sbx_face->rest && sbx_face->rest()) continue;
    uint64_t next = next_deadline();
    int outside = s->watching ? sbx_face->waits_outside() : SBX_OUTSIDE_NONE;
    if (s->away || outside == SBX_OUTSIDE_LIVES ||
        (sbx_face->may_be_woken && sbx_face->may_be_woken(next == SBX_NEVER))) {
      if (!waits) return 0;
      idle(next);
    } else if (next != SBX_NEVER && !(s->run.flags & SBX_STILL) && !is_in_vain()) {
      advance(leap(next));
    } else if (outside != SBX_OUTSIDE_NONE) {
      if (!waits) return 0;
      idle(next);
    } else {
      sbx_fail(SBX_DEADLOCK);
    }
  }
}

// --- the choice ---

static uint32_t gather(uint16_t *list) {
  struct sbx_shared *s = sbx_state;
  uint32_t count = 0;
  for (uint32_t word = 0; word <= s->thread_count / 64; word++)
    for (uint64_t left = s->ready[word]; left; left &= left - 1) list[count++] = (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
  return count;
}

// Threads that are held until nobody else can go on are left out, unless nobody else can.
static uint32_t leave_out_newborn(uint16_t *list, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (sbx_state->threads[list[i]].is_newborn) continue;
    uint16_t held = list[kept];
    list[kept++] = list[i];
    list[i] = held;
  }
  return kept ? kept : count;
}

static int holds(const uint16_t *list, uint32_t count, uint32_t number) {
  for (uint32_t i = 0; i < count; i++) if (list[i] == number) return 1;
  return 0;
}

// The caller if it may, else the next in turn.
static uint32_t by_default(struct sbx_thread *self, const uint16_t *list, uint32_t count, int leaves, int yields) {
  if (!leaves && !yields && self->turns < SBX_TURNS && holds(list, count, self->number)) return self->number;
  for (uint32_t i = 0; i < count; i++) if (list[i] > self->number) return list[i];
  return list[0];
}

static uint32_t highest(const uint16_t *list, uint32_t count) {
  uint32_t best = list[0];
  for (uint32_t i = 1; i < count; i++)
    if (sbx_state->threads[list[i]].priority > sbx_state->threads[best].priority) best = list[i];
  return best;
}

// Others that were about to do something to the same object draw anew: whichever of two racing steps came first, the next race
// is open again.
static void redraw_rivals(uint32_t chosen, const uint16_t *list, uint32_t count) {
  struct sbx_thread *threads = sbx_state->threads;
  if (!threads[chosen].object) return;
  for (uint32_t i = 0; i < count; i++)
    if (list[i] != chosen && threads[list[i]].object == threads[chosen].object) threads[list[i]].priority = draw();
}

static void change_priorities(struct sbx_thread *self) {
  struct sbx_shared *s = sbx_state;
  for (uint32_t i = 0; i < s->change_count; i++) if (s->changes[i] == s->outcome.steps + 1) self->priority = s->low_priority--;
  if (self->turns >= SBX_TURNS) { self->priority = s->low_priority--; self->turns = 0; }
}

static uint32_t by_strategy(struct sbx_thread *self, uint16_t *list, uint32_t count, int leaves, int yields) {
  struct sbx_shared *s = sbx_state;
  if (s->run.flags & SBX_HOLD_NEWBORN) count = leave_out_newborn(list, count);
  if (yields && count > 1) {
    for (uint32_t i = 0; i < count; i++) if (list[i] == self->number) { list[i] = list[--count]; break; }
  }
  switch (s->run.strategy) {
    case SBX_RANDOM: return list[draw() % count];
    case SBX_STICKY:
      return !leaves && !yields && draw() % 8 && holds(list, count, self->number) ? self->number : list[draw() % count];
    case SBX_POS: {
      uint32_t chosen = highest(list, count);
      redraw_rivals(chosen, list, count);
      return chosen;
    }
    case SBX_PCT2: case SBX_PCT3: case SBX_PCT5:
      change_priorities(self);
      return highest(list, count);
    default: return by_default(self, list, count, leaves, yields);
  }
}

// Whether the clock may be chosen.
static int clock_is_near(uint64_t *next) {
  struct sbx_shared *s = sbx_state;
  *next = next_deadline();
  return *next != SBX_NEVER && *next <= s->now + SBX_TIMER_REACH && (*next <= s->now || *next - s->now <= s->timer_budget);
}

// The same of one that is chosen. A replay keeps to the same bounds: with other decisions taken away the same choice could jump far.
static int clock_may_go(uint64_t *next) {
  struct sbx_shared *s = sbx_state;
  if (!clock_is_near(next)) return 0;
  s->timer_budget -= *next > s->now ? *next - s->now : 0;
  return 1;
}

// Whether the strategy chooses it.
static int clock_goes(uint64_t *next) {
  struct sbx_shared *s = sbx_state;
  if (s->run.strategy == SBX_EXHAUSTIVE || !(s->run.flags & SBX_TIMERS) || s->is_fair || draw() & s->clock_mask) return 0;
  return clock_may_go(next);
}

// --- waits that end for no reason ---

static int may_wake(const struct sbx_thread *thread) {
  return thread->state == SBX_WAITING && thread->wait_kind == SBX_CONDITION_WAIT && !thread->is_watching;
}

// Whose wait on a condition ends for no reason, as POSIX allows; 0: nobody's.
static uint32_t wakes_for_no_reason(void) {
  struct sbx_shared *s = sbx_state;
  if (!(s->run.flags & SBX_SPURIOUS) || s->is_fair || !s->spurious_budget || draw() & SBX_SPURIOUS_MASK) return 0;
  uint32_t count = 0, chosen = 0;
  for (uint32_t i = 1; i <= s->thread_count; i++)
    if (may_wake(&s->threads[i]) && draw() % ++count == 0) chosen = i;
  if (chosen) s->spurious_budget--;
  return chosen;
}

// --- all schedules ---

// What a thread has had a turn of, or got one of, in the step that ends here: what lies between is the drain's, which may check the queue
// between two items.
enum { MOST_TURNS = 16 };
static struct { int count; struct sbx_turn turns[MOST_TURNS]; } had[64];

static int has_turn(const struct sbx_turn *turns, int count, struct sbx_turn turn) {
  for (int i = 0; i < count; i++) if (turns[i].frame == turn.frame && turns[i].object == turn.object) return 1;
  return 0;
}

static void touch_turns(struct sbx_thread *self) {
  struct sbx_turn now[MOST_TURNS];
  // A thread that ends is inside of nothing, and has no record any more.
  int count = self->kind == SBX_END ? 0 : sbx_face->turns(now, MOST_TURNS);
  if (count < 0) { sbx_touch_all(); count = 0; }
  int all = self->kind == SBX_ENGINE_ITEM;
  for (int i = 0; i < had[self->number].count; i++)
    if (all || !has_turn(now, count, had[self->number].turns[i])) sbx_touch(had[self->number].turns[i].object);
  for (int i = 0; i < count; i++)
    if (all || !has_turn(had[self->number].turns, had[self->number].count, now[i])) sbx_touch(now[i].object);
  had[self->number].count = count;
  for (int i = 0; i < count; i++) had[self->number].turns[i] = now[i];
}

// What a thread's last step has touched.
static struct { uint32_t count, all; uint32_t numbers[SBX_MAX_TOUCHED]; } last[64];

static void keep_touched(struct sbx_thread *self) {
  struct sbx_tree *tree = &sbx_state->tree;
  last[self->number].all = tree->touches_all;
  last[self->number].count = tree->touched_count;
  for (uint32_t i = 0; i < tree->touched_count; i++) last[self->number].numbers[i] = tree->touched[i];
}

static void touch_the_same(struct sbx_thread *thread) {
  struct sbx_tree *tree = &sbx_state->tree;
  if (last[thread->number].all) sbx_tree_touch(tree, SBX_TOUCHES_ALL);
  for (uint32_t i = 0; i < last[thread->number].count; i++) sbx_tree_touch(tree, last[thread->number].numbers[i]);
}

void sbx_search_begins(void) { for (int i = 0; i < 64; i++) { had[i].count = 0; last[i].count = last[i].all = 0; } }

// What the step touches that begins now: what the thread was about to do.
static void begin_step(uint32_t number) {
  struct sbx_shared *s = sbx_state;
  struct sbx_thread *thread = &s->threads[number];
  if (!number) { sbx_touch_all(); return; }
  if (thread->address && thread->address == thread->engine_word) {
    // In the midst of an operation of the engine's, which goes on with what it was at.
    touch_the_same(thread);
    sbx_touch_word(thread->address);
    return;
  }
  if (thread->kind >= SBX_ENGINE && sbx_face->turns) {
    if (thread->address) sbx_touch(thread->address);
    return;
  }
  uint32_t footprint = sbx_footprint(thread->kind, thread->object);
  if (footprint == SBX_TOUCHES_NOTHING || footprint >= SBX_TOUCHES_THREADS) {
    sbx_tree_touch(&s->tree, footprint);
  } else {
    uint32_t number = sbx_touch_number(thread->address);
    sbx_tree_touch(&s->tree, number ? number | (footprint & SBX_READS) : SBX_TOUCHES_ALL);
  }
}

// With all operations on words as points: a step that touches nothing may as well come first, as no other order differs from that; and
// who does nothing but load a word that is left alone waits while others can go on.
static uint64_t leave_out_needless(uint64_t enabled) {
  uint64_t spinning = 0;
  for (uint64_t left = enabled; left; left &= left - 1) {
    struct sbx_thread *thread = &sbx_state->threads[__builtin_ctzll(left)];
    if (thread->is_unseen || thread->kind == SBX_YIELD || sbx_footprint(thread->kind, thread->object) == SBX_TOUCHES_NOTHING)
      return left & -left;
    if (sbx_memory_spins(thread)) spinning |= left & -left;
  }
  return enabled & ~spinning ? enabled & ~spinning : enabled;
}

// Whether the thread is about to wait for what another has, and for nothing else. To let it go on before that one gives it back would only
// make it wait.
static int would_wait(const struct sbx_thread *thread) {
  struct sbx_shared *s = sbx_state;
  if (thread->awaits_end) return ((const struct sbx_thread *)(uintptr_t)thread->address)->state != SBX_DEAD;
  if ((thread->kind != SBX_LOCK && thread->kind != SBX_SPIN_LOCK) || !thread->object) return 0;
  uint32_t owner = s->objects[thread->object].owner;
  return owner && owner != thread->number && s->threads[owner].state != SBX_DEAD;
}

// If all would wait they do, so that a deadlock is found as one.
static uint64_t leave_out_waits(uint64_t enabled) {
  uint64_t rest = enabled;
  for (uint64_t left = enabled; left; left &= left - 1)
    if (would_wait(&sbx_state->threads[__builtin_ctzll(left)])) rest &= ~(left & -left);
  return rest ? rest : enabled;
}

// Whom the search lets go on: a number, 0 the clock; `next` is where it would go.
static uint32_t by_tree(struct sbx_thread *self, int leaves, int yields, uint64_t *next) {
  struct sbx_shared *s = sbx_state;
  uint64_t enabled = s->ready[0], own = 1ull << self->number;
  if (sbx_face->turns && !(s->run.flags & SBX_ATOMICS)) touch_turns(self);
  keep_touched(self);
  if (yields && enabled & ~own) enabled &= ~own;
  if (!s->tree.is_blunt) enabled = leave_out_waits(enabled);
  if (s->run.flags & SBX_ATOMICS) enabled = leave_out_needless(enabled);
  if (s->run.flags & SBX_TIMERS && clock_is_near(next)) enabled |= 1;
  uint32_t usual = !leaves && enabled & own ? self->number : (uint32_t)__builtin_ctzll(enabled & ~1ull);
  int chosen = sbx_tree_choose(&s->tree, enabled, sbx_touch_count(), usual);
  if (chosen >= 0) {
    begin_step((uint32_t)chosen);
    return (uint32_t)chosen;
  }
  // A process that goes on ends the run in order.
  if (!sbx_face->rest) sbx_fail(SBX_CUT);
  s->outcome.failure = SBX_CUT;
  return usual;
}

static int is_searching(void) {
  struct sbx_shared *s = sbx_state;
  if (!sbx_searches() || s->outcome.failure == SBX_CUT) return 0;
  // More threads than a word has bits, or a run without end: what follows is not searched.
  if (s->thread_count < 64 && !s->is_fair) return 1;
  s->tree.is_partial = 1;
  return 0;
}

// Who can go on, for whoever chooses: on its stack it would be a page more of each thread.
static uint16_t list[SBX_MAX_THREADS];

static struct sbx_thread *choose(struct sbx_thread *self, int leaves, int yields) {
  struct sbx_shared *s = sbx_state;
  for (;;) {
    uint32_t forced = leaves ? FORCED : 0;
    self->points++;
    int plan = s->run.is_replay ? planned(self) : -1;
    uint64_t next = SBX_NEVER;
    if (!s->run.is_replay && is_searching()) plan = (int)by_tree(self, leaves, yields, &next);
    if (plan == 0 || (plan < 0 && !s->run.is_replay && clock_goes(&next))) {
      if (plan != 0 || clock_may_go(&next)) {
        decided(self, 0);
        step(self, 0, s->ready_count, forced | DECIDED);
        advance(next);
        if (!s->ready_count) await_somebody(1);
        continue;
      }
      diverged();
      plan = -1;
    }
    uint32_t woken = plan > 0 ? (uint32_t)plan : s->run.is_replay ? 0 : wakes_for_no_reason();
    if (woken && woken <= s->thread_count && may_wake(&s->threads[woken])) {
      decided(self, woken);
      step(self, woken, s->ready_count, forced | DECIDED | FOR_NO_REASON);
      sbx_make_ready(&s->threads[woken], SBX_WOKEN);
      self->turns = s->threads[woken].turns = 0;
      return &s->threads[woken];
    }
    if (s->ready_count == 1 && !leaves) {
      if (plan > 0 && plan != (int)self->number) diverged();
      self->turns = 0;
      step(self, self->number, 1, 0);
      return self;
    }
    uint32_t count = gather(list);
    uint32_t usual = by_default(self, list, count, leaves, yields), chosen = usual;
    if (plan > 0 && holds(list, count, (uint32_t)plan)) chosen = (uint32_t)plan;
    else if (plan > 0) diverged();
    else if (!s->run.is_replay && !s->is_fair && count > 1) chosen = by_strategy(self, list, count, leaves, yields);
    if (chosen != usual) decided(self, chosen);
    step(self, chosen, count, forced | (chosen != usual ? DECIDED : 0));
    if (chosen == self->number) self->turns++;
    else { self->turns = 0; s->threads[chosen].turns = 0; }
    return &s->threads[chosen];
  }
}

// Time passes while somebody runs, too: whoever's deadline it has reached can go on. Sought now and then, and by those who poll.
static void take_due(int yields) {
  struct sbx_shared *s = sbx_state;
  if ((yields || s->outcome.steps % 64 == 0) && next_deadline() <= s->now) advance(s->now);
}

struct sbx_thread *sbx_choose(struct sbx_thread *self, int leaves, int yields) {
  struct sbx_shared *s = sbx_state;
  take_due(yields);
  if (!s->ready_count || s->io_is_stale || s->arrivals != s->arrivals_seen) await_somebody(1);
  return choose(self, leaves, yields);
}

struct sbx_thread *sbx_choose_if_any(struct sbx_thread *self) {
  return await_somebody(0) ? choose(self, 1, 0) : 0;
}

int sbx_pick_value(struct sbx_thread *self, int count) {
  struct sbx_shared *s = sbx_state;
  int chosen = 0;
  self->points++;
  self->kind = SBX_STALE;
  if (s->run.is_replay) {
    int plan = planned(self);
    if (plan > 0 && plan < count) chosen = plan;
    else if (plan >= 0) diverged();
  } else if (is_searching()) {
    chosen = sbx_tree_pick(&s->tree, (uint32_t)count);
  } else if (s->run.strategy != SBX_PLAIN && !s->is_fair && draw() % 4 == 0) {
    chosen = (int)(draw() % (uint64_t)count);
  }
  if (chosen) decided(self, (uint32_t)chosen);
  step(self, self->number, s->ready_count, chosen ? DECIDED : 0);
  return chosen;
}

int sbx_pick(struct sbx_thread *self, struct sbx_thread **waiters, int count) {
  struct sbx_shared *s = sbx_state;
  int chosen = 0;
  self->points++;
  if (s->run.is_replay) {
    int plan = planned(self);
    for (int i = 0; i < count; i++) if ((int)waiters[i]->number == plan) chosen = i;
    if (plan >= 0 && (int)waiters[chosen]->number != plan) diverged();
  } else if (is_searching()) {
    chosen = sbx_tree_pick(&s->tree, (uint32_t)count);
  } else if (s->run.strategy != SBX_PLAIN && !s->is_fair && draw() % 4 == 0) {
    chosen = (int)(draw() % (uint64_t)count);
  }
  if (chosen) decided(self, waiters[chosen]->number);
  step(self, self->number, s->ready_count, chosen ? DECIDED : 0);
  return chosen;
}

int sbx_draw_fault(struct sbx_thread *self) {
  struct sbx_shared *s = sbx_state;
  self->points++;
  int fails = s->run.is_replay ? planned(self) >= 0
              : s->run.strategy != SBX_EXHAUSTIVE && !s->is_fair && s->fault_budget && !(draw() & SBX_FAULT_MASK);
  if (fails) {
    if (s->fault_budget) s->fault_budget--;
    decided(self, self->number);
  }
  step(self, self->number, s->ready_count, fails ? DECIDED : 0);
  return fails;
}

SANITIZED_AGAIN
