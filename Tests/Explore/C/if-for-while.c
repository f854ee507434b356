// if-for-while.c: a consumer that was woken takes an item without checking again whether there is one.
// Between the signal and its return from the wait another consumer can take the item, and then the store goes below zero.
// Fix: `while` instead of `if`: the item is taken under the same lock under which it was seen.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 120000; step++) { } }

static void *produce(void *unused) {
  for (int n = 0; n < 2; n++) {
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void *consume(void *rounds) {
  prepare(*(int *)rounds);
  pthread_mutex_lock(&lock);
#ifdef MENDED
  while (items == 0) pthread_cond_wait(&filled, &lock);
#else
  if (items == 0) pthread_cond_wait(&filled, &lock);
#endif
  if (--items < 0) { puts("failed: an item was taken that is not there"); exit(1); }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  static int rounds[] = {2, 3};
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, produce, NULL);
  for (int n = 0; n < 2; n++) pthread_create(&threads[n + 1], NULL, consume, &rounds[n]);
  for (int n = 0; n < 3; n++) pthread_join(threads[n], NULL);
}
