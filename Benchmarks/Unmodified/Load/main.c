// main.c: the load of a server of HTTP/1.1: requests at a fixed rate, in an open loop: each has a time at which it is
// to be sent, whatever became of those before, and its latency counts from that time. So a server that stops for a
// moment pays for all requests of that moment. One thread; a connection has one request at a time, and while none is
// free, requests wait here. What is waited for, and the figures, are load.c.
//
//   BenchLoad PORT RATE SECONDS CONNECTIONS WARM-UP   requests to 127.0.0.1: RATE a second for SECONDS, after WARM-UP
//                                                     seconds of the same, which are not measured
//
// It prints one JSON object: `requests` measured, `seconds` from the first one's time to the last answer, `p50`, `p99`
// and `longest` latency in microseconds, `late`: how far behind a request's time this program itself was at most, and
// `all` requests with those of the warm-up. Status: 0; 1 an answer is missing or wrong; 64 wrong call.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "load.h"

static long number(const char *text, long most) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  return errno != 0 || *end != 0 || end == text || value < 0 || value > most ? -1 : value;
}

int main(int count, char **words) {
  struct load load;
  long values[5] = {-1, -1, -1, -1, -1};
  static const long most[5] = {65535, 1000000, 3600, 1000, 3600};
  for (int place = 0; count == 6 && place < 5; place++) values[place] = number(words[place + 1], most[place]);
  for (int place = 0; place < 5; place++) {
    // A warm-up may be left out.
    if (values[place] >= (place < 4 ? 1 : 0)) continue;
    fprintf(stderr, "usage: BenchLoad PORT RATE SECONDS CONNECTIONS WARM-UP\n");
    return 64;
  }
  const char *fault = load_begin(&load, (int)values[0], values[1], values[2], (int)values[3], values[4]);
  if (!fault) fault = load_run(&load);
  if (fault) {
    fprintf(stderr, "BenchLoad: %s\n", fault);
    return 1;
  }
  load_print(&load);
  load_end(&load);
  return 0;
}
