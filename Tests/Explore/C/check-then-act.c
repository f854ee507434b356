// check-then-act.c: a buyer checks under the lock that something is in stock, and takes it under the lock later.
// Two buyers can both see the last one before either takes it, and the stock goes below zero.
// Fix: checked and taken without letting the lock go, so what was seen still holds.
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 120000; step++) { } }

static void *buy(void *rounds) {
  prepare(*(int *)rounds);
  pthread_mutex_lock(&lock);
  bool is_there = stock > 0;
#ifndef MENDED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  if (is_there && --stock < 0) { puts("failed: sold what is not there"); exit(1); }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  static int rounds[] = {0, 1};
  pthread_t threads[2];
  for (int n = 0; n < 2; n++) pthread_create(&threads[n], NULL, buy, &rounds[n]);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
}
