// upgrade-both.c: a reader becomes the writer by waiting, as a reader, until it is the only reader.
// Two readers that do so at the same time wait for each other to stop reading, forever.
// Fix: the second one is refused, stops reading and starts again, so the first one becomes the only reader.
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers;
static bool is_upgrading;

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 120000; step++) { } }

static void begin_reading(void) {
  pthread_mutex_lock(&lock);
  while (is_upgrading) pthread_cond_wait(&changed, &lock);
  readers++;
  pthread_mutex_unlock(&lock);
}

static void end(bool as_writer) {
  pthread_mutex_lock(&lock);
  readers--;
  if (as_writer) is_upgrading = false;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static bool upgrade(void) {
  pthread_mutex_lock(&lock);
#ifdef MENDED
  bool is_refused = is_upgrading;
#else
  bool is_refused = false;
#endif
  if (!is_refused) is_upgrading = true;
  while (!is_refused && readers > 1) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return !is_refused;
}

static void *update(void *rounds) {
  prepare(*(int *)rounds);
  for (begin_reading(); !upgrade(); begin_reading()) end(false);
  end(true);
  return NULL;
}

int main(void) {
  static int rounds[] = {0, 1};
  pthread_t threads[2];
  for (int n = 0; n < 2; n++) pthread_create(&threads[n], NULL, update, &rounds[n]);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
}
