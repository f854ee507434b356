// conditions.c: condition variables, modelled whole: the C library's own word is never slept on.
#include "face.h"

#include <pthread.h>
#include <threads.h>

#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"  // before it, a condition was laid out otherwise
#else
#define CONDITION_VERSION "GLIBC_2.17"
#endif

// The clock that a condition was made with: bit 1 of the word that counts its groups.
static clockid_t clock_of(pthread_cond_t *condition) {
  return condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// Threads that are under no control sleep in the C library's own condition. One that is counts itself while it has the mutex.
#define OUTSIDE(condition, call) \
  ({ \
    int counts_ = sbx_foreign && !sbx_self; \
    if (counts_) __atomic_fetch_add(sbx_asleep_at(condition), 1, __ATOMIC_SEQ_CST);  /* seq_cst: as in `has_outside` */ \
    int result_ = (call); \
    if (counts_) __atomic_fetch_sub(sbx_asleep_at(condition), 1, __ATOMIC_RELAXED);  /* relaxed: a call in vain at most */ \
    result_; \
  })
static int has_outside(const pthread_cond_t *condition) {
  // seq_cst: who signals has had the mutex since, or need wake nobody
  if (!sbx_foreign || !__atomic_load_n(sbx_asleep_at(condition), __ATOMIC_SEQ_CST)) return 0;
  sbx_foreign->woke();
  return 1;
}
static void tell_foreign(const pthread_cond_t *condition, uint32_t most) {
  if (sbx_foreign && !sbx_self) sbx_foreign->wakes(condition, most, ~0u);
}

static int wait_on(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline, uint64_t place) {
  point(SBX_CONDITION_WAIT, condition, place);
  // Before the mutex is given back: a thread that is under no control takes it, changes what is waited for, and signals.
  int mark = sbx_foreign ? sbx_foreign->waits(condition) : 0;
  // No thread comes between the giving back and the wait: that is what a condition is for.
  int error = REAL(pthread_mutex_unlock)(mutex);
  if (error) {
    if (sbx_foreign) sbx_foreign->waits_no_more(mark);
    return error;
  }
  // A recursive one may still be held: then the wait is one with it.
  if (!sbx_still_has(mutex)) {
    if (!sbx_is_quiet(place)) sbx_released(KEY(mutex));
    sbx_wake_all(KEY(mutex), ~0u);
  }
  enum sbx_wake why = SBX_TIMED_OUT;
  if (deadline == SBX_NEVER || deadline > sbx_state->now) why = sbx_wait(SBX_CONDITION_WAIT, KEY(condition), deadline, ~0u, place);
  if (sbx_foreign) sbx_foreign->waits_no_more(mark);
  while ((error = sbx_try_mutex(mutex, place)) == EBUSY) sbx_wait(SBX_LOCK, KEY(mutex), SBX_NEVER, ~0u, place);
  sbx_touch(KEY(mutex));
  if ((error == 0 || error == EOWNERDEAD) && !sbx_is_quiet(place)) sbx_owned(KEY(mutex), SBX_LOCK, place);
  // The mutex's own matters more: its last owner has died, say.
  if (error) return error;
  return why == SBX_TIMED_OUT ? ETIMEDOUT : 0;
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  if (!is_on()) return OUTSIDE(condition, REAL_VERSION(pthread_cond_wait, CONDITION_VERSION)(condition, mutex));
  return wait_on(condition, mutex, SBX_NEVER, PLACE);
}
EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  if (!is_on()) return OUTSIDE(condition, REAL_VERSION(pthread_cond_timedwait, CONDITION_VERSION)(condition, mutex, deadline));
  if (!sbx_is_time(deadline)) return EINVAL;
  return wait_on(condition, mutex, sbx_deadline(clock_of(condition), deadline), PLACE);
}
EXPORT int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return OUTSIDE(condition, REAL(pthread_cond_clockwait)(condition, mutex, clock, deadline));
  if (!sbx_is_time(deadline) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return EINVAL;
  return wait_on(condition, mutex, sbx_deadline(clock, deadline), PLACE);
}
EXPORT int pthread_cond_signal(pthread_cond_t *condition) {
  if (!is_on()) {
    tell_foreign(condition, 1);
    return REAL_VERSION(pthread_cond_signal, CONDITION_VERSION)(condition);
  }
  point(SBX_CONDITION_SIGNAL, condition, PLACE);
  if (!sbx_wake_one(KEY(condition), ~0u, PLACE) && has_outside(condition))
    return REAL_VERSION(pthread_cond_signal, CONDITION_VERSION)(condition);
  return 0;
}
EXPORT int pthread_cond_broadcast(pthread_cond_t *condition) {
  if (!is_on()) {
    tell_foreign(condition, ~0u);
    return REAL_VERSION(pthread_cond_broadcast, CONDITION_VERSION)(condition);
  }
  point(SBX_CONDITION_BROADCAST, condition, PLACE);
  sbx_wake_all(KEY(condition), ~0u);
  if (has_outside(condition)) return REAL_VERSION(pthread_cond_broadcast, CONDITION_VERSION)(condition);
  return 0;
}
EXPORT int pthread_cond_destroy(pthread_cond_t *condition) {
  if (is_on()) sbx_forget(KEY(condition));
  return REAL_VERSION(pthread_cond_destroy, CONDITION_VERSION)(condition);
}

static int c11(int error) { return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error; }
EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  return c11(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}
EXPORT int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict deadline) {
  return c11(pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, deadline));
}
EXPORT int cnd_signal(cnd_t *condition) { return c11(pthread_cond_signal((pthread_cond_t *)condition)); }
EXPORT int cnd_broadcast(cnd_t *condition) { return c11(pthread_cond_broadcast((pthread_cond_t *)condition)); }
EXPORT void cnd_destroy(cnd_t *condition) { pthread_cond_destroy((pthread_cond_t *)condition); }

SANITIZED_AGAIN
