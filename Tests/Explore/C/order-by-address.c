// order-by-address.c: one thread takes two locks at a time in the order of a table that is hashed by address, the other in the order of their
// making. The two orders differ somewhere, and there each can hold the lock that the other wants.
// Fix: both go by the table.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 6, BUCKETS = 31 };
struct account { pthread_mutex_t lock; struct account *next; long balance; };
static struct account *made[ACCOUNTS], *listed[ACCOUNTS], *table[BUCKETS];

static void prepare(void) { for (volatile int step = 0; step < 150000; step++) { } }

static void move(struct account *from, struct account *to) {
  pthread_mutex_lock(&from->lock);
  pthread_mutex_lock(&to->lock);
  from->balance--;
  to->balance++;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}
static void move_between_all(struct account **order) {
  for (int n = 0; n < ACCOUNTS; n++) for (int m = n + 1; m < ACCOUNTS; m++) move(order[n], order[m]);
}

static void *by_table(void *unused) { move_between_all(listed); return unused; }
static void *by_making(void *unused) {
  prepare();
#ifdef MENDED
  move_between_all(listed);
#else
  move_between_all(made);
#endif
  return unused;
}

int main(void) {
  for (int n = 0; n < ACCOUNTS; n++) {
    // Of several sizes, so that the addresses lie unevenly.
    struct account *account = made[n] = calloc(1, sizeof *account + (size_t)(n % 5) * 48);
    if (!account) exit(2);
    pthread_mutex_init(&account->lock, NULL);
    struct account **bucket = &table[((uintptr_t)account >> 4) * 2654435761u % BUCKETS];
    account->next = *bucket;
    *bucket = account;
  }
  int count = 0;
  for (int n = 0; n < BUCKETS; n++) for (struct account *account = table[n]; account; account = account->next) listed[count++] = account;
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, by_table, NULL);
  pthread_create(&threads[1], NULL, by_making, NULL);
  for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
  long sum = 0;
  for (int n = 0; n < ACCOUNTS; n++) { sum += made[n]->balance; free(made[n]); }
  if (sum) { puts("failed: the sums are wrong"); exit(1); }
}
