// permits-one-by-one.c: two jobs need both of two permits each, and take them one after the other.
// If each has got one, none is left: both wait forever for the other's.
// Fix: a lock is held while the two are taken, so nobody starts to take while another has only one.
#include <pthread.h>
#include <semaphore.h>

static sem_t permits;
static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 120000; step++) { } }

static void *work(void *rounds) {
  prepare(*(int *)rounds);
#ifdef MENDED
  pthread_mutex_lock(&taking);
#endif
  for (int n = 0; n < 2; n++) sem_wait(&permits);
#ifdef MENDED
  pthread_mutex_unlock(&taking);
#endif
  for (int n = 0; n < 2; n++) sem_post(&permits);
  return NULL;
}

int main(void) {
  static int rounds[] = {0, 1};
  pthread_t threads[2];
  (void)taking;
  sem_init(&permits, 0, 2);
  for (int n = 0; n < 2; n++) pthread_create(&threads[n], NULL, work, &rounds[n]);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
}
