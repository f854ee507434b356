// second-barrier.c: a writer fills a page in each of two rounds, both threads meet at a barrier, and the reader reads the page.
// Nothing keeps the writer from filling the page for the second round before the reader has read that of the first.
// Fix: both meet a second time after the reading, so no page is filled while it is still to be read.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int page;

static void prepare(void) { for (volatile int step = 0; step < 150000; step++) { } }

static void *fill(void *unused) {
  for (int round = 1; round <= 2; round++) {
    pthread_mutex_lock(&lock);
    page = round;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&barrier);
#ifdef MENDED
    pthread_barrier_wait(&barrier);
#endif
    usleep(30 * 1000);
  }
  return unused;
}

static void *read_pages(void *unused) {
  for (int round = 1; round <= 2; round++) {
    prepare();
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&lock);
    if (page != round) { puts("failed: the page is of another round"); exit(1); }
    pthread_mutex_unlock(&lock);
#ifdef MENDED
    pthread_barrier_wait(&barrier);
#endif
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&threads[0], NULL, fill, NULL);
  pthread_create(&threads[1], NULL, read_pages, NULL);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
}
