// main.c: the least that an echo server can be: `ProgramEchoFloor CONNECTIONS THREADS`. Threads on one epoll set, each event for
// one of them; prints its port, serves this many connections, and ends when they are closed.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int poller, listener, ended;
static atomic_long left, unaccepted;

static void watch(int operation, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = descriptor};
  if (epoll_ctl(poller, operation, descriptor, &event)) exit(4);
}

static void take_connections(void) {
  while (atomic_load(&unaccepted) > 0) {
    int one = 1, descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) break;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    atomic_fetch_sub(&unaccepted, 1);
    watch(EPOLL_CTL_ADD, descriptor);
  }
  watch(EPOLL_CTL_MOD, listener);
}

static void write_all(int descriptor, const char *bytes, ssize_t count) {
  while (count > 0) {
    ssize_t done = send(descriptor, bytes, (size_t)count, MSG_NOSIGNAL);
    if (done < 0 && errno != EAGAIN && errno != EINTR) return;
    if (done <= 0) continue;
    bytes += done;
    count -= done;
  }
}

static void echo(int descriptor, char *buffer, size_t size) {
  while (1) {
    ssize_t count = recv(descriptor, buffer, size, 0);
    if (count > 0) {
      write_all(descriptor, buffer, count);
      if ((size_t)count < size) break;
    } else if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      break;
    } else {
      close(descriptor);
      if (atomic_fetch_sub(&left, 1) == 1) eventfd_write(ended, 1);
      return;
    }
  }
  watch(EPOLL_CTL_MOD, descriptor);
}

static void *serve(void *context) {
  char *buffer = malloc(65536);
  struct epoll_event events[64];
  while (1) {
    int found = epoll_wait(poller, events, 64, -1);
    for (int index = 0; index < found; index++) {
      int descriptor = events[index].data.fd;
      if (descriptor == ended) {
        free(buffer);
        return context;
      }
      if (descriptor == listener) take_connections();
      else echo(descriptor, buffer, 65536);
    }
  }
}

int main(int words, char **word) {
  if (words < 3) return 64;
  atomic_store(&left, atol(word[1]));
  atomic_store(&unaccepted, atol(word[1]));
  int threads = atoi(word[2]);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096)) return 3;
  getsockname(listener, (struct sockaddr *)&address, &size);
  poller = epoll_create1(EPOLL_CLOEXEC);
  ended = eventfd(0, EFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = ended};
  epoll_ctl(poller, EPOLL_CTL_ADD, ended, &event);
  watch(EPOLL_CTL_ADD, listener);
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);
  pthread_t all[64];
  for (int number = 0; number < threads && number < 64; number++) pthread_create(&all[number], NULL, serve, NULL);
  for (int number = 0; number < threads && number < 64; number++) pthread_join(all[number], NULL);
  return 0;
}
