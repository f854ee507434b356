// philosophers.c: four philosophers take the fork on the left, then the one on the right.
// If each has its left fork before any has two, every one of them waits for its neighbour forever.
// Fix: the last one takes the right fork first, so all take the fork with the lower number first and no cycle can form.
#include <pthread.h>

enum { seats = 4 };
static pthread_mutex_t forks[seats];
static int numbers[seats];

static void prepare(int rounds) { for (volatile int step = 0; step < rounds * 60000; step++) { } }

static void *dine(void *number) {
  int seat = *(int *)number;
  int first = seat, second = (seat + 1) % seats;
#ifdef MENDED
  if (first > second) { first = second; second = seat; }
#endif
  prepare(seat);
  pthread_mutex_lock(&forks[first]);
  pthread_mutex_lock(&forks[second]);
  pthread_mutex_unlock(&forks[second]);
  pthread_mutex_unlock(&forks[first]);
  return NULL;
}

int main(void) {
  pthread_t threads[seats];
  for (int seat = 0; seat < seats; seat++) pthread_mutex_init(&forks[seat], NULL);
  for (int seat = 0; seat < seats; seat++) {
    numbers[seat] = seat;
    pthread_create(&threads[seat], NULL, dine, &numbers[seat]);
  }
  for (int seat = 0; seat < seats; seat++) pthread_join(threads[seat], NULL);
}
