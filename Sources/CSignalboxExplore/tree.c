// tree.c: pure: all schedules of a small program, one after the other, depth first, with sleep sets. Kept is the path of the present
// schedule alone: a run follows it as far as it goes, and then goes on by itself and makes it longer.
//
// After a thread's step has been tried at a node, the thread sleeps in what is tried there next, until a step comes that depends on its
// own: until then to let it go on would only repeat what was tried. A run in which all who could go on sleep is cut short.
#include "csignalbox_explore.h"

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

void sbx_tree_begin(struct sbx_tree *tree) {
  tree->at = 0;
  tree->sleep = 0;
}

static struct sbx_node *grow(struct sbx_tree *tree) {
  if (tree->depth == SBX_MAX_NODES) { tree->is_partial = 1; return 0; }
  tree->at++;
  return &tree->nodes[tree->depth++];
}

int sbx_tree_choose(struct sbx_tree *tree, uint64_t enabled, const uint32_t *footprints, uint32_t usual) {
  uint64_t sleep = tree->sleep;
  uint32_t chosen;
  if (!(enabled & (enabled - 1))) {
    if (enabled & sleep) return -1;
    chosen = (uint32_t)__builtin_ctzll(enabled);
  } else if (tree->at < tree->depth) {
    struct sbx_node *node = &tree->nodes[tree->at++];
    // Not what was here the last time: something that is not seen has a hand in it.
    if (node->picks || node->enabled != enabled) tree->is_partial = 1;
    chosen = enabled >> node->chosen & 1 ? node->chosen : usual;
    sleep |= node->done;
  } else {
    uint64_t open = enabled & ~sleep;
    if (!open) return -1;
    chosen = open >> usual & 1 ? usual : (uint32_t)__builtin_ctzll(open);
    struct sbx_node *node = grow(tree);
    if (node) *node = (struct sbx_node){.enabled = enabled, .sleep = sleep, .chosen = chosen};
  }
  tree->sleep = 0;
  for (uint64_t left = sleep & ~(1ull << chosen); left; left &= left - 1) {
    uint32_t thread = (uint32_t)__builtin_ctzll(left);
    if (!sbx_depend(footprints[thread], footprints[chosen])) tree->sleep |= 1ull << thread;
  }
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
  if (node) *node = (struct sbx_node){.picks = count};
  return 0;
}

int sbx_tree_advance(struct sbx_tree *tree) {
  while (tree->depth) {
    struct sbx_node *node = &tree->nodes[tree->depth - 1];
    if (node->picks) {
      if (++node->chosen < node->picks) return 1;
    } else {
      node->done |= 1ull << node->chosen;
      uint64_t open = node->enabled & ~node->done & ~node->sleep;
      if (open) { node->chosen = (uint32_t)__builtin_ctzll(open); return 1; }
    }
    tree->depth--;
  }
  return 0;
}
