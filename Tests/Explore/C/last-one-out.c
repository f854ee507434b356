// last-one-out.c: whoever drops the last reference closes the file, but asks for the count only after letting the lock go.
// Two threads can both have dropped theirs before either asks: both see zero, and the file is closed twice.
// Fix: the count is read under the lock under which it was changed, so exactly one sees the step to zero.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static mtx_t lock;
static int references = 3;
static bool is_closed;

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 120000; step++) { } }

static void close_file(void) {
  mtx_lock(&lock);
  if (is_closed) { puts("closed twice"); abort(); }
  is_closed = true;
  mtx_unlock(&lock);
}

static int drop(void *rounds) {
  prepare(*(int *)rounds);
  mtx_lock(&lock);
  references--;
#ifndef MENDED
  mtx_unlock(&lock);
  mtx_lock(&lock);
#endif
  bool is_last = references == 0;
  mtx_unlock(&lock);
  if (is_last) close_file();
  return 0;
}

int main(void) {
  static int rounds[] = {0, 1, 2};
  thrd_t threads[3];
  mtx_init(&lock, mtx_plain);
  for (int n = 0; n < 3; n++) thrd_create(&threads[n], drop, &rounds[n]);
  for (int n = 0; n < 3; n++) thrd_join(threads[n], NULL);
}
