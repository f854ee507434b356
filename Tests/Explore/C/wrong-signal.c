// wrong-signal.c: producers and consumers of a buffer with one place share one condition, and each change signals one waiter.
// The signal of a consumer can wake the other consumer instead of the producer: that one waits again, and all sleep for ever.
// Mend: broadcast, so whoever can go on is among those that are woken, and all others wait again in their loops.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 120000; step++) { } }

static void tell(void) {
#ifdef MENDED
  pthread_cond_broadcast(&changed);
#else
  pthread_cond_signal(&changed);
#endif
}

static void *produce(void *unused) {
  pthread_mutex_lock(&lock);
  while (items == 1) pthread_cond_wait(&changed, &lock);
  items = 1;
  tell();
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *consume(void *rounds) {
  prepare(*(int *)rounds);
  pthread_mutex_lock(&lock);
  while (items == 0) pthread_cond_wait(&changed, &lock);
  items = 0;
  tell();
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  static int rounds[] = {2, 4};
  pthread_t threads[4];
  for (int n = 0; n < 2; n++) pthread_create(&threads[n], NULL, produce, NULL);
  for (int n = 0; n < 2; n++) pthread_create(&threads[n + 2], NULL, consume, &rounds[n]);
  for (int n = 0; n < 4; n++) pthread_join(threads[n], NULL);
}
