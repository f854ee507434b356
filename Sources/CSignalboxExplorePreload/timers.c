// timers.c: timers of the kernel in virtual time. A timer's descriptor is an event's: it becomes readable when the core says so, and
// a read takes the count, as from a timer's. POSIX timers send their signal, or start a thread, from the thread that has the baton.
#include "face.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>

enum { MOST_TIMERS = 256 };
struct timer {
  int descriptor;     // -1: the process's alarm; -2: a POSIX timer
  int is_used;
  clockid_t clock;
  uint64_t deadline;  // virtual; SBX_NEVER: not armed
  uint64_t interval;
  struct sigevent event;  // of a POSIX timer
  uint32_t due;           // times that its thread has not heard of yet
  int overrun;
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

enum { POSIX_TIMER = -2 };

// The timer's signal, with its value, to the thread that it names or to whoever runs.
static void send(const struct timer *timer) {
  if (timer->event.sigev_notify == SIGEV_NONE) return;
  siginfo_t info = {0};
  info.si_signo = timer->event.sigev_signo;
  info.si_code = SI_TIMER;
  info.si_overrun = timer->overrun;
  info.si_value = timer->event.sigev_value;
  long thread = CALL(SYS_gettid, 0, 0, 0, 0, 0, 0), own = thread;
  if (timer->event.sigev_notify == SIGEV_THREAD_ID) thread = sbx_real_number(timer->event._sigev_un._tid);
  sbx_is_signalling = thread == own;
  CALL(SYS_rt_tgsigqueueinfo, CALL(SYS_getpid, 0, 0, 0, 0, 0, 0), thread, info.si_signo, &info, 0, 0);
  sbx_is_signalling = 0;
}

int sbx_is_signalling;

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
    } else if (timer->descriptor == POSIX_TIMER) {
      timer->overrun = (int)(count - 1);
      if (timer->event.sigev_notify == SIGEV_THREAD) { timer->due++; sbx_wake_all(KEY(timer), ~0u); }
      else send(timer);
    } else {
      sbx_is_signalling = 1;
      CALL(SYS_tgkill, CALL(SYS_getpid, 0, 0, 0, 0, 0, 0), CALL(SYS_gettid, 0, 0, 0, 0, 0, 0), SIGALRM, 0, 0, 0);
      sbx_is_signalling = 0;
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
static void set(struct timer *timer, int is_absolute, const struct itimerspec *value) {
  timer->interval = span(&value->it_interval);
  if (span(&value->it_value) == 0) timer->deadline = SBX_NEVER;
  else if (is_absolute) timer->deadline = sbx_deadline(timer->clock, &value->it_value);
  else timer->deadline = sbx_after(&value->it_value);
}

EXPORT int timerfd_create(clockid_t clock, int flags) {
  if (is_on()) fork_here();
  if (!is_on()) return REAL(timerfd_create)(clock, flags);
  int place = 1;
  while (place < timer_count && timers[place].is_used) place++;
  if (place == MOST_TIMERS) { errno = EMFILE; return -1; }
  int descriptor = eventfd(0, (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0) | (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0));
  if (descriptor < 0) return -1;
  if (place == timer_count) timer_count++;
  timers[place] = (struct timer){.descriptor = descriptor, .is_used = 1, .clock = clock, .deadline = SBX_NEVER};
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
  set(timer, flags & TFD_TIMER_ABSTIME, value);
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

// --- POSIX timers ---

// Identifiers of ours begin here, away from the kernel's.
enum { FIRST_TIMER = 1 << 20 };
static struct timer *posix_timer(timer_t identifier) {
  intptr_t place = (intptr_t)identifier - FIRST_TIMER;
  return place >= 1 && place < timer_count && timers[place].is_used && timers[place].descriptor == POSIX_TIMER ? &timers[place] : 0;
}

static void *notify(void *context) {
  struct sigevent event = *(struct sigevent *)context;
  free(context);
  event.sigev_notify_function(event.sigev_value);
  return 0;
}

// A timer with SIGEV_THREAD has a thread of its own, which starts one for each time that it is due.
static void *await_times(void *context) {
  struct timer *timer = context;
  for (;;) {
    while (!timer->due && timer->is_used) sbx_wait(SBX_SLEEP, KEY(timer), SBX_NEVER, ~0u, 0);
    if (!timer->is_used) break;
    timer->due--;
    struct sigevent *event = malloc(sizeof *event);
    if (!event) continue;
    *event = timer->event;
    pthread_t thread;
    if (pthread_create(&thread, event->sigev_notify_attributes, notify, event)) free(event);
    else pthread_detach(thread);
  }
  timer->due = 0;
  return 0;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict result) {
  if (is_on()) fork_here();
  if (!is_on()) return REAL(timer_create)(clock, event, result);
  int place = 1;
  // A place is used again when its thread has gone.
  while (place < timer_count && (timers[place].is_used || timers[place].event.sigev_notify == SIGEV_THREAD)) place++;
  if (place == MOST_TIMERS) { errno = EAGAIN; return -1; }
  if (place == timer_count) timer_count++;
  timer_t identifier = (timer_t)(intptr_t)(FIRST_TIMER + place);
  struct timer *timer = &timers[place];
  *timer = (struct timer){.descriptor = POSIX_TIMER, .is_used = 1, .clock = clock, .deadline = SBX_NEVER};
  if (event) timer->event = *event;
  else timer->event = (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = identifier};
  if (timer->event.sigev_notify == SIGEV_THREAD) {
    pthread_t thread;
    int error = pthread_create(&thread, 0, await_times, timer);
    if (error) { timer->is_used = 0; timer->event.sigev_notify = SIGEV_NONE; errno = error; return -1; }
    pthread_detach(thread);
  }
  *result = identifier;
  return 0;
}

EXPORT int timer_settime(timer_t identifier, int flags, const struct itimerspec *restrict value, struct itimerspec *restrict old) {
  struct timer *timer = is_on() ? posix_timer(identifier) : 0;
  if (!timer) return REAL(timer_settime)(identifier, flags, value, old);
  point(SBX_SLEEP, timer, PLACE);
  if (old) tell(timer, old);
  set(timer, flags & TIMER_ABSTIME, value);
  return 0;
}
EXPORT int timer_gettime(timer_t identifier, struct itimerspec *out) {
  struct timer *timer = is_on() ? posix_timer(identifier) : 0;
  if (!timer) return REAL(timer_gettime)(identifier, out);
  tell(timer, out);
  return 0;
}
EXPORT int timer_getoverrun(timer_t identifier) {
  struct timer *timer = is_on() ? posix_timer(identifier) : 0;
  return timer ? timer->overrun : REAL(timer_getoverrun)(identifier);
}
EXPORT int timer_delete(timer_t identifier) {
  struct timer *timer = is_on() ? posix_timer(identifier) : 0;
  if (!timer) return REAL(timer_delete)(identifier);
  point(SBX_SLEEP, timer, PLACE);
  timer->deadline = SBX_NEVER;
  timer->is_used = 0;
  sbx_wake_all(KEY(timer), ~0u);
  return 0;
}

SANITIZED_AGAIN
