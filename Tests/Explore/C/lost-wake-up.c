// lost-wake-up.c: a thread sees under the lock that nothing is there yet, lets the lock go, and takes it again to wait.
// If the other thread signals in between, nobody is waiting yet: the signal is lost, and the wait never ends.
// Fix: the check is made under the very lock that the wait lets go, in a loop, so no signal can come in between.
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static bool is_there;

static void prepare(void) { for (volatile int step = 0; step < 150000; step++) { } }

static void *deliver(void *unused) {
  pthread_mutex_lock(&lock);
  is_there = true;
  pthread_cond_signal(&arrived);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *receive(void *unused) {
  prepare();
  pthread_mutex_lock(&lock);
#ifndef MENDED
  bool must_wait = !is_there;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (must_wait) pthread_cond_wait(&arrived, &lock);
#endif
  while (!is_there) pthread_cond_wait(&arrived, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, deliver, NULL);
  pthread_create(&threads[1], NULL, receive, NULL);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
}
