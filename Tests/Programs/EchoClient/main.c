// main.c: a client of an echo server: `ProgramEchoClient PORT CONNECTIONS ROUNDS BYTES`. Holds all connections at once from one
// thread, sends a message on each, checks every byte that comes back, and so on. Prints what was checked; with `--rate`, how many
// messages came back in a second.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
  int descriptor;
  uint32_t seed;
  long round, sent, received;
};

static long rounds, size;

static void fail(const char *what, long number) {
  printf("%s: %ld (%s)\n", what, number, strerror(errno));
  exit(1);
}

// Differs in every byte of every round of every connection, as far as a byte can.
static unsigned char byte_at(const struct connection *connection, long place) {
  uint32_t mixed = (connection->seed * 2654435761u + (uint32_t)(connection->round * size + place)) * 2246822519u;
  return (unsigned char)(mixed >> 24);
}

static void send_more(struct connection *connection) {
  unsigned char buffer[16384];
  while (connection->sent < size) {
    long count = size - connection->sent < (long)sizeof buffer ? size - connection->sent : (long)sizeof buffer;
    for (long index = 0; index < count; index++) buffer[index] = byte_at(connection, connection->sent + index);
    ssize_t done = send(connection->descriptor, buffer, (size_t)count, MSG_NOSIGNAL);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (done < 0) fail("send failed on connection", connection->seed);
    connection->sent += done;
  }
}

// True when a message has come back whole.
static int receive(struct connection *connection) {
  unsigned char buffer[16384];
  while (connection->received < size) {
    ssize_t done = recv(connection->descriptor, buffer, sizeof buffer, 0);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (done <= 0) fail("connection ended early", connection->seed);
    if (connection->received + done > size) fail("more came back than was sent, on connection", connection->seed);
    for (ssize_t index = 0; index < done; index++)
      if (buffer[index] != byte_at(connection, connection->received + index)) fail("wrong byte on connection", connection->seed);
    connection->received += done;
  }
  return 1;
}

static int open_connection(int port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail("cannot connect to port", port);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return descriptor;
}

static void make_nonblocking(int descriptor) {
  if (fcntl(descriptor, F_SETFL, O_RDWR | O_NONBLOCK)) fail("cannot make non-blocking", descriptor);
}

static void take_turns(struct connection *all, long count, int poller) {
  long open = count;
  struct epoll_event events[256];
  while (open > 0) {
    int found = epoll_wait(poller, events, 256, 60000);
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) fail("nothing came back for a minute; connections open", open);
    for (int index = 0; index < found; index++) {
      struct connection *connection = &all[events[index].data.u64];
      if (connection->descriptor < 0) continue;
      if (connection->sent < size) send_more(connection);
      if (!receive(connection)) continue;
      connection->sent = connection->received = 0;
      if (++connection->round < rounds) {
        send_more(connection);
        continue;
      }
      close(connection->descriptor);
      connection->descriptor = -1;
      open--;
    }
  }
}

int main(int words, char **word) {
  if (words < 5) return 64;
  int port = atoi(word[1]), poller = epoll_create1(EPOLL_CLOEXEC);
  long count = atol(word[2]);
  rounds = atol(word[3]);
  size = atol(word[4]);
  struct connection *all = calloc((size_t)count, sizeof *all);
  if (!all || poller < 0) return 3;
  for (long number = 0; number < count; number++) {
    all[number] = (struct connection){.descriptor = open_connection(port), .seed = (uint32_t)number};
    make_nonblocking(all[number].descriptor);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.u64 = (uint64_t)number};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, all[number].descriptor, &event)) fail("epoll_ctl", number);
  }
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  take_turns(all, count, poller);
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%ld connections, %ld messages of %ld bytes on each: every byte came back\n", count, rounds, size);
  double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  if (words > 5 && !strcmp(word[5], "--rate")) printf("rate %.0f\n", (double)(count * rounds) / seconds);
  return 0;
}
