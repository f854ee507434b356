// locks.c: mutexes, reader-writer and spin locks, semaphores, streams. The real object is the truth: it is tried, and
// who does not get it waits in the core until somebody gives it back.
#include "face.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>

static void own(const void *object, uint32_t kind, uint64_t place) {
  if (!sbx_is_quiet(place)) sbx_owned(KEY(object), kind, place);
}

// A time limit that is none: told by most functions at once, by a mutex only to who would have to wait.
static int is_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
static int is_limit(clockid_t clock, const struct timespec *time) { return is_clock(clock) && sbx_is_time(time); }
#define NO_LIMIT (SBX_NEVER - 1)

// Tries until it is held; ETIMEDOUT after the deadline.
#define ACQUIRE(attempt, kind, object, deadline, place) \
  ({ \
    int result_; \
    for (;;) { \
      result_ = (attempt); \
      if (result_ != EBUSY) break; \
      if ((deadline) == NO_LIMIT) { result_ = EINVAL; break; } \
      if ((deadline) != SBX_NEVER && (deadline) <= sbx_state->now) { result_ = ETIMEDOUT; break; } \
      sbx_wait(kind, KEY(object), deadline, ~0u, place); \
    } \
    sbx_touch(KEY(object)); \
    if (result_ == 0 || result_ == EOWNERDEAD) own(object, kind, place); \
    result_; \
  })

static void give_back(const void *object, uint64_t place) {
  if (!sbx_is_quiet(place)) sbx_released(KEY(object));
  sbx_wake_all(KEY(object), ~0u);
}

// --- mutexes ---

// A thread that has a lock already is answered by the lock itself, where its kind says how.
static int is_own_checked(pthread_mutex_t *mutex) {
  return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP && (uint32_t)mutex->__data.__owner == sbx_self->tid;
}

int sbx_still_has(const pthread_mutex_t *mutex) {
  return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP && (uint32_t)mutex->__data.__owner == sbx_self->tid;
}

// A thread that is under no control gives it back by itself, and unseen: this one waits in the kernel until it has. Such a thread may also
// have it and not have written so yet.
static int is_foreigners(pthread_mutex_t *mutex) {
  uint32_t owner = (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
  return owner ? sbx_face->is_foreign(owner) : __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) != 0;
}
// For a moment it has the baton meanwhile: then nothing depends on whether there was somebody.
static void await_foreign(pthread_mutex_t *mutex, uint64_t place) {
  enum { MOMENT = 10 * 1000 * 1000 };
  uint64_t begin = is_foreigners(mutex) ? sbx_face->real_time() : 0;
  while (begin && is_foreigners(mutex) && sbx_face->real_time() - begin < MOMENT) CALL(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
  while (is_foreigners(mutex)) {
    sbx_go_out(place);
    CALL(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    sbx_come_back();
  }
}

// One with priority inheritance whose owner has died is given by the kernel, which writes the number that it knows.
static int try_mutex(pthread_mutex_t *mutex) {
  enum { INHERITS = 32 };  // a bit of the C library's own
  int result = REAL(pthread_mutex_trylock)(mutex);
  if (mutex->__data.__kind & INHERITS) sbx_show_number((uint32_t *)&mutex->__data.__lock);
  return result;
}

int sbx_try_mutex(pthread_mutex_t *mutex, uint64_t place) {
  for (;;) {
    if (sbx_face->is_foreign) await_foreign(mutex, place);
    int result = try_mutex(mutex);
    if (result != EBUSY || !sbx_face->is_foreign || !is_foreigners(mutex)) return result;
  }
}

static int lock_mutex(pthread_mutex_t *mutex, uint64_t deadline, uint64_t place) {
  point(deadline == SBX_NEVER ? SBX_LOCK : SBX_TIMEDLOCK, mutex, place);
  if (is_own_checked(mutex)) return EDEADLK;
  return ACQUIRE(sbx_try_mutex(mutex, place), SBX_LOCK, mutex, deadline, place);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (!is_on()) return REAL(pthread_mutex_lock)(mutex);
  return lock_mutex(mutex, SBX_NEVER, PLACE);
}
EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  if (!is_on()) return REAL(pthread_mutex_trylock)(mutex);
  point(SBX_TRYLOCK, mutex, PLACE);
  int result = try_mutex(mutex);
  if (result == 0 || result == EOWNERDEAD) own(mutex, SBX_LOCK, PLACE);
  return result;
}
EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_mutex_timedlock)(mutex, deadline);
  return lock_mutex(mutex, sbx_is_time(deadline) ? sbx_deadline(CLOCK_REALTIME, deadline) : NO_LIMIT, PLACE);
}
EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_mutex_clocklock)(mutex, clock, deadline);
  if (!is_clock(clock)) return EINVAL;
  return lock_mutex(mutex, sbx_is_time(deadline) ? sbx_deadline(clock, deadline) : NO_LIMIT, PLACE);
}
EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  if (!is_on()) return REAL(pthread_mutex_unlock)(mutex);
  point(SBX_UNLOCK, mutex, PLACE);
  int result = REAL(pthread_mutex_unlock)(mutex);
  if (result == 0 && !sbx_still_has(mutex)) give_back(mutex, PLACE);
  return result;
}
EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  if (is_on()) sbx_forget(KEY(mutex));
  return REAL(pthread_mutex_destroy)(mutex);
}

static int c11(int error) {
  return error == 0 ? thrd_success : error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}
EXPORT int mtx_lock(mtx_t *mutex) { return c11(pthread_mutex_lock((pthread_mutex_t *)mutex)); }
EXPORT int mtx_trylock(mtx_t *mutex) { return c11(pthread_mutex_trylock((pthread_mutex_t *)mutex)); }
EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict deadline) {
  return c11(pthread_mutex_timedlock((pthread_mutex_t *)mutex, deadline));
}
EXPORT int mtx_unlock(mtx_t *mutex) { return c11(pthread_mutex_unlock((pthread_mutex_t *)mutex)); }
EXPORT void mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy((pthread_mutex_t *)mutex); }

// --- reader-writer locks ---

// Who has it to write gets that number, and does not wait for itself. (Who has it to read and wants to write waits forever.)
static int writes_already(const pthread_rwlock_t *lock) { return (uint32_t)lock->__data.__cur_writer == sbx_self->tid; }
// Whether readers come after writers that wait: a kind that must be asked for. How many wait is the object's value.
static int prefers_writers(const pthread_rwlock_t *lock) { return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; }
static uint32_t *waiting_writers(const pthread_rwlock_t *lock, uint64_t place) {
  struct sbx_object *object = sbx_object_at(KEY(lock), SBX_WRITE_LOCK, place);
  // One record stands for all objects that have no number.
  return prefers_writers(lock) && object != sbx_state->objects ? &object->value : 0;
}
static int try_to_read(pthread_rwlock_t *lock, uint64_t place) {
  const uint32_t *waiting = waiting_writers(lock, place);
  return waiting && *waiting ? EBUSY : REAL(pthread_rwlock_tryrdlock)(lock);
}

static int lock_to_read(pthread_rwlock_t *lock, uint64_t deadline, uint64_t place) {
  point(SBX_READ_LOCK, lock, place);
  if (writes_already(lock)) return EDEADLK;
  return ACQUIRE(try_to_read(lock, place), SBX_READ_LOCK, lock, deadline, place);
}
static int lock_to_write(pthread_rwlock_t *lock, uint64_t deadline, uint64_t place) {
  point(SBX_WRITE_LOCK, lock, place);
  if (writes_already(lock)) return EDEADLK;
  uint32_t *waiting = waiting_writers(lock, place);
  if (waiting) ++*waiting;
  int result = ACQUIRE(REAL(pthread_rwlock_trywrlock)(lock), SBX_WRITE_LOCK, lock, deadline, place);
  // Readers that waited for this one alone go on.
  if (waiting && --*waiting == 0 && result) sbx_wake_all(KEY(lock), ~0u);
  return result;
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  if (!is_on()) return REAL(pthread_rwlock_rdlock)(lock);
  return lock_to_read(lock, SBX_NEVER, PLACE);
}
EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  if (!is_on()) return REAL(pthread_rwlock_wrlock)(lock);
  return lock_to_write(lock, SBX_NEVER, PLACE);
}
EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_rwlock_timedrdlock)(lock, deadline);
  if (!sbx_is_time(deadline)) return EINVAL;
  return lock_to_read(lock, sbx_deadline(CLOCK_REALTIME, deadline), PLACE);
}
EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_rwlock_timedwrlock)(lock, deadline);
  if (!sbx_is_time(deadline)) return EINVAL;
  return lock_to_write(lock, sbx_deadline(CLOCK_REALTIME, deadline), PLACE);
}
EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_rwlock_clockrdlock)(lock, clock, deadline);
  if (!is_limit(clock, deadline)) return EINVAL;
  return lock_to_read(lock, sbx_deadline(clock, deadline), PLACE);
}
EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_rwlock_clockwrlock)(lock, clock, deadline);
  if (!is_limit(clock, deadline)) return EINVAL;
  return lock_to_write(lock, sbx_deadline(clock, deadline), PLACE);
}
EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
  if (!is_on()) return REAL(pthread_rwlock_tryrdlock)(lock);
  point(SBX_TRYLOCK, lock, PLACE);
  int result = try_to_read(lock, PLACE);
  if (result == 0) own(lock, SBX_READ_LOCK, PLACE);
  return result;
}
EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
  if (!is_on()) return REAL(pthread_rwlock_trywrlock)(lock);
  point(SBX_TRYLOCK, lock, PLACE);
  int result = REAL(pthread_rwlock_trywrlock)(lock);
  if (result == 0) own(lock, SBX_WRITE_LOCK, PLACE);
  return result;
}
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  if (!is_on()) return REAL(pthread_rwlock_unlock)(lock);
  point(SBX_RW_UNLOCK, lock, PLACE);
  int result = REAL(pthread_rwlock_unlock)(lock);
  if (result == 0) give_back(lock, PLACE);
  return result;
}
EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  if (is_on()) sbx_forget(KEY(lock));
  return REAL(pthread_rwlock_destroy)(lock);
}

// --- spin locks ---

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock) {
  if (!is_on()) return REAL(pthread_spin_lock)(lock);
  point(SBX_SPIN_LOCK, (void *)lock, PLACE);
  return ACQUIRE(REAL(pthread_spin_trylock)(lock), SBX_SPIN_LOCK, (void *)lock, SBX_NEVER, PLACE);
}
EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock) {
  if (!is_on()) return REAL(pthread_spin_trylock)(lock);
  point(SBX_TRYLOCK, (void *)lock, PLACE);
  int result = REAL(pthread_spin_trylock)(lock);
  if (result == 0) own((void *)lock, SBX_SPIN_LOCK, PLACE);
  return result;
}
EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock) {
  if (!is_on()) return REAL(pthread_spin_unlock)(lock);
  point(SBX_SPIN_UNLOCK, (void *)lock, PLACE);
  int result = REAL(pthread_spin_unlock)(lock);
  give_back((void *)lock, PLACE);
  return result;
}
EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock) {
  if (is_on()) sbx_forget(KEY(lock));
  return REAL(pthread_spin_destroy)(lock);
}

// --- semaphores ---

static int try_semaphore(sem_t *semaphore) { return REAL(sem_trywait)(semaphore) == 0 ? 0 : errno == EAGAIN ? EBUSY : errno; }
static int wait_semaphore(sem_t *semaphore, uint64_t deadline, uint64_t place) {
  int saved = errno;
  point(SBX_SEMAPHORE_WAIT, semaphore, place);
  int result = ACQUIRE(try_semaphore(semaphore), SBX_SEMAPHORE_WAIT, semaphore, deadline, place);
  // Nobody owns a semaphore.
  sbx_released(KEY(semaphore));
  errno = result ? result : saved;
  return result ? -1 : 0;
}
EXPORT int sem_wait(sem_t *semaphore) {
  if (!is_on()) return REAL(sem_wait)(semaphore);
  return wait_semaphore(semaphore, SBX_NEVER, PLACE);
}
EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
  if (!is_on()) return REAL(sem_timedwait)(semaphore, deadline);
  if (!sbx_is_time(deadline)) { errno = EINVAL; return -1; }
  return wait_semaphore(semaphore, sbx_deadline(CLOCK_REALTIME, deadline), PLACE);
}
EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(sem_clockwait)(semaphore, clock, deadline);
  if (!is_limit(clock, deadline)) { errno = EINVAL; return -1; }
  return wait_semaphore(semaphore, sbx_deadline(clock, deadline), PLACE);
}
EXPORT int sem_trywait(sem_t *semaphore) {
  if (is_on()) point(SBX_TRYLOCK, semaphore, PLACE);
  return REAL(sem_trywait)(semaphore);
}
EXPORT int sem_post(sem_t *semaphore) {
  if (!is_on()) {
    int result = REAL(sem_post)(semaphore);
    // A timer's signal has come: its handler may post, and this is the one thing of ours that it may do.
    if (result == 0 && sbx_self && sbx_is_signalling) sbx_wake_all(KEY(semaphore), ~0u);
    return result;
  }
  point(SBX_SEMAPHORE_POST, semaphore, PLACE);
  int result = REAL(sem_post)(semaphore);
  if (result == 0) sbx_wake_all(KEY(semaphore), ~0u);
  return result;
}
EXPORT int sem_destroy(sem_t *semaphore) {
  if (is_on()) sbx_forget(KEY(semaphore));
  return REAL(sem_destroy)(semaphore);
}

// --- streams ---

EXPORT void flockfile(FILE *file) {
  if (!is_on()) { REAL(flockfile)(file); return; }
  point(SBX_FILE_LOCK, file, PLACE);
  ACQUIRE(REAL(ftrylockfile)(file) ? EBUSY : 0, SBX_FILE_LOCK, file, SBX_NEVER, PLACE);
}
EXPORT int ftrylockfile(FILE *file) {
  if (!is_on()) return REAL(ftrylockfile)(file);
  point(SBX_TRYLOCK, file, PLACE);
  int result = REAL(ftrylockfile)(file);
  if (result == 0) own(file, SBX_FILE_LOCK, PLACE);
  return result;
}
EXPORT void funlockfile(FILE *file) {
  if (!is_on()) { REAL(funlockfile)(file); return; }
  point(SBX_FILE_UNLOCK, file, PLACE);
  REAL(funlockfile)(file);
  give_back(file, PLACE);
}

SANITIZED_AGAIN
