// load.c: sends requests at their times and awaits their answers, in one thread: descriptors and a timer of the kernel
// in one epoll set. What the numbers mean is main.c.
#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// For the last answers, after the last request's time.
static const int64_t patience = 60LL * 1000000000;
static const int timer_mark = -1;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t due(const struct load *load, long request) { return load->begin + (int64_t)(load->step * (double)request); }

const char *load_begin(struct load *load, int port, long rate, long seconds, int connections, long warm_up) {
  *load = (struct load){.warm = rate * warm_up, .step = 1e9 / (double)rate, .lines = connections};
  load->all = load->warm + rate * seconds;
  load->line = calloc((size_t)connections, sizeof *load->line);
  load->idle = calloc((size_t)connections, sizeof *load->idle);
  load->latencies = calloc((size_t)(load->all - load->warm), sizeof *load->latencies);
  load->poll = epoll_create1(EPOLL_CLOEXEC);
  load->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (!load->line || !load->idle || !load->latencies || load->poll < 0 || load->timer < 0) return "no memory or descriptors";
  struct epoll_event event = {.events = EPOLLIN, .data.fd = timer_mark};
  if (epoll_ctl(load->poll, EPOLL_CTL_ADD, load->timer, &event)) return "the timer cannot be waited for";
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int place = 0; place < connections; place++) {
    struct line *line = &load->line[place];
    line->request = -1;
    line->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line->descriptor < 0 || connect(line->descriptor, (struct sockaddr *)&address, sizeof address)) return "no connection";
    int on = 1;
    setsockopt(line->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    event.data.fd = place;
    if (epoll_ctl(load->poll, EPOLL_CTL_ADD, line->descriptor, &event)) return "a connection cannot be waited for";
    load->idle[load->idles++] = place;
  }
  return NULL;
}

static const char *send_request(struct load *load) {
  struct line *line = &load->line[load->idle[--load->idles]];
  char text[128];
  int size = snprintf(text, sizeof text, "GET /orders/%ld HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", load->sent);
  if (send(line->descriptor, text, (size_t)size, MSG_NOSIGNAL) != size) return "a request cannot be sent";
  line->request = load->sent++;
  line->length = 0;
  return NULL;
}

// Sends what is due; sets the timer to the next time if a connection is free for it.
static const char *send_due(struct load *load) {
  int64_t time = now();
  while (load->sent < load->all && load->idles > 0 && due(load, load->sent) <= time) {
    const char *fault = send_request(load);
    if (fault) return fault;
  }
  struct itimerspec next = {0};
  if (load->sent < load->all && load->idles > 0) {
    int64_t at = due(load, load->sent);
    next.it_value.tv_sec = at / 1000000000;
    next.it_value.tv_nsec = at % 1000000000;
  }
  return timerfd_settime(load->timer, TFD_TIMER_ABSTIME, &next, NULL) ? "the timer cannot be set" : NULL;
}

// The length of the whole answer once its head is there; 0: it is not. -1: it is no answer of the server's.
static long whole(const struct line *line) {
  const char *end = strstr(line->answer, "\r\n\r\n"), *mark = "Content-Length: ";
  if (!end) return line->length < sizeof line->answer - 1 ? 0 : -1;
  const char *field = strstr(line->answer, mark);
  if (strncmp(line->answer, "HTTP/1.1 200 ", 13) || !field || field > end) return -1;
  return end + 4 - line->answer + strtol(field + strlen(mark), NULL, 10);
}

static const char *take_answer(struct load *load, int place) {
  struct line *line = &load->line[place];
  ssize_t count = read(line->descriptor, line->answer + line->length, sizeof line->answer - 1 - line->length);
  if (count <= 0) return "the server has closed a connection";
  line->length += (size_t)count;
  line->answer[line->length] = 0;
  long length = whole(line);
  if (length == 0 || length > (long)line->length) return length < (long)sizeof line->answer ? NULL : "an answer is too long";
  char path[32];
  snprintf(path, sizeof path, "\r\n\r\n/orders/%ld ", line->request);
  if (length != (long)line->length || line->request < 0 || !strstr(line->answer, path)) return "an answer is wrong";
  load->end = now();
  if (line->request >= load->warm) load->latencies[line->request - load->warm] = load->end - due(load, line->request);
  load->answered++;
  line->request = -1;
  load->idle[load->idles++] = place;
  return NULL;
}

const char *load_run(struct load *load) {
  struct epoll_event events[64];
  load->begin = now();
  const int64_t last = due(load, load->all) + patience;
  int was_free = 1;
  while (load->answered < load->all) {
    // Where a connection was free all the while, the only reason for being late is this program itself.
    int64_t behind = was_free && load->sent < load->all ? now() - due(load, load->sent) : 0;
    if (behind > load->late && load->sent >= load->warm) load->late = behind;
    const char *fault = send_due(load);
    if (fault) return fault;
    was_free = load->idles > 0;
    int count = epoll_wait(load->poll, events, 64, 1000);
    if (count < 0 && errno != EINTR) return "waiting fails";
    for (int place = 0; place < count; place++) {
      uint64_t times;
      if (events[place].data.fd != timer_mark) {
        if ((fault = take_answer(load, events[place].data.fd))) return fault;
      } else if (read(load->timer, &times, sizeof times) < 0 && errno != EAGAIN) {
        return "the timer cannot be read";
      }
    }
    if (now() > last) return "answers are missing";
  }
  return NULL;
}

static int compare(const void *one, const void *other) {
  int64_t left = *(const int64_t *)one, right = *(const int64_t *)other;
  return (left > right) - (left < right);
}

void load_print(struct load *load) {
  long count = load->all - load->warm;
  qsort(load->latencies, (size_t)count, sizeof *load->latencies, compare);
  // The smallest that is not below the part of all.
  double p50 = (double)load->latencies[(count - 1) / 2] / 1e3, p99 = (double)load->latencies[(count * 99 + 99) / 100 - 1] / 1e3;
  printf("{\"requests\":%ld,\"seconds\":%.3f,\"p50\":%.1f,\"p99\":%.1f,\"longest\":%.1f,\"late\":%.1f,\"all\":%ld}\n", count,
    (double)(load->end - due(load, load->warm)) / 1e9, p50, p99, (double)load->latencies[count - 1] / 1e3,
    (double)load->late / 1e3, load->all);
}

void load_end(struct load *load) {
  for (int place = 0; place < load->lines; place++) close(load->line[place].descriptor);
  close(load->poll);
  close(load->timer);
  free(load->line);
  free(load->idle);
  free(load->latencies);
}
