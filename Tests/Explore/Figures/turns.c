// turns.c: what a switch costs, and a step without one: two threads yield to one another this many times, or one of them takes a free lock
// this many times while the other waits. `turns yields N` or `turns locks N`. For Scripts/explore-figures.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static int is_yielding, count;

static void *work(void *unused) {
  if (is_yielding) for (int i = 0; i < count; i++) sched_yield();
  else pthread_mutex_lock(&held), pthread_mutex_unlock(&held);
  return unused;
}

int main(int arguments, char **words) {
  if (arguments < 3) return 64;
  is_yielding = !strcmp(words[1], "yields");
  count = atoi(words[2]);
  pthread_mutex_lock(&held);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  if (is_yielding) for (int i = 0; i < count; i++) sched_yield();
  else for (int i = 0; i < count; i++) pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&held);
  pthread_join(thread, 0);
  return 0;
}
