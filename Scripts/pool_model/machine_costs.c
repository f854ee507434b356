// machine_costs.c: what the machine's own steps cost, in nanoseconds: `machine_costs` prints a line "NAME VALUE" for each. Two threads stay on two
// processors for what passes between them. Each figure is the median of many.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 401, STEPS = 1000, WAKES = 1001 };
static int processors[2];
static struct {
  _Alignas(128) _Atomic uint64_t word;
  _Alignas(128) _Atomic uint32_t futex;
  _Alignas(128) _Atomic uint64_t other;
} shared;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}
static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}
static void stay_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  if (sched_setaffinity(0, sizeof set, &set)) {
    perror("machine_costs: sched_setaffinity");
    exit(1);
  }
}
static void rest(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

// Nanoseconds for one step; `step` is written out in the loop, so that nothing is called.
#define EACH(step)                                          \
  ({                                                        \
    double rounds[ROUNDS];                                  \
    for (int round = 0; round < ROUNDS; round++) {          \
      double start = now();                                 \
      for (int count = 0; count < STEPS; count++) { step; } \
      rounds[round] = (now() - start) / STEPS;              \
    }                                                       \
    median(rounds, ROUNDS);                                 \
  })

// A word goes from one processor to the other by swaps. One way, without the swap itself.
static void *answers(void *unused) {
  (void)unused;
  stay_on(processors[1]);
  for (long count = 0; count < (long)ROUNDS * STEPS; count++) {
    uint64_t expected = 1;
    while (!atomic_compare_exchange_weak(&shared.word, &expected, 0)) expected = 1;
  }
  return NULL;
}
static double one_way(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, answers, NULL);
  double each = EACH({
    uint64_t expected = 0;
    while (!atomic_compare_exchange_weak(&shared.word, &expected, 1)) expected = 0;
  });
  pthread_join(thread, NULL);
  return each / 2;
}

// Others drop a line that all have read: what a swap of it takes, less what it takes where nobody else has it. `other` asks for a reading and has the
// answer.
static void *reads(void *unused) {
  (void)unused;
  stay_on(processors[1]);
  for (uint64_t count = 1; count <= STEPS; count++) {
    while (atomic_load(&shared.other) != 2 * count - 1) rest();
    uint64_t seen = atomic_load(&shared.word);
    __asm__ volatile("" ::"r"(seen) : "memory");
    atomic_store(&shared.other, 2 * count);
  }
  return NULL;
}
static double timed_swap(void) {
  double start = now();
  atomic_fetch_add(&shared.word, 1);
  return now() - start;
}
static double drop(void) {
  static double shared_by_both[STEPS], own[STEPS];
  pthread_t thread;
  atomic_store(&shared.other, 0);
  pthread_create(&thread, NULL, reads, NULL);
  for (uint64_t count = 1; count <= STEPS; count++) {
    atomic_store(&shared.other, 2 * count - 1);
    while (atomic_load(&shared.other) != 2 * count) rest();
    shared_by_both[count - 1] = timed_swap();
    own[count - 1] = timed_swap();
  }
  pthread_join(thread, NULL);
  double difference = median(shared_by_both, STEPS) - median(own, STEPS);
  return difference > 0 ? difference : 0;
}

// A sleeper on the other processor, woken when it has slept for a while.
static double woken_at[WAKES];
static void *sleeps(void *unused) {
  (void)unused;
  stay_on(processors[1]);
  for (uint32_t count = 0; count < WAKES; count++) {
    while (atomic_load(&shared.futex) == count) syscall(SYS_futex, &shared.futex, FUTEX_WAIT_PRIVATE, count, NULL, NULL, 0);
    woken_at[count] = now();
    atomic_store(&shared.other, count + 1);
  }
  return NULL;
}
static void wake(double *call, double *latency) {
  static double calls[WAKES], latencies[WAKES];
  pthread_t thread;
  atomic_store(&shared.futex, 0);
  atomic_store(&shared.other, 0);
  pthread_create(&thread, NULL, sleeps, NULL);
  for (uint32_t count = 0; count < WAKES; count++) {
    double until = now() + 50e3;
    while (now() < until) rest();
    atomic_store(&shared.futex, count + 1);
    double start = now();
    syscall(SYS_futex, &shared.futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    calls[count] = now() - start;
    while (atomic_load(&shared.other) <= count) rest();
    latencies[count] = woken_at[count] - start;
  }
  pthread_join(thread, NULL);
  *call = median(calls, WAKES);
  *latency = median(latencies, WAKES);
}

// Two threads of one processor let each other run.
static _Atomic int is_over;
static void *lets_run(void *unused) {
  (void)unused;
  stay_on(processors[0]);
  while (!atomic_load(&is_over)) sched_yield();
  return NULL;
}

int main(void) {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) || CPU_COUNT(&usable) < 2) {
    fputs("machine_costs: two processors are needed\n", stderr);
    return 1;
  }
  int found = 0;
  for (int processor = 0; processor < CPU_SETSIZE && found < 2; processor++)
    if (CPU_ISSET(processor, &usable)) processors[found++] = processor;
  stay_on(processors[0]);
  double load = EACH({
    uint64_t seen = atomic_load_explicit(&shared.word, memory_order_relaxed);
    __asm__ volatile("" ::"r"(seen));
  });
  double store = EACH(atomic_store_explicit(&shared.word, 0, memory_order_relaxed));
  double swap = EACH(atomic_fetch_add(&shared.other, 1));
  double pause = EACH(rest());
  double yield_call = EACH(sched_yield());
  pthread_t thread;
  pthread_create(&thread, NULL, lets_run, NULL);
  sched_yield();
  // Each turn of ours is one of the other's.
  double switching = EACH(sched_yield()) / 2;
  atomic_store(&is_over, 1);
  pthread_join(thread, NULL);
  double transfer = one_way() - swap, call, latency;
  wake(&call, &latency);
  printf("load %.3f\nstore %.3f\nswap %.3f\npause %.3f\nyield_call %.1f\nswitch %.1f\n", load, store, swap, pause, yield_call, switching);
  printf("drop %.2f\n", drop());
  printf("transfer %.2f\nwake_call %.0f\nwake_latency %.0f\n", transfer, call, latency);
  return 0;
}
