// c.c: what a schedule of a small program costs: two threads, a lock, a condition; it computes nothing. For Scripts/explore-figures.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *work(void *unused) {
  for (int i = 0; i < 4; i++) {
    pthread_mutex_lock(&lock);
    ready++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  pthread_mutex_lock(&lock);
  while (ready < 8) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
