// main.c: a C program for -sanitize=thread: `program CASE` runs one case, `program` lists them, each with a word before.
#include "cases.h"

#include <Block.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long state;
dispatch_semaphore_t done;

// A thread of its own, which no item runs on later. It stays to the end of the program: of threads that are gone the sanitizer forgets what
// they did, and so their races.
static void *do_it(void *deed) {
  ((dispatch_block_t)deed)();
  Block_release(deed);
  for (;;) pause();
}
void do_elsewhere(dispatch_block_t deed) {
  __block atomic_int is_done = 0;
  dispatch_block_t all = Block_copy(^{
    deed();
    atomic_store_explicit(&is_done, 1, memory_order_relaxed);
  });
  pthread_t thread;
  if (pthread_create(&thread, NULL, do_it, all)) abort();
  pthread_detach(thread);
  while (!atomic_load_explicit(&is_done, memory_order_relaxed)) sched_yield();
}

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
    done = dispatch_semaphore_create(0);
    cases->run();
    printf("%s: %ld\n", cases->name, state);
    return 1;
  }
  return 0;
}

int main(int count, char **words) {
  const char *name = count > 1 ? words[1] : NULL;
  const struct sanitizer_case *all[] = {queue_cases, event_cases, order_cases, source_cases, end_cases, racy_cases};
  int found = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) found += run(all[i], name);
  if (found > 0 || !name) return 0;
  fprintf(stderr, "there is no case %s\n", name);
  return 64;
}
