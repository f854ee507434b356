// timers.c: timers of the kernel in virtual time. A timer's descriptor is an event's: it becomes readable when the core says so, and
// a read takes the count, as from a timer's.
#include "face.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>

enum { MOST_TIMERS = 256 };
struct timer {
  int descriptor;     // -1: a signal's
  int is_used;
  clockid_t clock;
  uint64_t deadline;  // virtual; SBX_NEVER: not armed
  uint64_t interval;
};
static struct timer timers[MOST_TIMERS] = {[0] = {.descriptor = -1, .is_used = 1, .deadline = SBX_NEVER}};
static int timer_count = 1;

static struct timer *find(int descriptor) {
  for (int i = 1; i < timer_count; i++) if (timers[i].is_used && timers[i].descriptor == descriptor) return &timers[i];
  return 0;
}
int sbx_is_timer(int descriptor) { return find(descriptor) != 0; }
void sbx_forget_timer(int descriptor) {
  struct timer *timer = find(descriptor);
  if (timer) timer->is_used = 0;
}

uint64_t sbx_next_alarm(void) {
  uint64_t next = SBX_NEVER;
  for (int i = 0; i < timer_count; i++) if (timers[i].is_used && timers[i].deadline < next) next = timers[i].deadline;
  return next;
}

void sbx_fire_alarms(uint64_t now) {
  for (int i = 0; i < timer_count; i++) {
    struct timer *timer = &timers[i];
    if (!timer->is_used || timer->deadline > now) continue;
    uint64_t count = 1;
    if (timer->interval) {
      count += (now - timer->deadline) / timer->interval;
      timer->deadline += count * timer->interval;
    } else {
      timer->deadline = SBX_NEVER;
    }
    if (timer->descriptor >= 0) {
      CALL(SYS_write, timer->descriptor, &count, sizeof count, 0, 0, 0);
      sbx_state->io_is_stale = 1;
    } else {
      CALL(SYS_tgkill, CALL(SYS_getpid, 0, 0, 0, 0, 0, 0), CALL(SYS_gettid, 0, 0, 0, 0, 0, 0), SIGALRM, 0, 0, 0);
    }
  }
}

static uint64_t span(const struct timespec *time) {
  return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}
static void tell(const struct timer *timer, struct itimerspec *out) {
  uint64_t left = timer->deadline == SBX_NEVER ? 0 : timer->deadline > sbx_state->now ? timer->deadline - sbx_state->now : 1;
  out->it_value = (struct timespec){(time_t)(left / 1000000000), (long)(left % 1000000000)};
  out->it_interval = (struct timespec){(time_t)(timer->interval / 1000000000), (long)(timer->interval % 1000000000)};
}

EXPORT int timerfd_create(clockid_t clock, int flags) {
  if (!is_on()) return REAL(timerfd_create)(clock, flags);
  fork_here();
  int place = 1;
  while (place < timer_count && timers[place].is_used) place++;
  if (place == MOST_TIMERS) { errno = EMFILE; return -1; }
  int descriptor = eventfd(0, (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0) | (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0));
  if (descriptor < 0) return -1;
  if (place == timer_count) timer_count++;
  timers[place] = (struct timer){descriptor, 1, clock, SBX_NEVER, 0};
  return descriptor;
}

EXPORT int timerfd_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *old) {
  struct timer *timer = is_on() ? find(descriptor) : 0;
  if (!timer) return REAL(timerfd_settime)(descriptor, flags, value, old);
  if (old) tell(timer, old);
  uint64_t drained;
  struct { int fd; short events, revents; } state = {descriptor, 1, 0};
  struct timespec none = {0, 0};
  if (CALL(SYS_ppoll, &state, 1, &none, 0, 8, 0) > 0) CALL(SYS_read, descriptor, &drained, sizeof drained, 0, 0, 0);
  timer->interval = span(&value->it_interval);
  if (span(&value->it_value) == 0) timer->deadline = SBX_NEVER;
  else if (flags & TFD_TIMER_ABSTIME) timer->deadline = sbx_deadline(timer->clock, &value->it_value);
  else timer->deadline = sbx_after(&value->it_value);
  if (timer->deadline <= sbx_state->now) sbx_fire_alarms(sbx_state->now);
  return 0;
}

EXPORT int timerfd_gettime(int descriptor, struct itimerspec *out) {
  struct timer *timer = is_on() ? find(descriptor) : 0;
  if (!timer) return REAL(timerfd_gettime)(descriptor, out);
  tell(timer, out);
  return 0;
}

// --- the process's alarm ---

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *value, struct itimerval *old) {
  if (!is_on() || which != ITIMER_REAL) return REAL(setitimer)(which, value, old);
  struct timer *timer = &timers[0];
  struct itimerspec was;
  tell(timer, &was);
  if (old) {
    old->it_value = (struct timeval){was.it_value.tv_sec, was.it_value.tv_nsec / 1000};
    old->it_interval = (struct timeval){was.it_interval.tv_sec, was.it_interval.tv_nsec / 1000};
  }
  uint64_t first = (uint64_t)value->it_value.tv_sec * 1000000000 + (uint64_t)value->it_value.tv_usec * 1000;
  timer->interval = (uint64_t)value->it_interval.tv_sec * 1000000000 + (uint64_t)value->it_interval.tv_usec * 1000;
  timer->deadline = first ? sbx_state->now + first : SBX_NEVER;
  return 0;
}

EXPORT unsigned alarm(unsigned seconds) {
  if (!is_on()) return REAL(alarm)(seconds);
  struct itimerval value = {.it_value = {seconds, 0}}, old;
  setitimer(ITIMER_REAL, &value, &old);
  return (unsigned)(old.it_value.tv_sec + (old.it_value.tv_usec > 0));
}
