// locks.c: mutexes, reader-writer and spin locks, semaphores, once, barriers, streams. The real object is the truth: it is tried, and
// who does not get it waits in the core until somebody gives it back.
#include "face.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>

static void own(const void *object, uint32_t kind, uint64_t place) {
  if (!sbx_is_quiet(place)) sbx_owned(KEY(object), kind, place);
}

// Tries until it is held; ETIMEDOUT after the deadline.
#define ACQUIRE(attempt, kind, object, deadline, place) \
  ({ \
    int result_; \
    for (;;) { \
      result_ = (attempt); \
      if (result_ != EBUSY) break; \
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

int sbx_try_mutex(pthread_mutex_t *mutex, uint64_t place) {
  for (;;) {
    if (sbx_face->is_foreign) await_foreign(mutex, place);
    int result = REAL(pthread_mutex_trylock)(mutex);
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
  int result = REAL(pthread_mutex_trylock)(mutex);
  if (result == 0) own(mutex, SBX_LOCK, PLACE);
  return result;
}
EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_mutex_timedlock)(mutex, deadline);
  return lock_mutex(mutex, sbx_deadline(CLOCK_REALTIME, deadline), PLACE);
}
EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_mutex_clocklock)(mutex, clock, deadline);
  return lock_mutex(mutex, sbx_deadline(clock, deadline), PLACE);
}
EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  if (!is_on()) return REAL(pthread_mutex_unlock)(mutex);
  point(SBX_UNLOCK, mutex, PLACE);
  int result = REAL(pthread_mutex_unlock)(mutex);
  // A recursive one may still be held.
  if (result == 0 && mutex->__data.__lock == 0) give_back(mutex, PLACE);
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

static int lock_to_read(pthread_rwlock_t *lock, uint64_t deadline, uint64_t place) {
  point(SBX_READ_LOCK, lock, place);
  return ACQUIRE(REAL(pthread_rwlock_tryrdlock)(lock), SBX_READ_LOCK, lock, deadline, place);
}
static int lock_to_write(pthread_rwlock_t *lock, uint64_t deadline, uint64_t place) {
  point(SBX_WRITE_LOCK, lock, place);
  return ACQUIRE(REAL(pthread_rwlock_trywrlock)(lock), SBX_WRITE_LOCK, lock, deadline, place);
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
  return lock_to_read(lock, sbx_deadline(CLOCK_REALTIME, deadline), PLACE);
}
EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_rwlock_timedwrlock)(lock, deadline);
  return lock_to_write(lock, sbx_deadline(CLOCK_REALTIME, deadline), PLACE);
}
EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_rwlock_clockrdlock)(lock, clock, deadline);
  return lock_to_read(lock, sbx_deadline(clock, deadline), PLACE);
}
EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(pthread_rwlock_clockwrlock)(lock, clock, deadline);
  return lock_to_write(lock, sbx_deadline(clock, deadline), PLACE);
}
EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
  if (is_on()) point(SBX_TRYLOCK, lock, PLACE);
  return REAL(pthread_rwlock_tryrdlock)(lock);
}
EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
  if (is_on()) point(SBX_TRYLOCK, lock, PLACE);
  return REAL(pthread_rwlock_trywrlock)(lock);
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
  if (is_on()) point(SBX_TRYLOCK, (void *)lock, PLACE);
  return REAL(pthread_spin_trylock)(lock);
}
EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock) {
  if (!is_on()) return REAL(pthread_spin_unlock)(lock);
  point(SBX_SPIN_UNLOCK, (void *)lock, PLACE);
  int result = REAL(pthread_spin_unlock)(lock);
  give_back((void *)lock, PLACE);
  return result;
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
  return wait_semaphore(semaphore, sbx_deadline(CLOCK_REALTIME, deadline), PLACE);
}
EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline) {
  if (!is_on()) return REAL(sem_clockwait)(semaphore, clock, deadline);
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

// --- once ---

// The C library's value of a once that is through.
enum { ONCE_DONE = 2 };

EXPORT int pthread_once(pthread_once_t *once, void (*body)(void)) {
  if (!is_on() || __atomic_load_n(once, __ATOMIC_ACQUIRE) == ONCE_DONE) return REAL(pthread_once)(once, body);
  point(SBX_ONCE, once, PLACE);
  struct sbx_object *object;
  while (__atomic_load_n(once, __ATOMIC_ACQUIRE) != ONCE_DONE) {
    object = sbx_object_at(KEY(once), SBX_ONCE, PLACE);
    if (!object->owner) break;
    sbx_wait(SBX_ONCE, KEY(once), SBX_NEVER, ~0u, PLACE);
  }
  if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == ONCE_DONE) return 0;
  sbx_owned(KEY(once), SBX_ONCE, PLACE);
  int result = REAL(pthread_once)(once, body);
  sbx_released(KEY(once));
  sbx_wake_all(KEY(once), ~0u);
  return result;
}
EXPORT void call_once(once_flag *flag, void (*body)(void)) { pthread_once((pthread_once_t *)flag, body); }

// --- barriers ---

// How many each barrier waits for; looked up by address, also for those made before control began.
enum { MOST_BARRIERS = 256 };
static struct { uint64_t address; uint32_t size, arrived; } barriers[MOST_BARRIERS];

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count) {
  int result = REAL(pthread_barrier_init)(barrier, attributes, count);
  if (result) return result;
  for (int i = 0; i < MOST_BARRIERS; i++) {
    if (barriers[i].address && barriers[i].address != KEY(barrier)) continue;
    barriers[i].address = KEY(barrier);
    barriers[i].size = count;
    barriers[i].arrived = 0;
    break;
  }
  return 0;
}
EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) {
  int i = 0;
  while (i < MOST_BARRIERS && barriers[i].address != KEY(barrier)) i++;
  if (!is_on() || i == MOST_BARRIERS) return REAL(pthread_barrier_wait)(barrier);
  point(SBX_BARRIER, barrier, PLACE);
  if (++barriers[i].arrived == barriers[i].size) {
    barriers[i].arrived = 0;
    sbx_wake_all(KEY(barrier), ~0u);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  sbx_wait(SBX_BARRIER, KEY(barrier), SBX_NEVER, ~0u, PLACE);
  return 0;
}
EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  if (is_on()) sbx_forget(KEY(barrier));
  for (int i = 0; i < MOST_BARRIERS; i++) if (barriers[i].address == KEY(barrier)) barriers[i].address = 0;
  return REAL(pthread_barrier_destroy)(barrier);
}

// --- streams ---

EXPORT void flockfile(FILE *file) {
  if (!is_on()) { REAL(flockfile)(file); return; }
  point(SBX_FILE_LOCK, file, PLACE);
  ACQUIRE(REAL(ftrylockfile)(file) ? EBUSY : 0, SBX_FILE_LOCK, file, SBX_NEVER, PLACE);
}
EXPORT void funlockfile(FILE *file) {
  if (!is_on()) { REAL(funlockfile)(file); return; }
  point(SBX_FILE_UNLOCK, file, PLACE);
  REAL(funlockfile)(file);
  give_back(file, PLACE);
}

SANITIZED_AGAIN
