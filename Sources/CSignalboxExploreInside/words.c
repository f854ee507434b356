// words.c: operations on the engine's atomic words, in a build with the trait Explore, as the core sees them; and memory that is given
// back while such words are in it.
//
// That memory is kept until the run ends. So it is nobody else's meanwhile, and whoever comes to a word in it is found, whatever the
// allocator would have done; what is not seen then is a word that comes to lie where another was.
#define _GNU_SOURCE
#include "csignalbox_explore_inside.h"

#include <malloc.h>
#include <stdlib.h>

#include "core.h"
#include "face.h"

int sbx_inside_word_before(uint32_t point, const void *word, uint32_t width, uint32_t order) {
  (void)width; (void)order;
  return sbx_word_before(SBX_ATOMIC_LOAD + point, KEY(word), 0);
}
uint64_t sbx_inside_word_loaded(const void *word, uint32_t width, uint32_t order, uint64_t value) {
  (void)word; (void)width;
  return sbx_word_loaded(order, value);
}
void sbx_inside_word_changed(
    const void *word, uint32_t width, uint32_t order, uint64_t old, uint64_t fresh, int wrote) {
  (void)word; (void)width;
  sbx_word_changed(order, old, fresh, wrote);
}

// Whether the thread's parks are the core's. Without points it sleeps as all threads do that the core knows.
static int is_seen(void) { return is_on() && sbx_state->run.flags & SBX_ATOMICS && !sbx_self->is_unseen; }

int sbx_inside_park(const void *word, uint32_t expected, uint64_t deadline, int is_wall, uint32_t bits) {
  if (!is_seen()) return -1;
  uint64_t until = SBX_NEVER;
  if (deadline != UINT64_MAX) {
    struct timespec time = {(time_t)(deadline / 1000000000), (long)(deadline % 1000000000)};
    until = sbx_deadline(is_wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, &time);
  }
  sbx_point(SBX_PARK, KEY(word), 0);
  uint32_t value = __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED);
  sbx_word_compared(value);
  if (value != expected) return 1;
  if (until != SBX_NEVER && until <= sbx_state->now) return 2;
  return sbx_wait(SBX_PARKED, KEY(word), until, bits, 0) == SBX_TIMED_OUT ? 2 : 0;
}

int sbx_inside_park_wake(const void *word, int most, uint32_t bits) {
  if (!is_seen()) return -1;
  sbx_point(SBX_PARK_WAKE, KEY(word), 0);
  if (sbx_state->run.flags & SBX_WEAK_WAKES) return 0;
  if (most >= SBX_MAX_THREADS) return sbx_wake_all(KEY(word), bits);
  int woken = 0;
  while (woken < most && sbx_wake_one(KEY(word), bits, 0)) woken++;
  return woken;
}

int sbx_inside_fence(void) {
  if (!is_seen()) return 0;
  sbx_fence_all(0);
  return 1;
}

void sbx_inside_unseen(int is_unseen) {
  if (sbx_self) sbx_self->is_unseen = is_unseen ? 1 : 0;
}

// --- memory that is given back ---

#if defined(SIGNALBOX_EXPLORE) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#if !defined(__has_feature) || !(__has_feature(thread_sanitizer) || __has_feature(address_sanitizer))
#define KEEPS_MEMORY 1
#endif
#endif

#ifdef KEEPS_MEMORY
extern void __libc_free(void *);
// Blocks of the run under way that its threads have given back.
enum { MOST_KEPT = 65536 };
static void *kept[MOST_KEPT];
static uint32_t kept_count;

EXPORT void free(void *block) {
  if (block && LIKELY(sbx_self != 0) && sbx_state->is_active && sbx_state->run.flags & SBX_ATOMICS) {
    int sees = is_seen() && kept_count < MOST_KEPT;
    if (sbx_words_freed(KEY(block), malloc_usable_size(block), sees) && sees) {
      kept[kept_count++] = block;
      return;
    }
  }
  __libc_free(block);
}

void sbx_inside_give_back(void) {
  while (kept_count) __libc_free(kept[--kept_count]);
}
#else
void sbx_inside_give_back(void) {}
#endif

SANITIZED_AGAIN
