// wrong-signal.c: the shipper waits until an order is paid, two customers until it is shipped, all on one condition with one signal a change.
// A signal can wake one who waits for something else, or one of two who wait for the same: others that could go on sleep forever.
// Fix: broadcast, so whoever can go on is among those that are woken, and all others wait again in their loops.
#include <pthread.h>
#include <unistd.h>

enum stage { ordered, paid, shipped };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static enum stage stage;

static void move_to(enum stage next) {
  stage = next;
#ifdef MENDED
  pthread_cond_broadcast(&changed);
#else
  pthread_cond_signal(&changed);
#endif
}

static void *ship(void *unused) {
  pthread_mutex_lock(&lock);
  while (stage < paid) pthread_cond_wait(&changed, &lock);
  move_to(shipped);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *receive(void *unused) {
  usleep(30 * 1000);
  pthread_mutex_lock(&lock);
  while (stage < shipped) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, ship, NULL);
  for (int n = 1; n < 3; n++) pthread_create(&threads[n], NULL, receive, NULL);
  pthread_mutex_lock(&lock);
  move_to(paid);
  pthread_mutex_unlock(&lock);
  for (int n = 0; n < 3; n++) pthread_join(threads[n], NULL);
}
