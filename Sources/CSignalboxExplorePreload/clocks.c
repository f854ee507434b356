// clocks.c: virtual time: what clocks show, and sleeps.
#include "face.h"

#include <sys/time.h>
#include <threads.h>

// What the monotonic clocks show at a run's begin: the machine has been up for some time.
#define UPTIME_AT_BEGIN (1000ull * 1000000000)

static int is_virtual(clockid_t clock) { return clock >= 0 && clock <= CLOCK_TAI; }
static uint64_t at_begin(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_REALTIME_ALARM: case CLOCK_TAI:
      return (uint64_t)sbx_state->run.wall * 1000000000;
    case CLOCK_PROCESS_CPUTIME_ID: case CLOCK_THREAD_CPUTIME_ID: return 1000000;
    default: return UPTIME_AT_BEGIN;
  }
}

uint64_t sbx_time_of(clockid_t clock, uint64_t now) { return at_begin(clock) + now; }
int sbx_is_time(const struct timespec *time) { return time->tv_nsec >= 0 && time->tv_nsec < 1000000000; }

static uint64_t nanoseconds(const struct timespec *time) {
  if (time->tv_sec < 0) return 0;
  if ((uint64_t)time->tv_sec > UINT64_MAX / 2000000000) return SBX_NEVER;
  return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}
uint64_t sbx_deadline(clockid_t clock, const struct timespec *absolute) {
  uint64_t time = nanoseconds(absolute), begin = at_begin(clock);
  return time == SBX_NEVER ? SBX_NEVER : time <= begin ? 0 : time - begin;
}
uint64_t sbx_after(const struct timespec *span) {
  uint64_t time = nanoseconds(span);
  return time == SBX_NEVER ? SBX_NEVER : sbx_state->now + time;
}

// A thread that only reads the clock waits for something that another must do.
enum { READS_OF_A_WAIT = 200 };
static uint64_t read_clock(uint64_t place) {
  sbx_settle();
  uint64_t now = sbx_read_clock();
  if (sbx_self->clock_reads % READS_OF_A_WAIT == 0) sbx_yield(SBX_CLOCK, 0, place);
  return now;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!is_on() || !is_virtual(clock)) return REAL(clock_gettime)(clock, time);
  uint64_t now = sbx_time_of(clock, read_clock(PLACE));
  *time = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
  return 0;
}
EXPORT int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  if (!is_on()) return REAL(gettimeofday)(time, zone);
  uint64_t now = sbx_time_of(CLOCK_REALTIME, read_clock(PLACE));
  *time = (struct timeval){(time_t)(now / 1000000000), (suseconds_t)(now % 1000000000 / 1000)};
  return 0;
}
EXPORT time_t time(time_t *result) {
  if (!is_on()) return REAL(time)(result);
  time_t now = (time_t)(sbx_time_of(CLOCK_REALTIME, read_clock(PLACE)) / 1000000000);
  if (result) *result = now;
  return now;
}
EXPORT int timespec_get(struct timespec *time, int base) {
  if (!is_on() || base != TIME_UTC) return REAL(timespec_get)(time, base);
  clock_gettime(CLOCK_REALTIME, time);
  return base;
}
EXPORT clock_t clock(void) {
  if (!is_on()) return REAL(clock)();
  return (clock_t)(sbx_time_of(CLOCK_PROCESS_CPUTIME_ID, read_clock(PLACE)) / 1000);
}

// --- sleeps ---

static void sleep_until(uint64_t deadline, uint64_t place) {
  if (deadline <= sbx_state->now) { sbx_yield(SBX_SLEEP, 0, place); return; }
  sbx_wait(SBX_SLEEP, 0, deadline, 0, place);
}

EXPORT int nanosleep(const struct timespec *span, struct timespec *rest) {
  if (!is_on()) return REAL(nanosleep)(span, rest);
  if (!sbx_is_time(span) || span->tv_sec < 0) { errno = EINVAL; return -1; }
  sbx_settle();
  sleep_until(sbx_after(span), PLACE);
  return 0;
}
EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
  if (!is_on() || !is_virtual(clock)) return REAL(clock_nanosleep)(clock, flags, time, rest);
  if (!sbx_is_time(time)) return EINVAL;
  sbx_settle();
  sleep_until(flags & TIMER_ABSTIME ? sbx_deadline(clock, time) : sbx_after(time), PLACE);
  return 0;
}
EXPORT int usleep(useconds_t span) {
  if (!is_on()) return REAL(usleep)(span);
  sbx_settle();
  sleep_until(sbx_state->now + (uint64_t)span * 1000, PLACE);
  return 0;
}
EXPORT unsigned sleep(unsigned seconds) {
  if (!is_on()) return REAL(sleep)(seconds);
  sbx_settle();
  sleep_until(sbx_state->now + (uint64_t)seconds * 1000000000, PLACE);
  return 0;
}
EXPORT int thrd_sleep(const struct timespec *span, struct timespec *rest) {
  if (!is_on()) return REAL(thrd_sleep)(span, rest);
  sbx_settle();
  sleep_until(sbx_after(span), PLACE);
  return 0;
}

SANITIZED_AGAIN
