// barriers.c: barriers, modelled whole: how many each waits for is kept here, by address, also of those made before control began.
#include "face.h"

#include <pthread.h>
#include <sys/mman.h>

// A place whose barrier has gone keeps its address, so that others are still found behind it.
struct barrier { uint64_t address; uint32_t size, arrived, is_gone; };
enum { FIRST_PLACES = 256 };
static struct barrier first[FIRST_PLACES], *table = first;
static uint32_t places = FIRST_PLACES, used;

static struct barrier *place_of(uint64_t address) {
  uint32_t place = (uint32_t)(address * 0x9e3779b97f4a7c15 >> 40) % places;
  while (table[place].address && table[place].address != address) place = (place + 1) % places;
  return &table[place];
}

// Anew, without those that have gone, and four times as large if the others fill it. Returns 0 where the system has no memory.
static int make_room(void) {
  struct barrier *old = table;
  uint32_t count = places, alive = 0;
  for (uint32_t i = 0; i < count; i++) alive += old[i].address && !old[i].is_gone;
  uint32_t fresh = alive * 4 < count ? count : count * 4;
  void *made = mmap(0, fresh * sizeof *old, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return 0;
  table = made;
  places = fresh;
  used = alive;
  for (uint32_t i = 0; i < count; i++) if (old[i].address && !old[i].is_gone) *place_of(old[i].address) = old[i];
  if (old != first) munmap(old, count * sizeof *old);
  return 1;
}

// Beside threads under control there may be others, in a process that goes on. Nobody is stopped while he has the table.
static uint32_t is_locked;
static void lock_table(void) {
  // acquire: the table as the last who had it has left it
  while (__atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE)) CALL(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}
static void unlock_table(void) { __atomic_store_n(&is_locked, 0, __ATOMIC_RELEASE); }  // release: what was changed, to the next

// Whether there is room for it.
static int note(const pthread_barrier_t *barrier, uint32_t count) {
  lock_table();
  int has_room = used * 2 < places || make_room();
  if (has_room) {
    struct barrier *place = place_of(KEY(barrier));
    if (!place->address) used++;
    *place = (struct barrier){KEY(barrier), count, 0, 0};
  }
  unlock_table();
  return has_room;
}

enum arrival { UNKNOWN, EARLY, LAST };
static enum arrival arrive(const pthread_barrier_t *barrier) {
  lock_table();
  struct barrier *place = place_of(KEY(barrier));
  enum arrival arrival = !place->address || place->is_gone ? UNKNOWN : ++place->arrived < place->size ? EARLY : LAST;
  if (arrival == LAST) place->arrived = 0;
  unlock_table();
  return arrival;
}

static void forget(const pthread_barrier_t *barrier) {
  lock_table();
  place_of(KEY(barrier))->is_gone = 1;
  unlock_table();
}

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count) {
  int result = REAL(pthread_barrier_init)(barrier, attributes, count);
  if (result || note(barrier, count)) return result;
  REAL(pthread_barrier_destroy)(barrier);
  return ENOMEM;
}
EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) {
  if (!is_on()) return REAL(pthread_barrier_wait)(barrier);
  point(SBX_BARRIER, barrier, PLACE);
  switch (arrive(barrier)) {
    case EARLY: sbx_wait(SBX_BARRIER, KEY(barrier), SBX_NEVER, ~0u, PLACE); return 0;
    case LAST: sbx_wake_all(KEY(barrier), ~0u); return PTHREAD_BARRIER_SERIAL_THREAD;
    default: return REAL(pthread_barrier_wait)(barrier);
  }
}
EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  if (is_on()) sbx_forget(KEY(barrier));
  forget(barrier);
  return REAL(pthread_barrier_destroy)(barrier);
}

SANITIZED_AGAIN
