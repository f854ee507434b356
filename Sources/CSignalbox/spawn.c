// spawn.c: programs started from a worker's item get the program's signal mask, not the worker's own.
//
// fork is covered by a child handler. posix_spawn runs none, and copies the calling thread's mask unless its attributes name
// one: so the two calls are taken over here (an executable's definition comes before the C library's, for its shared libraries
// too) and given the mask by attribute when the caller is a worker that has not set a mask of its own.
#include "Shared/own_code.h"
#define _GNU_SOURCE
#include "csignalbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>

uint64_t sb_program_signals;

static sigset_t program_mask(void) {
  sigset_t mask;
  sigemptyset(&mask);
  for (int number = 1; number <= 64; number++)
    if (__atomic_load_n(&sb_program_signals, __ATOMIC_RELAXED) >> (number - 1) & 1) sigaddset(&mask, number);
  return mask;
}

// The C library blocks everything for a moment while it makes or ends threads and processes, its own two signals (32 and 33)
// included, which it lets no program block. And sb_thread_spawn lends its caller the mask of a worker.
int sb_mask_is_passing(uint64_t mask) {
  if (mask >> 31 & 3) return 1;
  sigset_t own;
  sb_worker_mask(&own);
  for (int number = 1; number < 32; number++)
    if (number != SIGKILL && number != SIGSTOP && (int)(mask >> (number - 1) & 1) != sigismember(&own, number)) return 0;
  return 1;
}

// Whether the caller is a worker with the mask it was made with (sb_worker_mask).
static int has_full_mask(void) {
  sigset_t now, own;
  if (!sb_thread_self.worker || pthread_sigmask(SIG_SETMASK, NULL, &now)) return 0;
  sb_worker_mask(&own);
  for (int number = 1; number < 32; number++)
    if (number != SIGKILL && number != SIGSTOP && sigismember(&now, number) != sigismember(&own, number)) return 0;
  return 1;
}

void sb_restore_signals_in_child(void) {
  if (!has_full_mask()) return;
  sigset_t mask = program_mask();
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

typedef int (*spawn_call)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                          char *const[]);

static int spawn(const char *name, pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  spawn_call real = (spawn_call)dlsym(RTLD_NEXT, name);
  if (!real) return ENOSYS;
  short flags = 0;
  if (attributes) posix_spawnattr_getflags(attributes, &flags);
  if (flags & POSIX_SPAWN_SETSIGMASK || !has_full_mask()) return real(pid, path, actions, attributes, arguments, environment);
  posix_spawnattr_t own;
  if (attributes) memcpy(&own, attributes, sizeof own);
  else posix_spawnattr_init(&own);
  sigset_t mask = program_mask();
  posix_spawnattr_setsigmask(&own, &mask);
  posix_spawnattr_setflags(&own, (short)(flags | POSIX_SPAWN_SETSIGMASK));
  return real(pid, path, actions, &own, arguments, environment);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                char *const arguments[], char *const environment[]) {
  return spawn("posix_spawn", pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const arguments[], char *const environment[]) {
  return spawn("posix_spawnp", pid, file, actions, attributes, arguments, environment);
}
