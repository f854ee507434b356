// futexes.c: what comes through `syscall`: futexes, modelled whole, as the Swift runtime, C++ and our engine sleep on them.
#include "face.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>

const struct sbx_foreign *sbx_foreign;

enum { COUNTS = 256 };
static uint32_t asleep[COUNTS];
uint32_t *sbx_asleep_at(const void *word) { return &asleep[(KEY(word) * 0x9e3779b97f4a7c15 >> 32) % COUNTS]; }
static int is_wait(int operation) {
  int command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}

static int is_wake(int operation) {
  int command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET;
}

static uint32_t load(uint32_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static long failed(int error) {
  errno = error;
  return -1;
}

static uint64_t deadline_of(int operation, const struct timespec *time) {
  if (!time) return SBX_NEVER;
  clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAIT) return sbx_after(time);
  if (command == FUTEX_LOCK_PI) clock = CLOCK_REALTIME;
  return sbx_deadline(clock, time);
}

static long futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline, uint32_t bits, uint64_t place) {
  if (!bits) return failed(EINVAL);
  point(SBX_FUTEX_WAIT, word, place);
  // Before the word is read: a thread that is under no control changes it and then checks who waits.
  int mark = sbx_foreign ? sbx_foreign->waits(word) : 0;
  enum sbx_wake why = SBX_WOKEN;
  int error = 0;
  if (load(word) != expected) error = EAGAIN;
  else if (deadline != SBX_NEVER && deadline <= sbx_state->now) error = ETIMEDOUT;
  else why = sbx_wait(SBX_FUTEX_WAIT, KEY(word), deadline, bits, place);
  if (sbx_foreign) sbx_foreign->waits_no_more(mark);
  if (why == SBX_TIMED_OUT) error = ETIMEDOUT;
  return error ? failed(error) : 0;
}

// Which of them only matters where some are left over.
static long wake(uint32_t *word, int most, uint32_t bits, uint64_t place) {
  long woken = 0;
  if (most >= SBX_MAX_THREADS) woken = sbx_wake_all(KEY(word), bits);
  else while (woken < most && sbx_wake_one(KEY(word), bits, place)) woken++;
  if (sbx_foreign && woken < most && __atomic_load_n(sbx_asleep_at(word), __ATOMIC_SEQ_CST)) {  // seq_cst: as in `syscall`
    long others = CALL(SYS_futex, word, FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, most - woken, 0, 0, bits);
    if (others > 0) {
      woken += others;
      sbx_foreign->woke();
    }
  }
  return woken;
}

static long futex_wake(uint32_t *word, int most, uint32_t bits, uint64_t place) {
  point(SBX_FUTEX_WAKE, word, place);
  return wake(word, most, bits, place);
}

static long futex_requeue(uint32_t *word, int wakes, int moves, uint32_t *other, const uint32_t *expected, uint64_t place) {
  point(SBX_FUTEX_WAKE, word, place);
  if (expected && load(word) != *expected) return failed(EAGAIN);
  long woken = wake(word, wakes, ~0u, place);
  return woken + sbx_move_waiters(KEY(word), KEY(other), moves);
}

// Beside threads that are under no control a word may have waiters in the kernel, and an owner that gives it back soon and unseen. Who has
// it for a moment changes nothing that the explorer chooses, so this is no point: the kernel gives the word to whoever is next.
//
// The caller has found the word taken, and no thread under control has run since: if it is free now, one of the others has just given it
// back. Whether the caller meets that one or comes too late hangs on real time, and must make no difference.
static int lock_by_kernel(uint32_t *word, int operation) {
  if (!sbx_face->is_foreign) return 0;
  struct timespec end;
  CALL(SYS_clock_gettime, CLOCK_REALTIME, &end, 0, 0, 0, 0);
  end.tv_nsec += 100 * 1000 * 1000;
  if (end.tv_nsec >= 1000000000) { end.tv_nsec -= 1000000000; end.tv_sec++; }
  for (;;) {
    uint32_t seen = 0;
    // seq_cst: as the kernel takes it
    if (__atomic_compare_exchange_n(word, &seen, sbx_self->tid, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return 1;
    if (!(seen & FUTEX_TID_MASK) || !sbx_face->is_foreign(seen & FUTEX_TID_MASK)) return 0;
    long result = CALL(SYS_futex, word, FUTEX_LOCK_PI | (operation & FUTEX_PRIVATE_FLAG), 0, &end, 0, 0);
    if (result == 0) return 1;
    if (result != -EAGAIN && result != -EINTR) return 0;
  }
}
static int unlock_by_kernel(uint32_t *word, int operation) {
  if (!sbx_face->is_foreign || (load(word) & FUTEX_TID_MASK) != sbx_self->tid || sbx_waiters(KEY(word))) return 0;
  sbx_forget(KEY(word));
  return CALL(SYS_futex, word, FUTEX_UNLOCK_PI | (operation & FUTEX_PRIVATE_FLAG), 0, 0, 0, 0) == 0;
}

// Locks with priority inheritance: the word holds the owner's number, and whether others wait.
static long futex_lock(uint32_t *word, int operation, uint64_t deadline, int tries, uint64_t place) {
  uint32_t own = sbx_self->tid;
  if (!tries && lock_by_kernel(word, operation)) return 0;
  point(tries ? SBX_TRYLOCK : SBX_FUTEX_LOCK, word, place);
  for (;;) {
    uint32_t seen = load(word);
    if ((seen & FUTEX_TID_MASK) == 0) {
      if (!__atomic_compare_exchange_n(word, &seen, own | (seen & FUTEX_WAITERS), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
      sbx_owned(KEY(word), SBX_FUTEX_LOCK, place);
      return 0;
    }
    if ((seen & FUTEX_TID_MASK) == own) return failed(EDEADLK);
    if (tries) return failed(EAGAIN);
    if (deadline != SBX_NEVER && deadline <= sbx_state->now) return failed(ETIMEDOUT);
    if (sbx_face->is_foreign && sbx_face->is_foreign(seen & FUTEX_TID_MASK)) {
      // A thread that is under no control gives it back by itself, and unseen.
      sbx_go_out(place);
      CALL(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
      sbx_come_back();
      continue;
    }
    __atomic_fetch_or(word, FUTEX_WAITERS, __ATOMIC_SEQ_CST);
    struct sbx_object *object = sbx_object_at(KEY(word), SBX_FUTEX_LOCK, place);
    // Its holder took it by a swap that nobody saw: its number tells who it is.
    for (uint32_t i = 1; i <= sbx_state->thread_count; i++)
      if (sbx_state->threads[i].tid == (seen & FUTEX_TID_MASK) && sbx_state->threads[i].state != SBX_DEAD) object->owner = i;
    if (sbx_wait(SBX_FUTEX_LOCK, KEY(word), deadline, ~0u, place) == SBX_TIMED_OUT) return failed(ETIMEDOUT);
  }
}

static long futex_unlock(uint32_t *word, int operation, uint64_t place) {
  if (unlock_by_kernel(word, operation)) return 0;
  point(SBX_FUTEX_UNLOCK, word, place);
  if ((load(word) & FUTEX_TID_MASK) != sbx_self->tid) return failed(EPERM);
  sbx_released(KEY(word));
  // Its waiters may be under no control as well: the kernel gives it to one of these, or leaves it free.
  if (!sbx_face->is_foreign || CALL(SYS_futex, word, FUTEX_UNLOCK_PI | (operation & FUTEX_PRIVATE_FLAG), 0, 0, 0, 0) != 0)
    __atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
  // All try again: the first that does has it, and sets the mark anew if others wait.
  sbx_wake_all(KEY(word), ~0u);
  return 0;
}

static long futex_wake_op(uint32_t *word, int wakes, int others, uint32_t *other, uint32_t encoded, uint64_t place) {
  point(SBX_FUTEX_WAKE, word, place);
  uint32_t operation = encoded >> 28 & 7, comparison = encoded >> 24 & 15;
  int32_t argument = (int32_t)(encoded << 8) >> 20, limit = (int32_t)(encoded << 20) >> 20;
  if (encoded >> 28 & FUTEX_OP_OPARG_SHIFT) argument = (int32_t)(1u << (argument & 31));
  uint32_t old = load(other), fresh;
  do {
    fresh = operation == FUTEX_OP_SET ? (uint32_t)argument : operation == FUTEX_OP_ADD ? old + (uint32_t)argument
            : operation == FUTEX_OP_OR ? old | (uint32_t)argument : operation == FUTEX_OP_ANDN ? old & ~(uint32_t)argument
            : old ^ (uint32_t)argument;
  } while (!__atomic_compare_exchange_n(other, &old, fresh, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  int32_t was = (int32_t)old;
  int holds = comparison == FUTEX_OP_CMP_EQ ? was == limit : comparison == FUTEX_OP_CMP_NE ? was != limit
              : comparison == FUTEX_OP_CMP_LT ? was < limit : comparison == FUTEX_OP_CMP_LE ? was <= limit
              : comparison == FUTEX_OP_CMP_GT ? was > limit : was >= limit;
  long woken = wake(word, wakes, ~0u, place);
  return holds ? woken + wake(other, others, ~0u, place) : woken;
}

static long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *time, uint32_t *other, uint32_t third,
                  uint64_t place) {
  int saved = errno;
  long result;
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: result = futex_wait(word, value, deadline_of(operation, time), ~0u, place); break;
    case FUTEX_WAIT_BITSET: result = futex_wait(word, value, deadline_of(operation, time), third, place); break;
    case FUTEX_WAKE: result = futex_wake(word, (int)value, ~0u, place); break;
    case FUTEX_WAKE_BITSET: result = futex_wake(word, (int)value, third, place); break;
    case FUTEX_REQUEUE: result = futex_requeue(word, (int)value, (int)(intptr_t)time, other, 0, place); break;
    case FUTEX_CMP_REQUEUE: result = futex_requeue(word, (int)value, (int)(intptr_t)time, other, &third, place); break;
    case FUTEX_WAKE_OP: result = futex_wake_op(word, (int)value, (int)(intptr_t)time, other, third, place); break;
    case FUTEX_LOCK_PI: case FUTEX_LOCK_PI2: result = futex_lock(word, operation, deadline_of(operation, time), 0, place); break;
    case FUTEX_TRYLOCK_PI: result = futex_lock(word, operation, SBX_NEVER, 1, place); break;
    case FUTEX_UNLOCK_PI: result = futex_unlock(word, operation, place); break;
    default: return failed(ENOSYS);
  }
  if (result >= 0) errno = saved;
  return result;
}

// The calls for one futex, several, and some more.
static int is_newer_futex(long number) {
  enum { WAIT_FOR_SEVERAL = 449, WAKE = 454, REQUEUE = 456 };  // the same on all processors; not in every system's headers
  return number == WAIT_FOR_SEVERAL || (number >= WAKE && number <= REQUEUE);
}

EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (is_on()) {
    if (number == SYS_futex)
      return futex((uint32_t *)a, (int)b, (uint32_t)c, (const struct timespec *)d, (uint32_t *)e, (uint32_t)f, PLACE);
    // What is newer than that is not there, as on older kernels: who asks for it has an answer to that.
    if (is_newer_futex(number)) return failed(ENOSYS);
    if (number == SYS_gettid) return gettid();
    if (number == SYS_getpid) return getpid();
    if (number == SYS_tgkill) return tgkill((pid_t)a, (pid_t)b, (int)c);
    if (number == SYS_kill) return kill((pid_t)a, (int)b);
    if (number == SYS_sched_yield) return sched_yield();
    if (number == SYS_getrandom) {
      uint8_t *bytes = (uint8_t *)a;
      for (long i = 0; i < b; i++) bytes[i] = (uint8_t)(sbx_random() >> 32);
      return b;
    }
    if (number == SYS_clock_gettime) return clock_gettime((clockid_t)a, (struct timespec *)b);
    if (number == SYS_epoll_pwait2)
      return epoll_pwait2((int)a, (struct epoll_event *)b, (int)c, (const struct timespec *)d, (const sigset_t *)e);
    if (number == SYS_epoll_pwait) return epoll_pwait((int)a, (struct epoll_event *)b, (int)c, (int)d, (const sigset_t *)e);
    if (number == SYS_ppoll) return ppoll((struct pollfd *)a, (nfds_t)b, (const struct timespec *)c, (const sigset_t *)d);
#ifdef SYS_poll
    if (number == SYS_poll) return poll((struct pollfd *)a, (nfds_t)b, (int)c);
    if (number == SYS_epoll_wait) return epoll_wait((int)a, (struct epoll_event *)b, (int)c, (int)d);
#endif
    if (number == SYS_read) return read((int)a, (void *)b, (size_t)c);
    if (number == SYS_write) return write((int)a, (const void *)b, (size_t)c);
    if (number == SYS_clock_nanosleep) {
      int error = clock_nanosleep((clockid_t)a, (int)b, (const struct timespec *)c, (struct timespec *)d);
      return error ? failed(error) : 0;
    }
    if (number == SYS_nanosleep) return nanosleep((const struct timespec *)a, (struct timespec *)b);
  }
  if (number == SYS_futex && sbx_foreign && !sbx_self && is_wake((int)b))
    sbx_foreign->wakes((uint32_t *)a, (uint32_t)c, ((int)b & FUTEX_CMD_MASK) == FUTEX_WAKE ? ~0u : (uint32_t)f);
  int waits = number == SYS_futex && is_wait((int)b);
  // seq_cst: before the kernel reads the word; who wakes has changed it before the count is read.
  if (waits) __atomic_fetch_add(sbx_asleep_at((uint32_t *)a), 1, __ATOMIC_SEQ_CST);
  long result = sbx_call(number, a, b, c, d, e, f);
  if (waits) __atomic_fetch_sub(sbx_asleep_at((uint32_t *)a), 1, __ATOMIC_RELAXED);  // relaxed: a system call too many at most
  if (result < 0 && result > -4096) { errno = (int)-result; return -1; }
  return result;
}

SANITIZED_AGAIN
