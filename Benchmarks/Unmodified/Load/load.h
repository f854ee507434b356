// load.h: requests that are sent at their times, and the latencies of their answers.
#pragma once
#include <stddef.h>
#include <stdint.h>

// A connection, and the request that it has.
struct line {
  int descriptor;
  // Of its request; -1: it has none.
  long request;
  // What has come of the answer.
  char answer[512];
  size_t length;
};

struct load {
  // Requests of the warm-up, and all; those that were sent and answered.
  long warm, all, sent, answered;
  // A request's time in nanoseconds is `begin` and its number times `step`.
  double step;
  int64_t begin, end, late;
  int lines;
  struct line *line;
  // Numbers of those without a request, the one that was free last on top.
  int *idle, idles;
  int poll, timer;
  // Of each measured request, in nanoseconds.
  int64_t *latencies;
};

// Makes the connections; returns what is wrong, or NULL.
const char *load_begin(struct load *load, int port, long rate, long seconds, int connections, long warm_up);
// Sends all requests and awaits all answers; returns what is wrong, or NULL.
const char *load_run(struct load *load);
void load_print(struct load *load);
void load_end(struct load *load);
