// post-after-failed-try.c: a job that does not get the one permit goes on without, but gives one back at its end all the same.
// From then on there is a permit too many, and two others can be inside at once.
// Fix: only who got the permit gives it back, so there is never more than one.
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t permit;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 120000; step++) { } }

static void step_in(int by) {
  pthread_mutex_lock(&lock);
  inside += by;
  if (inside > 1) { puts("failed: two are inside at once"); exit(1); }
  pthread_mutex_unlock(&lock);
}

static void *work(void *rounds) {
  prepare(*(int *)rounds);
  bool has_permit = sem_trywait(&permit) == 0;
  if (has_permit) {
    step_in(1);
    step_in(-1);
  }
#ifdef MENDED
  if (!has_permit) return NULL;
#endif
  sem_post(&permit);
  return NULL;
}

int main(void) {
  static int rounds[] = {0, 1, 2};
  pthread_t threads[3];
  sem_init(&permit, 0, 1);
  for (int n = 0; n < 3; n++) pthread_create(&threads[n], NULL, work, &rounds[n]);
  for (int n = 0; n < 3; n++) pthread_join(threads[n], NULL);
}
