// main.c: a C program that lets go of every object at the earliest moment that the interface allows: in the very item, handler or
// thread that learns that the object has done its work. Freed memory that is touched afterwards shows in the output at times, and
// always under a heap that keeps freed memory closed (Tests/GuardedHeap).
//
// Arguments: `brief` does everything less often; `all` adds what the toolchain's library does not survive
// (Differences/c-face.json).
#include "program.h"

#include <string.h>
#include <unistd.h>

static int is_brief;
int does_all;

int times(int most) { return is_brief ? (most + 19) / 20 : most; }

static int has_failed;

void check(const char *what, int holds) {
  printf("%s: %s\n", what, holds ? "yes" : "NO");
  fflush(stdout);
  if (!holds) has_failed = 1;
}

struct start {
  void (*body)(long);
  long number;
};

static void *run(void *argument) {
  struct start *start = argument;
  start->body(start->number);
  return NULL;
}

void on_threads(int threads, void (*body)(long number)) {
  pthread_t thread[threads];
  struct start start[threads];
  for (int number = 0; number < threads; number++) {
    start[number] = (struct start){body, number};
    if (pthread_create(&thread[number], NULL, run, &start[number])) abort();
  }
  for (int number = 0; number < threads; number++) pthread_join(thread[number], NULL);
}

void await(atomic_long *counter, long number) {
  while (atomic_load(counter) < number) usleep(500);
}

static int status(void) { return has_failed; }

int main(int count, char **words) {
  for (int word = 1; word < count; word++) {
    if (strcmp(words[word], "brief") == 0) is_brief = 1;
    if (strcmp(words[word], "all") == 0) does_all = 1;
  }
  ends();
  targets();
  targets_on_main(status);
}
