// environment.c: what else differs from run to run and machine to machine: random numbers, and the number of processors.
#include "face.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/sysinfo.h>

static void fill(void *buffer, size_t count) {
  uint8_t *bytes = buffer;
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(sbx_random() >> 32);
}

EXPORT ssize_t getrandom(void *buffer, size_t count, unsigned flags) {
  if (!is_on()) return REAL(getrandom)(buffer, count, flags);
  fill(buffer, count);
  return (ssize_t)count;
}
EXPORT int getentropy(void *buffer, size_t count) {
  if (!is_on()) return REAL(getentropy)(buffer, count);
  fill(buffer, count);
  return 0;
}
EXPORT uint32_t arc4random(void) { return is_on() ? (uint32_t)(sbx_random() >> 32) : REAL(arc4random)(); }
EXPORT void arc4random_buf(void *buffer, size_t count) {
  if (is_on()) fill(buffer, count);
  else REAL(arc4random_buf)(buffer, count);
}
EXPORT uint32_t arc4random_uniform(uint32_t bound) {
  if (!is_on()) return REAL(arc4random_uniform)(bound);
  return bound ? (uint32_t)((sbx_random() >> 32) * bound >> 32) : 0;
}

// --- processors ---

static int processors(void) { return sbx_state && sbx_state->control.processors ? (int)sbx_state->control.processors : 0; }

static void fill_set(size_t size, cpu_set_t *set) {
  CPU_ZERO_S(size, set);
  for (int i = 0; i < processors(); i++) CPU_SET_S((size_t)i, size, set);
}
EXPORT int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set) {
  if (!processors()) return REAL(sched_getaffinity)(thread, size, set);
  fill_set(size, set);
  return 0;
}
EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
  if (!processors()) return REAL(pthread_getaffinity_np)(thread, size, set);
  fill_set(size, set);
  return 0;
}
EXPORT int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set) {
  return processors() ? 0 : REAL(sched_setaffinity)(thread, size, set);
}
EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
  return processors() ? 0 : REAL(pthread_setaffinity_np)(thread, size, set);
}
EXPORT int get_nprocs(void) { return processors() ? processors() : REAL(get_nprocs)(); }
EXPORT int get_nprocs_conf(void) { return processors() ? processors() : REAL(get_nprocs_conf)(); }
EXPORT long sysconf(int name) {
  if (processors() && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)) return processors();
  return REAL(sysconf)(name);
}

SANITIZED_AGAIN
