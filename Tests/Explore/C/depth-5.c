// depth-5.c: two sides shake hands in seven steps, each counts if its turn has come, and the lock is let go between them.
// Both end up connected only if they take turns at every step, which takes five preemptions, and nobody has thought of that.
// Fix: each side holds the lock over all its steps, so the steps of two sides never mix and no second one of a side counts.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state;

static void prepare(void) { for (volatile int step = 0; step < 150000; step++) { } }

static void *shake(void *first) {
  if (*(int *)first == 1) prepare();
  pthread_mutex_lock(&lock);
  for (int step = *(int *)first; step < 7; step += 2) {
    if (state == step) state++;
#ifndef MENDED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  static int first[] = {0, 1};
  pthread_t threads[2];
  for (int n = 0; n < 2; n++) pthread_create(&threads[n], NULL, shake, &first[n]);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
  if (state == 7) { puts("failed: both are connected"); exit(1); }
}
