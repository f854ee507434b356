// signals.c: signals that sources monitor: they are counted by a handler of ours, whatever the program asks for besides.
//
// The program may ignore such a signal or handle it itself, before or after a source is made, and the source must see it all the
// same. So the two calls that say what a signal does are taken over here (as in spawn.c): while a signal is monitored they
// change what we call after counting, not what the kernel calls. In C because a handler may run in the middle of anything.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "csignalbox.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// A handler may run in the middle of the thread sanitizer's runtime, which must not be entered again from there: nothing of
// this file is instrumented, and what handlers call goes to the kernel past the sanitizer's versions.
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)

// The C library's own, under names that are not taken over.
extern int __sigaction(int, const struct sigaction *, struct sigaction *);
extern __sighandler_t ssignal(int, __sighandler_t);

enum { SIGNALS = 65 };
static struct {
  uint64_t count;           // how often it came while it was monitored
  int watches;              // sources; the rest is of use while there are any
  struct sigaction theirs;  // what the program asked for
} signals[SIGNALS];
static int ever;            // whether a signal was ever monitored
static int held;            // the lock of all that but the counts
static int event = -1;      // made readable at each signal

// The kernel's sets have eight bytes.
static void set_mask(const sigset_t *mask, sigset_t *before) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, before, (size_t)8);
}

// Handlers take the lock too, so whoever has it takes no signal.
static void lock(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  set_mask(&all, before);
  while (__atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE)) sched_yield();
}
static void unlock(const sigset_t *before) {
  __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
  set_mask(before, NULL);
}

static int is_function(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

// Raised by what the thread itself has just done: it would do it again.
static int is_fault(int number, const siginfo_t *info) {
  switch (number) {
    case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGTRAP: case SIGSYS: return info->si_code > 0;
    default: return 0;
  }
}

static void tell(int number) {
  __atomic_add_fetch(&signals[number].count, 1, __ATOMIC_RELEASE);  // release: the reader of the event sees the count
  uint64_t one = 1;
  if (syscall(SYS_write, event, &one, sizeof one) < 0) return;  // EAGAIN: the reader knows already
}

static void came(int number, siginfo_t *info, void *context) {
  int saved = errno;
  sigset_t before;
  lock(&before);
  struct sigaction theirs = signals[number].theirs;
  if (is_function(&theirs) && (theirs.sa_flags & SA_RESETHAND)) {
    signals[number].theirs.sa_handler = SIG_DFL;
    signals[number].theirs.sa_flags = 0;
  }
  unlock(&before);
  if (!is_function(&theirs) && is_fault(number, info)) {
    // Nobody mends it: done again, it ends the program.
    struct sigaction fallback = {.sa_handler = SIG_DFL};
    __sigaction(number, &fallback, NULL);
    errno = saved;
    return;
  }
  if (!__atomic_load_n(&sb_forked_child, __ATOMIC_RELAXED)) tell(number);
  errno = saved;
  if (!is_function(&theirs)) return;
  if (theirs.sa_flags & SA_SIGINFO) theirs.sa_sigaction(number, info, context);
  else theirs.sa_handler(number);
}

// Has the kernel call us for a signal as it would call the program's own function; with the lock.
static int take(int number, const struct sigaction *theirs) {
  struct sigaction ours = {.sa_sigaction = came, .sa_flags = SA_SIGINFO | SA_RESTART};
  if (is_function(theirs)) {
    ours.sa_mask = theirs->sa_mask;
    ours.sa_flags = (theirs->sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
  }
  if (__sigaction(number, &ours, NULL)) return -errno;
  signals[number].theirs = *theirs;
  return 0;
}

static int is_ours(const struct sigaction *action) { return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == came; }

void sb_signal_event(int descriptor) { __atomic_store_n(&event, descriptor, __ATOMIC_SEQ_CST); }

int sb_signal_watch(int number) {
  if (number <= 0 || number >= SIGNALS) return -EINVAL;
  __atomic_store_n(&ever, 1, __ATOMIC_SEQ_CST);  // seq_cst: before the read of what is set; pairs with the one in change()
  sigset_t before;
  lock(&before);
  struct sigaction now;
  int error = __sigaction(number, NULL, &now) ? -errno : 0;
  // Somebody may have gone past the calls below.
  if (!error && !is_ours(&now)) error = take(number, &now);
  if (!error) signals[number].watches++;
  unlock(&before);
  return error;
}

void sb_signal_unwatch(int number) {
  sigset_t before;
  lock(&before);
  struct sigaction now;
  if (--signals[number].watches == 0 && !__sigaction(number, NULL, &now) && is_ours(&now))
    __sigaction(number, &signals[number].theirs, NULL);
  unlock(&before);
}

int sb_signal_take_here(int number, int whether) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return -pthread_sigmask(whether ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

uint64_t sb_signal_count(int number) { return __atomic_load_n(&signals[number].count, __ATOMIC_ACQUIRE); }

int sb_signal_is_free(int number) {
  struct sigaction now;
  return __sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

void sb_signals_in_child(void) {
  __atomic_store_n(&ever, 0, __ATOMIC_SEQ_CST);
  for (int number = 1; number < SIGNALS; number++)
    if (signals[number].watches) __sigaction(number, &signals[number].theirs, NULL);
}

// Changes what is done beside counting, if the signal is monitored; non-zero if it is.
static int change(int number, const struct sigaction *action, struct sigaction *old, int *result) {
  if (!__atomic_load_n(&ever, __ATOMIC_SEQ_CST) || number <= 0 || number >= SIGNALS) return 0;
  // The program's own pointers, before signals are blocked.
  struct sigaction wanted = {0}, was;
  if (action) wanted = *action;
  sigset_t before;
  lock(&before);
  int is_watched = signals[number].watches > 0;
  if (is_watched) {
    was = signals[number].theirs;
    *result = action ? take(number, &wanted) : 0;
  }
  unlock(&before);
  if (is_watched && !*result && old) *old = was;
  return is_watched;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  int result = 0;
  if (!change(number, action, old, &result)) {
    struct sigaction wanted;
    if (action) wanted = *action;  // `old` may be the same place
    int plain = __sigaction(number, action, old);
    // A subscription that began meanwhile may have been undone by this: say it again.
    if (plain || !action || !change(number, &wanted, NULL, &result)) return plain;
  }
  if (result >= 0) return 0;
  errno = -result;
  return -1;
}

__sighandler_t signal(int number, __sighandler_t handler) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  int result = 0;
  if (handler == SIG_ERR) return ssignal(number, handler);
  if (!change(number, &action, &old, &result)) {
    __sighandler_t plain = ssignal(number, handler);
    if (plain == SIG_ERR || !change(number, &action, NULL, &result)) return plain;
    return plain;
  }
  if (result >= 0) return old.sa_handler;
  errno = -result;
  return SIG_ERR;
}

#pragma clang attribute pop
