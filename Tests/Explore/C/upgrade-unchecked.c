// upgrade-unchecked.c: a reader that finds a table empty lets its read lock go, takes the write lock and fills the table.
// Between the two locks another reader can have done the same, and the table is filled twice.
// Fix: the writer checks once more under the write lock, so only the first one fills.
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int fillings;

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 120000; step++) { } }

static void *use(void *rounds) {
  prepare(*(int *)rounds);
  pthread_rwlock_rdlock(&lock);
  bool is_empty = fillings == 0;
  pthread_rwlock_unlock(&lock);
  if (!is_empty) return NULL;
  pthread_rwlock_wrlock(&lock);
#ifdef MENDED
  is_empty = fillings == 0;
#endif
  if (is_empty && ++fillings > 1) { puts("failed: filled twice"); exit(1); }
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  static int rounds[] = {0, 1, 2};
  pthread_t threads[3];
  for (int n = 0; n < 3; n++) pthread_create(&threads[n], NULL, use, &rounds[n]);
  for (int n = 0; n < 3; n++) pthread_join(threads[n], NULL);
}
