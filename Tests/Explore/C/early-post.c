// early-post.c: a writer posts the semaphore when the first half of a page is there, and writes the second half after that.
// The reader, who takes the semaphore for the sign that all is there, can read between the two.
// Fix: the post comes after both halves, so whoever has come through the semaphore finds both.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_published;
static int halves;

static void write_half(void) {
  pthread_mutex_lock(&lock);
  halves++;
  pthread_mutex_unlock(&lock);
}

static void *publish(void *unused) {
  write_half();
#ifdef MENDED
  write_half();
  sem_post(&is_published);
#else
  sem_post(&is_published);
  write_half();
#endif
  return unused;
}

static void *read_page(void *unused) {
  usleep(30 * 1000);
  sem_wait(&is_published);
  pthread_mutex_lock(&lock);
  if (halves != 2) { puts("failed: half a page was read"); exit(1); }
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&is_published, 0, 0);
  pthread_create(&threads[0], NULL, publish, NULL);
  pthread_create(&threads[1], NULL, read_page, NULL);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
}
