// main.c: a C program that knows nothing of Signalbox and times one piece of work: `BenchProgramC ROW MILLISECONDS`
// prints nanoseconds per operation. `signalbox bench --unmodified` runs it in turn on both libraries. The row "start-c"
// times nothing: the process that starts the program does.
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return difference < 0 ? -1 : difference > 0;
}

// Nanoseconds per operation: the median of the calls, so that calls in which another program had the processor do not count.
// The first third of the time is for warming up.
static double measure(const struct row *row, double milliseconds) {
  enum { MOST = 100000 };
  static double calls[MOST];
  long batch = milliseconds > 0 || row->batch < 200 ? row->batch : 200, count = 0;
  double budget = milliseconds * 1e6, start = now(), begin, end;
  do row->run(batch); while (now() - start < budget / 3);
  start = end = now();
  do {
    begin = end;
    row->run(batch);
    end = now();
    calls[count++] = end - begin;
  } while (end - start < budget && count < MOST);
  qsort(calls, (size_t)count, sizeof *calls, compare);
  return (calls[(count - 1) / 2] + calls[count / 2]) / 2 / (double)batch;
}

int main(int count, char **arguments) {
  if (count != 3) {
    fputs("usage: BenchProgramC ROW MILLISECONDS (0: one small call)\n", stderr);
    return 64;
  }
  if (!strcmp(arguments[1], "start-c")) return 0;
  for (const struct row *row = rows; row->name; row++)
    if (!strcmp(row->name, arguments[1])) {
      printf("%f\n", measure(row, atof(arguments[2])));
      return 0;
    }
  fprintf(stderr, "BenchProgramC: there is no row %s\n", arguments[1]);
  return 64;
}
