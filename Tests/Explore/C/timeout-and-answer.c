// timeout-and-answer.c: who waits for an answer with a time limit gives up whenever the wait says that its time is over.
// The answer can come between the end of the time and the return from the wait: then it is both given and given up.
// Fix: what counts is whether the answer is there, asked under the lock, and who answers sees there whether anyone still waits.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t answered;
static bool is_answered, has_given_up;

static int answer(void *unused) {
  mtx_lock(&lock);
  if (!has_given_up) is_answered = true;
  cnd_signal(&answered);
  mtx_unlock(&lock);
  return unused != NULL;
}

static int ask(void *unused) {
  struct timespec limit;
  timespec_get(&limit, TIME_UTC);
  limit.tv_nsec += 40 * 1000 * 1000;
  if (limit.tv_nsec >= 1000000000) { limit.tv_nsec -= 1000000000; limit.tv_sec++; }
  mtx_lock(&lock);
  bool is_over = false;
  while (!is_answered && !is_over) is_over = cnd_timedwait(&answered, &lock, &limit) == thrd_timedout;
#ifdef MENDED
  has_given_up = !is_answered;
#else
  has_given_up = is_over;
#endif
  if (has_given_up && is_answered) { puts("failed: an answer was given and given up"); exit(1); }
  mtx_unlock(&lock);
  return unused != NULL;
}

int main(void) {
  thrd_t threads[2];
  mtx_init(&lock, mtx_plain);
  cnd_init(&answered);
  thrd_create(&threads[0], ask, NULL);
  thrd_create(&threads[1], answer, NULL);
  for (int n = 0; n < 2; n++) thrd_join(threads[n], NULL);
}
