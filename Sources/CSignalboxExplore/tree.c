// tree.c: pure: all schedules of a small program, one after the other, depth first, with sleep sets. Kept is the path of the present
// schedule alone: a run follows it as far as it goes, and then goes on by itself and makes it longer.
//
// After a thread's step has been tried at a node, the thread sleeps in what is tried there next, until a step comes that depends on its
// own: until then to let it go on would only repeat what was tried. What its own step touches is known from when it was tried; what the
// others' touch is seen when they are over. A run in which all who could go on sleep is cut short. Why nothing is lost: README.md.
#include "layout.h"

uint32_t sbx_footprint(uint32_t kind, uint32_t object) {
  switch (kind) {
    // What comes after these is the thread's own, until its next point; a sleep with an object is a timer's.
    case SBX_START: return SBX_TOUCHES_NOTHING;
    case SBX_SLEEP: return object ? SBX_TOUCHES_ALL : SBX_TOUCHES_NOTHING;
    // Threads are numbered as they are made.
    case SBX_CREATE: return SBX_TOUCHES_THREADS;
    case SBX_END: case SBX_JOIN: case SBX_DETACH:
    case SBX_LOCK: case SBX_TRYLOCK: case SBX_TIMEDLOCK: case SBX_UNLOCK:
    case SBX_READ_LOCK: case SBX_WRITE_LOCK: case SBX_RW_UNLOCK: case SBX_SPIN_LOCK: case SBX_SPIN_UNLOCK:
    case SBX_CONDITION_SIGNAL: case SBX_CONDITION_BROADCAST:
    case SBX_SEMAPHORE_WAIT: case SBX_SEMAPHORE_POST: case SBX_BARRIER:
    case SBX_FILE_LOCK: case SBX_FILE_UNLOCK:
    case SBX_ATOMIC_STORE: case SBX_ATOMIC_UPDATE: case SBX_PARK: case SBX_PARK_WAKE: return object ? object : SBX_TOUCHES_ALL;
    case SBX_ATOMIC_LOAD: return object ? object | SBX_READS : SBX_TOUCHES_ALL;
    // A thread that was woken goes on to its next point.
    case SBX_PARKED: return SBX_TOUCHES_NOTHING;
    // A wait on a condition gives a lock back and takes it again; futexes guard what is not seen; the engine's operations touch much.
    default: return SBX_TOUCHES_ALL;
  }
}

int sbx_depend(uint32_t one, uint32_t other) {
  if (one == SBX_TOUCHES_NOTHING || other == SBX_TOUCHES_NOTHING) return 0;
  if (one == SBX_TOUCHES_ALL || other == SBX_TOUCHES_ALL) return 1;
  if (one == SBX_TOUCHES_THREADS || other == SBX_TOUCHES_THREADS) return one == other;
  return (one & ~(uint32_t)SBX_READS) == (other & ~(uint32_t)SBX_READS) && !(one & other & SBX_READS);
}

// --- what steps touch ---

enum { NOWHERE = 0xffffffff, BITS = 62 };
static const uint64_t all = ~0ull;

static int is_read(uint32_t object) { return object != SBX_TOUCHES_THREADS && object & SBX_READS; }
static uint32_t without_read(uint32_t object) { return is_read(object) ? object & ~(uint32_t)SBX_READS : object; }

// Several objects may share a bit: then they are taken for one.
static uint64_t bit(uint32_t object) {
  return object == SBX_TOUCHES_THREADS ? 1ull << BITS : 1ull << without_read(object) % BITS;
}

static uint32_t mix(uint32_t hash, uint32_t value) {
  hash = (hash ^ value) * 0x9e3779b1;
  return hash ^ hash >> 15;
}

void sbx_tree_touch(struct sbx_tree *tree, uint32_t object) {
  if (object == SBX_TOUCHES_NOTHING || tree->touches_all) return;
  if (object == SBX_TOUCHES_ALL) { tree->touches_all = 1; return; }
  for (uint32_t i = 0; i < tree->touched_count; i++) {
    if (without_read(tree->touched[i]) != without_read(object)) continue;
    if (!is_read(object)) tree->touched[i] = object;
    return;
  }
  if (tree->touched_count == SBX_MAX_TOUCHED) tree->touches_all = 1;
  else tree->touched[tree->touched_count++] = object;
}

static int is_known(uint32_t object, uint32_t known) {
  return object == SBX_TOUCHES_THREADS || without_read(object) <= known;
}

// Whether the step under way and that of a thread that sleeps depend on each other. Objects that had no number when that one was tried
// may have got any other since.
static int meets(const struct sbx_tree *tree, const struct sbx_footprint *asleep) {
  if (!(asleep->changed | asleep->read) && !asleep->changed_new && !asleep->read_new) return 0;
  if (tree->touches_all) return 1;
  if (asleep->changed == all) return tree->touched_count > 0;
  for (uint32_t i = 0; i < tree->touched_count; i++) {
    uint32_t object = tree->touched[i];
    if (is_known(object, asleep->known)) {
      if ((is_read(object) ? asleep->changed : asleep->changed | asleep->read) & bit(object)) return 1;
    } else if (asleep->changed_new || (asleep->read_new && !is_read(object))) {
      return 1;
    }
  }
  return 0;
}

static struct sbx_footprint footprint(const struct sbx_tree *tree) {
  struct sbx_footprint made = {.known = tree->known};
  if (tree->touches_all) {
    made.changed = all;
    made.changed_new = 1;
    return made;
  }
  for (uint32_t i = 0; i < tree->touched_count; i++) {
    uint32_t object = tree->touched[i];
    if (is_known(object, tree->known)) *(is_read(object) ? &made.read : &made.changed) |= bit(object);
    else if (is_read(object)) made.read_new = 1;
    else made.changed_new = 1;
  }
  return made;
}

// The step under way is over: those whose steps depend on it are awake.
static void end_step(struct sbx_tree *tree) {
  if (tree->is_blunt) {
    tree->touches_all = 1;
    tree->touched_count = 0;
  }
  if (tree->node != NOWHERE) tree->nodes[tree->node].step = footprint(tree);
  for (uint64_t left = tree->sleep; left; left &= left - 1) {
    uint32_t thread = (uint32_t)__builtin_ctzll(left);
    if (meets(tree, &tree->asleep[thread])) tree->sleep &= ~(1ull << thread);
  }
  tree->hash = mix(tree->hash, tree->touches_all);
  for (uint32_t i = 0; i < tree->touched_count; i++) tree->hash = mix(tree->hash, tree->touched[i]);
  tree->touched_count = tree->touches_all = 0;
  tree->node = NOWHERE;
}

// --- a run ---

void sbx_tree_begin(struct sbx_tree *tree) {
  tree->at = 0;
  tree->sleep = 0;
  tree->hash = tree->known = tree->touched_count = tree->touches_all = 0;
  tree->node = NOWHERE;
}

static struct sbx_node *grow(struct sbx_tree *tree) {
  if (tree->depth == SBX_MAX_NODES) { tree->is_partial = 1; return 0; }
  tree->at++;
  return &tree->nodes[tree->depth++];
}

// Those that were tried at the node sleep from there on.
static void put_to_sleep(struct sbx_tree *tree, const struct sbx_node *node) {
  for (uint32_t i = 0; i < (uint32_t)__builtin_popcountll(node->done); i++) {
    struct sbx_footprint tried = tree->sleepers[node->sleepers + i];
    tree->sleep |= 1ull << tried.thread;
    tree->asleep[tried.thread] = tried;
  }
}

int sbx_tree_choose(struct sbx_tree *tree, uint64_t enabled, uint32_t known, uint32_t usual) {
  end_step(tree);
  uint32_t chosen;
  tree->hash = mix(mix(tree->hash, (uint32_t)enabled ^ (uint32_t)(enabled >> 32)), known);
  if (!(enabled & (enabled - 1))) {
    if (enabled & tree->sleep) return -1;
    chosen = (uint32_t)__builtin_ctzll(enabled);
  } else if (tree->at < tree->depth) {
    struct sbx_node *node = &tree->nodes[tree->at];
    // Not what was here the last time: something that is not seen affects it.
    if (node->picks || node->enabled != enabled || node->hash != tree->hash) tree->is_partial = 1;
    if (!node->picks) put_to_sleep(tree, node);
    chosen = enabled >> node->chosen & 1 ? node->chosen : usual;
    tree->node = tree->at++;
  } else {
    uint64_t open = enabled & ~tree->sleep;
    if (!open) return -1;
    chosen = open >> usual & 1 ? usual : (uint32_t)__builtin_ctzll(open);
    struct sbx_node *node = grow(tree);
    if (node) {
      *node = (struct sbx_node){
          .enabled = enabled, .sleep = tree->sleep, .chosen = chosen, .hash = tree->hash, .sleepers = tree->sleeper_count};
      tree->node = tree->at - 1;
    }
  }
  tree->hash = mix(tree->hash, chosen);
  tree->sleep &= ~(1ull << chosen);
  tree->known = known;
  return (int)chosen;
}

int sbx_tree_pick(struct sbx_tree *tree, uint32_t count) {
  if (count < 2) return 0;
  if (tree->at < tree->depth) {
    struct sbx_node *node = &tree->nodes[tree->at++];
    if (node->picks != count) tree->is_partial = 1;
    return node->chosen < count ? (int)node->chosen : 0;
  }
  struct sbx_node *node = grow(tree);
  if (node) *node = (struct sbx_node){.picks = count, .sleepers = tree->sleeper_count};
  return 0;
}

// --- from run to run ---

// The next of the threads at a node; 0 if all were tried, or sleep.
static int try_next(struct sbx_tree *tree, struct sbx_node *node) {
  node->done |= 1ull << node->chosen;
  uint64_t open = node->enabled & ~node->done & ~node->sleep;
  if (!open) return 0;
  if (tree->sleeper_count == SBX_MAX_SLEEPERS) { tree->is_partial = 1; return 0; }
  node->step.thread = (uint16_t)node->chosen;
  tree->sleepers[tree->sleeper_count++] = node->step;
  node->chosen = (uint32_t)__builtin_ctzll(open);
  return 1;
}

int sbx_tree_advance(struct sbx_tree *tree) {
  end_step(tree);
  while (tree->depth) {
    struct sbx_node *node = &tree->nodes[tree->depth - 1];
    if (node->picks) {
      if (++node->chosen < node->picks) return 1;
    } else if (try_next(tree, node)) {
      return 1;
    }
    tree->sleeper_count = node->sleepers;
    tree->depth--;
  }
  return 0;
}

double sbx_tree_progress(const struct sbx_tree *tree) {
  double share = 1, before = 0;
  for (uint32_t i = 0; i < tree->depth; i++) {
    const struct sbx_node *node = &tree->nodes[i];
    int tried = node->picks ? (int)node->chosen : __builtin_popcountll(node->done);
    int choices = node->picks ? (int)node->picks : __builtin_popcountll(node->enabled & ~node->sleep);
    share /= choices;
    before += share * tried;
  }
  return before;
}

SANITIZED_AGAIN
