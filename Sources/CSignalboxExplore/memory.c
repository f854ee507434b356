// memory.c: what atomic operations on a word may read, by the memory orders of C11: a history of stores, and clocks of who knows of which.
//
// A store is known to a thread if the thread made it, has read it or a later one, or if one who had done so has come before it by an
// acquire that read from a release. A load may return the newest store, or an older one as long as the thread knows of none in
// between; which one is chosen as threads are. What is not modelled: README.md, "Memory".
#include "core.h"

enum { STORES = 7, THREADS = 32, WORDS = 2048 };
// How often a thread may read one and the same store of a word while there is a newer one: every store is seen in the end.
enum { REPEATS = 2 };
// Loads in a row, of one word that is left alone, after which a thread waits for another to change it. More than code makes that does
// not poll: what is held back too early is not explored.
enum { LOADS_OF_A_WAIT = 8 };

// How many operations of each thread have come before.
struct clock { uint32_t at[THREADS]; };

struct store {
  uint64_t value;
  struct clock released;   // what whoever acquires this store then knows
  struct clock seen;       // each thread's own time when it first read the store, or made it; 0: it has not
};

// By the number of its object. The newest store has the number `version`; 0: nothing is known yet.
static struct word {
  uint64_t version, oldest;
  uint64_t seq_cst;        // the newest store that is sequentially consistent; 0: none
  uint32_t freed_by;       // the thread that gave back the memory it was in
  struct store stores[STORES];
  uint64_t last[THREADS];  // what each thread has read last, and how often again
  uint8_t repeats[THREADS];
} words[WORDS];
// What other objects, by which threads wait for each other, hand from one to the next; 0: all that have no number.
static struct clock handed[WORDS];

static struct thread {
  struct clock now;
  struct clock fenced;     // what a relaxed store hands on: what the thread knew at its last fence
  uint32_t word, loads;    // loads in a row, of one word, that read the newest store
  uint64_t version;
} threads[THREADS];

static uint32_t live[WORDS], live_count, most_handed;
static int is_off;

// Which lines of memory may have live words in them, a bit for several: most blocks that are given back have none.
enum { LINE = 64, LINES = 4096 };
static uint64_t lines[LINES / 64];
static void mark_line(uint64_t address) { lines[address / LINE % LINES / 64] |= 1ull << address / LINE % 64; }
static int is_marked(uint64_t begin, uint64_t size) {
  if (size / LINE >= LINES) return 1;
  for (uint64_t line = begin / LINE; line <= (begin + size - 1) / LINE; line++)
    if (lines[line % LINES / 64] >> line % 64 & 1) return 1;
  return 0;
}

void sbx_memory_begin(void) {
  for (uint32_t i = 0; i < live_count; i++) words[live[i]].version = words[live[i]].freed_by = 0;
  for (uint32_t i = 0; i <= most_handed; i++) handed[i] = (struct clock){0};
  for (uint32_t i = 0; i < THREADS; i++) threads[i] = (struct thread){0};
  for (uint32_t i = 0; i < LINES / 64; i++) lines[i] = 0;
  live_count = most_handed = 0;
  is_off = 0;
}

// How many threads of the run a clock has a place for. What lies behind is 0 in every clock: most runs have a handful.
static uint32_t known_threads(void) { return sbx_state->thread_count < THREADS ? sbx_state->thread_count + 1 : THREADS; }

static void join(struct clock *one, const struct clock *other) {
  for (uint32_t i = 0, count = known_threads(); i < count; i++) if (other->at[i] > one->at[i]) one->at[i] = other->at[i];
}

static int is_modelled(void) { return sbx_state->run.flags & SBX_ATOMICS && !is_off; }

// More threads or words than there is room for: from here on every load returns the newest.
static int give_up(void) {
  is_off = 1;
  sbx_state->tree.is_partial = 1;
  return 0;
}

static struct thread *thread_of(const struct sbx_thread *self) {
  return self->number < THREADS || give_up() ? &threads[self->number] : 0;
}
static struct word *word_of(const struct sbx_thread *self) {
  return (self->object && self->object < WORDS) || give_up() ? &words[self->object] : 0;
}

// --- what threads hand to each other besides ---

void sbx_memory_starts(struct sbx_thread *child) {
  if (!is_modelled() || child->number >= THREADS) return;
  if (sbx_self && sbx_self->number < THREADS) threads[child->number] = threads[sbx_self->number];
  threads[child->number].now.at[child->number]++;
}

void sbx_memory_passes(struct sbx_thread *self) {
  if (!is_modelled()) return;
  switch (self->kind) {
    // The words' own; and what orders nothing.
    case SBX_ATOMIC_LOAD: case SBX_ATOMIC_STORE: case SBX_ATOMIC_UPDATE: case SBX_PARK: case SBX_PARKED: case SBX_PARK_WAKE:
    case SBX_FENCE_ALL: case SBX_STALE: case SBX_START: case SBX_CREATE: case SBX_SLEEP: case SBX_YIELD: case SBX_CLOCK: return;
    default: break;
  }
  if (self->kind >= SBX_ENGINE) return;
  struct thread *thread = thread_of(self);
  if (!thread) return;
  uint32_t number = self->object < WORDS ? self->object : 0;
  if (number > most_handed) most_handed = number;
  thread->now.at[self->number]++;
  join(&thread->now, &handed[number]);
  join(&handed[number], &thread->now);
}

void sbx_fence_all(uint64_t place) {
  if (!sbx_is_on()) return;
  sbx_point(SBX_FENCE_ALL, 0, place);
  if (sbx_state->run.flags & SBX_WEAK_FENCES) return;
  struct clock all = {0};
  uint32_t count = known_threads();
  for (uint32_t i = 0; i < count; i++) join(&all, &threads[i].now);
  for (uint32_t i = 0; i < count; i++) {
    if (!threads[i].now.at[i]) continue;
    threads[i].now = threads[i].fenced = all;
  }
}

// --- stores ---

static struct store *store_at(struct word *word, uint64_t version) { return &word->stores[version % STORES]; }

static struct store *append(struct word *word, uint64_t value) {
  if (!word->version) word->oldest = 1;
  word->version++;
  if (word->version - word->oldest == STORES) word->oldest++;
  struct store *store = store_at(word, word->version);
  *store = (struct store){.value = value};
  return store;
}

// A value that comes from elsewhere: from before the word was used, or from what is not seen. All know it.
static void learn(struct word *word, uint32_t number, uint64_t value) {
  if (word->version && store_at(word, word->version)->value == value) return;
  if (!word->version) {
    if (live_count < WORDS) live[live_count++] = number;
    mark_line(sbx_state->objects[number].address);
    word->seq_cst = word->freed_by = 0;
    for (uint32_t i = 0; i < THREADS; i++) { word->last[i] = 0; word->repeats[i] = 0; }
  }
  struct store *store = append(word, value);
  for (uint32_t i = 0, count = known_threads(); i < count; i++) join(&store->released, &threads[i].now);
  for (uint32_t i = 0; i < THREADS; i++) store->seen.at[i] = 1;
}

static int is_known(const struct store *store, const struct clock *now) {
  for (uint32_t i = 0, count = known_threads(); i < count; i++) if (store->seen.at[i] && store->seen.at[i] <= now->at[i]) return 1;
  return 0;
}

// The oldest store that a load may return.
static uint64_t floor_of(const struct sbx_thread *self, struct thread *thread, struct word *word, uint32_t order) {
  uint64_t floor = word->version;
  while (floor > word->oldest && !is_known(store_at(word, floor), &thread->now)) floor--;
  if (order == SBX_SEQ_CST && word->seq_cst > floor) floor = word->seq_cst;
  uint64_t last = word->last[self->number];
  if (last >= floor && last < word->version && word->repeats[self->number] >= REPEATS) floor = last + 1;
  return floor;
}

// The order that the operation has in this run.
static uint32_t in_this_run(uint32_t order) {
  uint32_t flags = sbx_state->run.flags;
  if (order == SBX_SEQ_CST && flags & SBX_WEAK_SEQ_CST) order = SBX_ACQ_REL;
  if (flags & SBX_WEAK_RELEASES) order = order == SBX_RELEASE ? SBX_RELAXED : order == SBX_ACQ_REL ? SBX_ACQUIRE : order;
  if (flags & SBX_WEAK_ACQUIRES) order = order == SBX_ACQUIRE ? SBX_RELAXED : order == SBX_ACQ_REL ? SBX_RELEASE : order;
  return order;
}

static int acquires(uint32_t order) { return order == SBX_ACQUIRE || order == SBX_ACQ_REL || order == SBX_SEQ_CST; }
static int releases(uint32_t order) { return order == SBX_RELEASE || order == SBX_ACQ_REL || order == SBX_SEQ_CST; }

static void reads(struct sbx_thread *self, struct thread *thread, struct word *word, uint64_t version, uint32_t order) {
  struct store *store = store_at(word, version);
  if (!store->seen.at[self->number]) store->seen.at[self->number] = thread->now.at[self->number];
  if (acquires(order)) join(&thread->now, &store->released);
  if (word->last[self->number] != version) word->repeats[self->number] = 0;
  if (word->repeats[self->number] < REPEATS) word->repeats[self->number]++;
  word->last[self->number] = version;
}

// `number`: the step of the operation, behind which that of a choice may stand.
static void note_value(uint64_t number, uint32_t order, uint64_t value) {
  struct sbx_step *step = &sbx_state->steps[number % SBX_MAX_STEPS];
  step->order = order;
  step->value = value;
}

// --- for a face ---

int sbx_memory_spins(const struct sbx_thread *self) {
  if (!is_modelled() || self->number >= THREADS) return 0;
  const struct thread *thread = &threads[self->number];
  return thread->loads >= LOADS_OF_A_WAIT && words[thread->word].version == thread->version &&
         self->kind == SBX_ATOMIC_LOAD && self->object == thread->word;
}

int sbx_word_before(uint32_t kind, uint64_t address, uint64_t place) {
  if (!sbx_is_on() || !(sbx_state->run.flags & SBX_ATOMICS) || sbx_self->is_unseen) return 0;
  struct sbx_thread *self = sbx_self;
  struct thread *thread = self->number < THREADS ? &threads[self->number] : 0;
  uint32_t number = (uint32_t)(sbx_object_at(address, kind, place) - sbx_state->objects);
  if (thread && (kind != SBX_ATOMIC_LOAD || thread->word != number)) thread->loads = 0;
  int spins = thread && thread->loads >= LOADS_OF_A_WAIT && words[number].version == thread->version;
  if (spins) sbx_yield(kind, address, place);
  else sbx_point(kind, address, place);
  if (self->object < WORDS && words[self->object].freed_by) {
    self->is_inside = 1;
    sbx_state->outcome.status = (int32_t)words[self->object].freed_by;
    sbx_fail(SBX_FREED);
  }
  if (thread) thread->now.at[self->number]++;
  return 1;
}

uint64_t sbx_word_loaded(uint32_t order, uint64_t value) {
  struct sbx_thread *self = sbx_self;
  struct thread *thread;
  struct word *word;
  if (!is_modelled() || !(thread = thread_of(self)) || !(word = word_of(self))) return value;
  learn(word, self->object, value);
  order = in_this_run(order);
  uint64_t version = word->version, step = self->step;
  if (sbx_state->run.flags & SBX_STALE_READS) {
    uint64_t floor = floor_of(self, thread, word, order);
    if (floor < version) version -= (uint64_t)sbx_pick_value(self, (int)(version - floor) + 1);
  }
  reads(self, thread, word, version, order);
  thread->loads = version != word->version ? 0 : thread->word == self->object && thread->version == version ? thread->loads + 1 : 1;
  thread->word = self->object;
  thread->version = version;
  value = store_at(word, version)->value;
  note_value(step, order, value);
  return value;
}

void sbx_word_changed(uint32_t order, uint64_t old, uint64_t fresh, int wrote) {
  struct sbx_thread *self = sbx_self;
  struct thread *thread;
  struct word *word;
  if (!is_modelled() || !(thread = thread_of(self)) || !(word = word_of(self))) return;
  learn(word, self->object, old);
  order = in_this_run(order);
  struct clock handed_on = {0};
  // What an update writes goes on with what it has read: the release sequence.
  if (self->kind != SBX_ATOMIC_STORE) {
    handed_on = store_at(word, word->version)->released;
    reads(self, thread, word, word->version, order);
  }
  note_value(self->step, order, fresh);
  if (!wrote) return;
  join(&handed_on, releases(order) ? &thread->now : &thread->fenced);
  struct store *store = append(word, fresh);
  store->released = handed_on;
  store->seen.at[self->number] = thread->now.at[self->number];
  word->last[self->number] = word->version;
  word->repeats[self->number] = 0;
  if (order == SBX_SEQ_CST) word->seq_cst = word->version;
}

// What the kernel compares is the newest value, and afterwards the thread knows it.
void sbx_word_compared(uint64_t value) {
  struct sbx_thread *self = sbx_self;
  struct thread *thread;
  struct word *word;
  // The kernel reads a half of some words.
  if (!is_modelled() || !(thread = thread_of(self)) || !(word = word_of(self)) || !word->version) return;
  thread->now.at[self->number]++;
  if ((uint32_t)store_at(word, word->version)->value == (uint32_t)value) reads(self, thread, word, word->version, SBX_RELAXED);
}

int sbx_words_freed(uint64_t begin, uint64_t size, int is_seen) {
  int count = 0;
  if (!size || !is_marked(begin, size)) return 0;
  for (uint32_t i = 0; i < live_count; i++) {
    struct word *word = &words[live[i]];
    uint64_t address = sbx_state->objects[live[i]].address;
    if (!word->version || address < begin || address - begin >= size) continue;
    if (!is_seen) { sbx_untouch(address); word->version = 0; live[i--] = live[--live_count]; continue; }
    if (!word->freed_by) word->freed_by = sbx_self->number;
    count++;
  }
  return count;
}

SANITIZED_AGAIN
