// descriptors.c: waits for descriptors. A call that would sleep is asked for without sleeping; where it would, the thread waits in the
// core until a scan of the descriptors says that it would not.
#include "face.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

static struct { struct pollfd *list; nfds_t count; } waits[SBX_MAX_THREADS];
static int has_children;
// As many as there are numbers of descriptors that are known: one that is not scanned would never be ready.
enum { MOST_SCANNED = 4096 };

void sbx_io_changed(void) { if (sbx_self) sbx_state->io_is_stale = 1; }

int sbx_waits_outside(void) {
  int worst = SBX_INNER;
  nfds_t all = 0;
  for (uint32_t i = 1; i <= sbx_state->thread_count; i++) {
    if (sbx_state->threads[i].state != SBX_WAITING || !sbx_state->threads[i].is_watching) continue;
    // More than a scan goes over.
    if ((all += waits[i].count) > MOST_SCANNED) worst = SBX_OUTER;
    for (nfds_t j = 0; j < waits[i].count; j++) {
      int kind = waits[i].list[j].fd < 0 ? SBX_INNER : sbx_kind_of(waits[i].list[j].fd);
      if (kind > worst) worst = kind;
    }
  }
  switch (worst) {
    case SBX_INNER: return SBX_OUTSIDE_NONE;
    case SBX_INHERITED: return !has_children ? SBX_OUTSIDE_NONE : sbx_has_living_children() ? SBX_OUTSIDE_LIVES : SBX_OUTSIDE_HAS_GONE;
    case SBX_LISTENING: return has_children && sbx_has_living_children() ? SBX_OUTSIDE_LIVES : SBX_OUTSIDE_HAS_GONE;
    default: return SBX_OUTSIDE_LIVES;
  }
}

// What a scan goes over.
static struct pollfd list[MOST_SCANNED];
static uint16_t whose[MOST_SCANNED];

int sbx_scan(uint64_t nanoseconds) {
  nfds_t count = 0;
  for (uint32_t i = 1; i <= sbx_state->thread_count; i++) {
    if (sbx_state->threads[i].state != SBX_WAITING || !sbx_state->threads[i].is_watching) continue;
    for (nfds_t j = 0; j < waits[i].count && count < MOST_SCANNED; j++) {
      list[count] = (struct pollfd){waits[i].list[j].fd, waits[i].list[j].events, 0};
      whose[count++] = (uint16_t)i;
    }
  }
  struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  long ready = CALL(SYS_ppoll, list, count, &time, 0, 8, 0);
  if (ready <= 0) return 0;
  for (nfds_t i = 0; i < count; i++) if (list[i].revents) sbx_arrived(&sbx_state->threads[whose[i]]);
  return (int)ready;
}

// Whether one of them was ready by then.
static int watch(struct pollfd *list, nfds_t count, uint64_t deadline, uint64_t place) {
  if (deadline <= sbx_state->now) return 0;
  uint32_t self = sbx_self->number;
  waits[self].list = list;
  waits[self].count = count;
  // What was done since the last scan counts as well.
  return sbx_watch(deadline, place) == SBX_WOKEN;
}

static long checked(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = (int)-result;
  return -1;
}
static uint64_t in_milliseconds(int milliseconds) {
  return milliseconds < 0 ? SBX_NEVER : sbx_state->now + (uint64_t)milliseconds * 1000000;
}

// --- poll, select, epoll ---

static const struct timespec at_once = {0, 0};

static int poll_until(struct pollfd *list, nfds_t count, uint64_t deadline, const sigset_t *mask, uint64_t place) {
  sbx_yield(SBX_POLL, 0, place);
  for (;;) {
    struct timespec none = at_once;
    long ready = CALL(SYS_ppoll, list, count, &none, mask, 8, 0);
    if (ready) return (int)checked(ready);
    if (!watch(list, count, deadline, place)) return 0;
  }
}
EXPORT int poll(struct pollfd *list, nfds_t count, int milliseconds) {
  if (!is_on()) return REAL(poll)(list, count, milliseconds);
  sbx_settle();
  return poll_until(list, count, in_milliseconds(milliseconds), 0, PLACE);
}
EXPORT int ppoll(struct pollfd *list, nfds_t count, const struct timespec *time, const sigset_t *mask) {
  if (!is_on()) return REAL(ppoll)(list, count, time, mask);
  sbx_settle();
  return poll_until(list, count, time ? sbx_after(time) : SBX_NEVER, mask, PLACE);
}
EXPORT int __poll_chk(struct pollfd *list, nfds_t count, int milliseconds, size_t size) {
  (void)size;
  return poll(list, count, milliseconds);
}
EXPORT int __ppoll_chk(struct pollfd *list, nfds_t count, const struct timespec *time, const sigset_t *mask, size_t size) {
  (void)size;
  return ppoll(list, count, time, mask);
}

// The caller's sets may be shorter than an fd_set: only the words that hold the first `count` bits are its own.
static void copy_set(fd_set *to, const fd_set *from, int count) {
  size_t bits = count < 0 ? 0 : count > FD_SETSIZE ? FD_SETSIZE : (size_t)count, word = 8 * sizeof(long);
  if (to && from) memcpy(to, from, (bits + word - 1) / word * sizeof(long));
}
static int select_until(int count, fd_set *reads, fd_set *writes, fd_set *others, uint64_t deadline, const sigset_t *mask,
                        uint64_t place) {
  sbx_yield(SBX_POLL, 0, place);
  struct pollfd list[FD_SETSIZE];
  nfds_t size = 0;
  for (int i = 0; i < count && i < FD_SETSIZE; i++) {
    short events = 0;
    if (reads && FD_ISSET(i, reads)) events |= POLLIN;
    if (writes && FD_ISSET(i, writes)) events |= POLLOUT;
    if (others && FD_ISSET(i, others)) events |= POLLPRI;
    if (events) list[size++] = (struct pollfd){i, events, 0};
  }
  fd_set wanted[3];
  copy_set(&wanted[0], reads, count);
  copy_set(&wanted[1], writes, count);
  copy_set(&wanted[2], others, count);
  struct { const sigset_t *mask; size_t size; } masked = {mask, 8};
  for (;;) {
    struct timespec none = at_once;
    long ready = CALL(SYS_pselect6, count, reads, writes, others, &none, &masked);
    if (ready) return (int)checked(ready);
    if (!watch(list, size, deadline, place)) return 0;
    copy_set(reads, &wanted[0], count);
    copy_set(writes, &wanted[1], count);
    copy_set(others, &wanted[2], count);
  }
}
EXPORT int select(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
                  struct timeval *restrict time) {
  if (!is_on()) return REAL(select)(count, reads, writes, others, time);
  sbx_settle();
  uint64_t deadline = SBX_NEVER;
  if (time) deadline = sbx_state->now + (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
  return select_until(count, reads, writes, others, deadline, 0, PLACE);
}
EXPORT int pselect(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
                   const struct timespec *restrict time, const sigset_t *restrict mask) {
  if (!is_on()) return REAL(pselect)(count, reads, writes, others, time, mask);
  sbx_settle();
  return select_until(count, reads, writes, others, time ? sbx_after(time) : SBX_NEVER, mask, PLACE);
}

static int epoll_until(int set, struct epoll_event *events, int most, uint64_t deadline, const sigset_t *mask, uint64_t place) {
  sbx_point(SBX_POLL, 0, place);
  for (;;) {
    long ready = CALL(SYS_epoll_pwait, set, events, most, 0, mask, 8);
    if (ready) return (int)checked(ready);
    struct pollfd one = {set, POLLIN, 0};
    if (!watch(&one, 1, deadline, place)) return 0;
  }
}
EXPORT int epoll_wait(int set, struct epoll_event *events, int most, int milliseconds) {
  if (!is_on()) return REAL(epoll_wait)(set, events, most, milliseconds);
  sbx_settle();
  return epoll_until(set, events, most, in_milliseconds(milliseconds), 0, PLACE);
}
EXPORT int epoll_pwait(int set, struct epoll_event *events, int most, int milliseconds, const sigset_t *mask) {
  if (!is_on()) return REAL(epoll_pwait)(set, events, most, milliseconds, mask);
  sbx_settle();
  return epoll_until(set, events, most, in_milliseconds(milliseconds), mask, PLACE);
}
EXPORT int epoll_pwait2(int set, struct epoll_event *events, int most, const struct timespec *time, const sigset_t *mask) {
  if (!is_on()) return REAL(epoll_pwait2)(set, events, most, time, mask);
  sbx_settle();
  return epoll_until(set, events, most, time ? sbx_after(time) : SBX_NEVER, mask, PLACE);
}
// --- reads and writes ---

// The limit that a socket was given for waits of its own.
static uint64_t limit_of(int descriptor, short events) {
  struct timeval limit = {0, 0};
  socklen_t size = sizeof limit;
  int which = events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;
  if (CALL(SYS_getsockopt, descriptor, SOL_SOCKET, which, &limit, &size, 0)) return SBX_NEVER;
  uint64_t span = (uint64_t)limit.tv_sec * 1000000000 + (uint64_t)limit.tv_usec * 1000;
  return span ? sbx_state->now + span : SBX_NEVER;
}

// Before a call that may sleep until the descriptor is ready; `how`: the call's MSG_… flags. Returns 0 if the socket's limit is over.
static int await(int descriptor, short events, int how, uint64_t place) {
  if (!is_on()) return 1;
  if (descriptor > 2) point(SBX_IO, 0, place);
  if (how & MSG_DONTWAIT) return 1;
  struct pollfd one = {descriptor, events, 0};
  struct timespec none = at_once;
  uint64_t deadline = 0;
  for (;;) {
    // Ready, an error, or no sleeper: the call itself will tell.
    if (CALL(SYS_ppoll, &one, 1, &none, 0, 8, 0) != 0) return 1;
    int flags = (int)CALL(SYS_fcntl, descriptor, F_GETFL, 0, 0, 0, 0);
    if (flags < 0 || flags & O_NONBLOCK) return 1;
    if (!deadline) deadline = limit_of(descriptor, events);
    if (!watch(&one, 1, deadline, place)) { errno = EAGAIN; return 0; }
  }
}

#define WAITS(result, name, parameters, arguments, descriptor, events, how) \
  EXPORT result name parameters { \
    if (!await(descriptor, events, how, PLACE)) return -1; \
    result value = REAL(name) arguments; \
    sbx_io_changed(); \
    return value; \
  }
#define READS(result, name, parameters, arguments, descriptor, how) \
  WAITS(result, name, parameters, arguments, descriptor, POLLIN, how)
#define WRITES(result, name, parameters, arguments, descriptor, how) \
  WAITS(result, name, parameters, arguments, descriptor, POLLOUT, how)

READS(ssize_t, read, (int d, void *b, size_t n), (d, b, n), d, 0)
READS(ssize_t, readv, (int d, const struct iovec *v, int n), (d, v, n), d, 0)
READS(ssize_t, recv, (int d, void *b, size_t n, int f), (d, b, n, f), d, f)
READS(ssize_t, recvmsg, (int d, struct msghdr *m, int f), (d, m, f), d, f)
READS(ssize_t, recvfrom, (int d, void *restrict b, size_t n, int f, struct sockaddr *restrict a, socklen_t *restrict l),
      (d, b, n, f, a, l), d, f)
EXPORT int accept(int descriptor, struct sockaddr *restrict address, socklen_t *restrict size) {
  if (!await(descriptor, POLLIN, 0, PLACE)) return -1;
  int result = REAL(accept)(descriptor, address, size);
  sbx_note_socket(result);
  sbx_io_changed();
  return result;
}
EXPORT int accept4(int descriptor, struct sockaddr *restrict address, socklen_t *restrict size, int flags) {
  if (!await(descriptor, POLLIN, 0, PLACE)) return -1;
  int result = REAL(accept4)(descriptor, address, size, flags);
  sbx_note_socket(result);
  sbx_io_changed();
  return result;
}
WRITES(ssize_t, write, (int d, const void *b, size_t n), (d, b, n), d, 0)
WRITES(ssize_t, writev, (int d, const struct iovec *v, int n), (d, v, n), d, 0)
WRITES(ssize_t, send, (int d, const void *b, size_t n, int f), (d, b, n, f), d, f)
WRITES(ssize_t, sendmsg, (int d, const struct msghdr *m, int f), (d, m, f), d, f)
WRITES(ssize_t, sendto, (int d, const void *b, size_t n, int f, const struct sockaddr *a, socklen_t l), (d, b, n, f, a, l), d, f)
WRITES(int, sendmmsg, (int d, struct mmsghdr *m, unsigned n, int f), (d, m, n, f), d, f)

// The same by the names that a compiler gives them with the buffer's size.
ssize_t __read_chk(int d, void *b, size_t n, size_t s);
ssize_t __recv_chk(int d, void *b, size_t n, size_t s, int f);
ssize_t __recvfrom_chk(int d, void *restrict b, size_t n, size_t s, int f, struct sockaddr *restrict a, socklen_t *restrict l);
READS(ssize_t, __read_chk, (int d, void *b, size_t n, size_t s), (d, b, n, s), d, 0)
READS(ssize_t, __recv_chk, (int d, void *b, size_t n, size_t s, int f), (d, b, n, s, f), d, f)
READS(ssize_t, __recvfrom_chk,
      (int d, void *restrict b, size_t n, size_t s, int f, struct sockaddr *restrict a, socklen_t *restrict l), (d, b, n, s, f, a, l),
      d, f)

// Waits until all have come, unless it was asked not to; the limit is checked after each.
EXPORT int recvmmsg(int descriptor, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit) {
  if (!is_on()) return REAL(recvmmsg)(descriptor, messages, count, flags, limit);
  uint64_t deadline = limit ? sbx_after(limit) : SBX_NEVER;
  unsigned had = 0;
  do {
    if (!await(descriptor, POLLIN, flags, PLACE)) break;
    int more = REAL(recvmmsg)(descriptor, messages + had, count - had, flags | MSG_WAITFORONE, 0);
    sbx_io_changed();
    if (more <= 0) return had ? (int)had : more;
    had += (unsigned)more;
  } while (had < count && !(flags & (MSG_WAITFORONE | MSG_DONTWAIT)) && sbx_state->now < deadline);
  return had ? (int)had : -1;
}

EXPORT int eventfd_read(int descriptor, eventfd_t *value) { return read(descriptor, value, sizeof *value) == sizeof *value ? 0 : -1; }
EXPORT int eventfd_write(int descriptor, eventfd_t value) {
  return write(descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

// --- other processes ---

void sbx_has_children(void) { has_children = 1; }

#define GOES_OUT(result, name, parameters, arguments) \
  EXPORT result name parameters { \
    if (is_on()) fork_here(); \
    if (!is_on()) return REAL(name) arguments; \
    sbx_go_out(PLACE); \
    result value = REAL(name) arguments; \
    int saved = errno; \
    sbx_come_back(); \
    errno = saved; \
    return value; \
  }
GOES_OUT(pid_t, waitpid, (pid_t p, int *s, int o), (p, s, o))
GOES_OUT(pid_t, wait, (int *s), (s))
GOES_OUT(pid_t, wait3, (int *s, int o, struct rusage *u), (s, o, u))
GOES_OUT(pid_t, wait4, (pid_t p, int *s, int o, struct rusage *u), (p, s, o, u))
GOES_OUT(int, system, (const char *c), (c))
GOES_OUT(int, waitid, (idtype_t t, id_t i, siginfo_t *s, int o), (t, i, s, o))
GOES_OUT(int, connect, (int d, const struct sockaddr *a, socklen_t l), (d, a, l))
GOES_OUT(int, sigwait, (const sigset_t *restrict s, int *restrict n), (s, n))
GOES_OUT(int, sigwaitinfo, (const sigset_t *restrict s, siginfo_t *restrict i), (s, i))
GOES_OUT(int, sigtimedwait, (const sigset_t *restrict s, siginfo_t *restrict i, const struct timespec *restrict t), (s, i, t))
GOES_OUT(int, pause, (void), ())
GOES_OUT(int, sigsuspend, (const sigset_t *s), (s))

SANITIZED_AGAIN
