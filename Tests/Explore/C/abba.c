// abba.c: two transfers in opposite directions lock the same two accounts in opposite orders.
// Each can hold its first lock while it waits for the other's, and then both wait forever.
// Fix: both lock the account with the lower number first, so no cycle of waits can form.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account { pthread_mutex_t lock; int number; long balance; };
static struct account accounts[] = {{PTHREAD_MUTEX_INITIALIZER, 0, 100}, {PTHREAD_MUTEX_INITIALIZER, 1, 100}};

static void prepare(void) { for (volatile int step = 0; step < 150000; step++) { } }

static void transfer(struct account *from, struct account *to, long sum) {
#ifdef MENDED
  struct account *first = from->number < to->number ? from : to;
#else
  struct account *first = from;
#endif
  struct account *second = first == from ? to : from;
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->balance -= sum;
  to->balance += sum;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void *there(void *unused) { transfer(&accounts[0], &accounts[1], 10); return unused; }
static void *back(void *unused) { prepare(); transfer(&accounts[1], &accounts[0], 20); return unused; }

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, there, NULL);
  pthread_create(&threads[1], NULL, back, NULL);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
  if (accounts[0].balance != 110 || accounts[1].balance != 90) { puts("failed: the sums are wrong"); exit(1); }
}
