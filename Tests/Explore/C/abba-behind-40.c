// abba-behind-40.c: two threads take forty pairs of locks in the same order, and one more pair in opposite orders.
// Only a switch within that one pair out of forty-one leaves each with the lock that the other wants: both wait forever.
// Fix: the last pair is taken in the same order too, so no cycle of waits can form.
#include <pthread.h>
#include <stdlib.h>

enum { pairs = 40 };
static pthread_mutex_t outer[pairs + 1], inner[pairs + 1];

static void prepare(void) { for (volatile int step = 0; step < 150000; step++) { } }

static void take(pthread_mutex_t *first, pthread_mutex_t *second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void *forwards(void *unused) {
  for (int n = 0; n <= pairs; n++) take(&outer[n], &inner[n]);
  return unused;
}

static void *backwards(void *unused) {
  prepare();
  for (int n = 0; n < pairs; n++) take(&outer[n], &inner[n]);
#ifdef MENDED
  take(&outer[pairs], &inner[pairs]);
#else
  take(&inner[pairs], &outer[pairs]);
#endif
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int n = 0; n <= pairs; n++) {
    pthread_mutex_init(&outer[n], NULL);
    pthread_mutex_init(&inner[n], NULL);
  }
  pthread_create(&threads[0], NULL, forwards, NULL);
  pthread_create(&threads[1], NULL, backwards, NULL);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
}
