// main.c: a C program for -sanitize=thread: `program CASE` runs one case, `program` lists them, each with a word before.
#include "cases.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

long state;

// Makes the pool's threads. Else an item's thread could be a new one, and what made it comes before all that it does, which would hide
// both races and missing orders.
static void warm_up(void) {
  enum { THREADS = 4 };
  static atomic_int here;
  for (int i = 0; i < THREADS; i++) {
    dispatch_queue_t queue = dispatch_queue_create("warm up", NULL);
    dispatch_async(queue, ^{
      atomic_fetch_add_explicit(&here, 1, memory_order_relaxed);
      while (atomic_load_explicit(&here, memory_order_relaxed) < THREADS) sched_yield();
    });
    dispatch_release(queue);
  }
  while (atomic_load_explicit(&here, memory_order_relaxed) < THREADS) sched_yield();
}

static int run(const struct sanitizer_case *cases, const char *name) {
  for (; cases->name; cases++) {
    if (!name) printf("%s %s\n", cases->is_racy ? "racy" : "clean", cases->name);
    if (!name || strcmp(cases->name, name)) continue;
    warm_up();
    cases->run();
    printf("%s: %ld\n", cases->name, state);
    return 1;
  }
  return 0;
}

int main(int count, char **words) {
  const char *name = count > 1 ? words[1] : NULL;
  if (run(queue_cases, name) + run(event_cases, name) + run(racy_cases, name) > 0 || !name) return 0;
  fprintf(stderr, "there is no case %s\n", name);
  return 64;
}
