// pool_rows.c: items on a global queue of a built library, on the processors that the process may use:
// `pool_rows LIBRARY ROW NANOSECONDS ITEMS [CHAINS]`. ROW: outside (this thread submits all), chains (CHAINS of them, four for each processor without
// that: each item submits the next). NANOSECONDS: how long each item computes.
// Prints the wall time for each item, and what of processor time each took of this thread and of all others. The median of some runs, by wall time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 15, MOST_THREADS = 1024 };
typedef void (*async_function)(void *queue, void *context, void (*body)(void *));
static async_function async;
static void *queue;
static long rounds;
// What each thread has run, on a line of its own.
static struct { _Alignas(128) _Atomic long count; } ran[MOST_THREADS];
static _Atomic int threads;
static __thread _Atomic long *own;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}
static void compute(long count) {
  uint64_t value = 1;
  for (; count > 0; count--) {
    value = value * 3 + 1;
    __asm__ volatile("" : "+r"(value));
  }
}
static void has_run(void) {
  if (!own) own = &ran[atomic_fetch_add(&threads, 1) % MOST_THREADS].count;
  atomic_store_explicit(own, atomic_load_explicit(own, memory_order_relaxed) + 1, memory_order_relaxed);
}
static long sum(void) {
  long total = 0;
  // Those alone that have run something: going over all would cost the polling thread more than what it waits for.
  int count = atomic_load(&threads);
  for (int number = 0; number < count && number < MOST_THREADS; number++) total += atomic_load_explicit(&ran[number].count, memory_order_relaxed);
  return total;
}

static void item(void *unused) {
  (void)unused;
  compute(rounds);
  has_run();
}
static void link(void *left) {
  compute(rounds);
  if ((intptr_t)left > 1) async(queue, (void *)((intptr_t)left - 1), link);
  has_run();
}

static int compare_numbers(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}
// By the middle of many tries: a processor that others share is quicker for moments than it is for long.
static long rounds_for(double nanoseconds) {
  enum { TRIES = 201, ROUNDS = 100000 };
  double each[TRIES];
  for (int try = 0; try < TRIES; try++) {
    double start = now(CLOCK_THREAD_CPUTIME_ID);
    compute(ROUNDS);
    each[try] = (now(CLOCK_THREAD_CPUTIME_ID) - start) / ROUNDS;
  }
  qsort(each, TRIES, sizeof *each, compare_numbers);
  return (long)(nanoseconds / each[TRIES / 2]);
}

struct run { double wall, submitter, workers; };
static int compare(const void *left, const void *right) {
  double difference = ((const struct run *)left)->wall - ((const struct run *)right)->wall;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  if (count != 5 && count != 6) {
    fputs("usage: pool_rows LIBRARY outside|chains NANOSECONDS ITEMS [CHAINS]\n", stderr);
    return 64;
  }
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "pool_rows: %s\n", dlerror());
    return 1;
  }
  async = (async_function)dlsym(library, "dispatch_async_f");
  void *(*global)(intptr_t, uintptr_t) = (void *(*)(intptr_t, uintptr_t))dlsym(library, "dispatch_get_global_queue");
  if (!async || !global) {
    fprintf(stderr, "pool_rows: %s has no dispatch_async_f\n", arguments[1]);
    return 1;
  }
  queue = global(0, 0);
  rounds = rounds_for(atof(arguments[3]));
  long items = atol(arguments[4]), done = 0;
  cpu_set_t usable;
  sched_getaffinity(0, sizeof usable, &usable);
  int chains = count == 6 ? atoi(arguments[5]) : 4 * CPU_COUNT(&usable), is_chains = !strcmp(arguments[2], "chains");
  struct run runs[RUNS];
  for (int number = -2; number < RUNS; number++) {  // the first two warm up
    struct timespec moment = {0, 100000}, rest = {0, 200000};
    nanosleep(&rest, NULL);  // the workers sleep by then
    double start = now(CLOCK_MONOTONIC), process = now(CLOCK_PROCESS_CPUTIME_ID), thread = now(CLOCK_THREAD_CPUTIME_ID);
    if (is_chains)
      for (long chain = 0; chain < chains; chain++)
        async(queue, (void *)(intptr_t)(items * (chain + 1) / chains - items * chain / chains), link);
    else
      for (long one = 0; one < items; one++) async(queue, NULL, item);
    thread = now(CLOCK_THREAD_CPUTIME_ID) - thread;
    done += items;
    double polls = 0, poll = now(CLOCK_THREAD_CPUTIME_ID);
    while (sum() < done) nanosleep(&moment, NULL);
    polls = now(CLOCK_THREAD_CPUTIME_ID) - poll;
    struct run run = {now(CLOCK_MONOTONIC) - start, thread, now(CLOCK_PROCESS_CPUTIME_ID) - process - thread - polls};
    if (number >= 0) runs[number] = run;
  }
  qsort(runs, RUNS, sizeof *runs, compare);
  struct run *middle = &runs[RUNS / 2];
  printf("%.3f %.3f %.3f\n", middle->wall / (double)items, middle->submitter / (double)items, middle->workers / (double)items);
  return 0;
}
