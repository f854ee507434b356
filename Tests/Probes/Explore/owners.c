// owners.c: programs for what locks know of who has them: the main thread that has some before its first thread, owners that die, and
// reader-writer locks that are asked for twice. All end with 0, but for those that are named after what goes wrong.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static int count, is_there;

static void make(pthread_mutex_t *mutex, int type, int robustness, int protocol) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robustness);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

static void *add_one(void *unused) {
  int error = pthread_mutex_lock(&lock);
  count += error == 0 || error == EOWNERDEAD ? 1 : 100;
  if (error == EOWNERDEAD) pthread_mutex_consistent(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

// The main thread has the lock from before its first thread on, and asks for it again beside one.
static int main_has_recursive(int protocol) {
  pthread_t thread;
  make(&lock, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, protocol);
  if (pthread_mutex_lock(&lock)) return 20;
  if (pthread_create(&thread, 0, add_one, 0)) return 21;
  if (pthread_mutex_lock(&lock)) return 22;
  if (pthread_mutex_trylock(&lock)) return 23;
  for (int i = 0; i < 3; i++) if (pthread_mutex_unlock(&lock)) return 24;
  if (pthread_mutex_unlock(&lock) != EPERM) return 25;
  pthread_join(thread, 0);
  return count == 1 ? 0 : 26;
}
static int main_has_checked(void) {
  pthread_t thread;
  make(&lock, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
  if (pthread_mutex_lock(&lock)) return 20;
  if (pthread_create(&thread, 0, add_one, 0)) return 21;
  if (pthread_mutex_lock(&lock) != EDEADLK) return 22;
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  if (pthread_mutex_timedlock(&lock, &limit) != EDEADLK) return 23;
  if (pthread_mutex_unlock(&lock)) return 24;
  pthread_join(thread, 0);
  return count == 1 ? 0 : 25;
}
// The same of a reader-writer lock, which knows its writer alone.
static void *read_value(void *unused) {
  if (pthread_rwlock_rdlock(&table)) count += 100;
  count++;
  pthread_rwlock_unlock(&table);
  return unused;
}
static int main_writes(void) {
  pthread_t thread;
  struct timespec limit;
  if (pthread_rwlock_wrlock(&table)) return 20;
  if (pthread_create(&thread, 0, read_value, 0)) return 21;
  clock_gettime(CLOCK_REALTIME, &limit);
  if (pthread_rwlock_wrlock(&table) != EDEADLK || pthread_rwlock_rdlock(&table) != EDEADLK) return 22;
  if (pthread_rwlock_timedwrlock(&table, &limit) != EDEADLK || pthread_rwlock_timedrdlock(&table, &limit) != EDEADLK) return 23;
  if (pthread_rwlock_trywrlock(&table) != EBUSY || pthread_rwlock_tryrdlock(&table) != EBUSY) return 24;
  if (pthread_rwlock_unlock(&table)) return 25;
  pthread_join(thread, 0);
  return count == 1 ? 0 : 26;
}

// What is sent to the main thread, asked of it or waited for comes to it, and not to what it was forked from.
static pthread_t main_thread;
static volatile sig_atomic_t signals;
static volatile pthread_t who;
static void take(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  who = pthread_self();
  signals += info->si_code == SI_QUEUE ? 10 : 1;
}
static void *ask_main(void *unused) {
  char name[16];
  int policy;
  clockid_t clock;
  struct sched_param param;
  struct timespec used;
  int failed = pthread_getschedparam(main_thread, &policy, &param) || pthread_getcpuclockid(main_thread, &clock) ||
               clock_gettime(clock, &used) || pthread_setname_np(main_thread, "first") ||
               pthread_getname_np(main_thread, name, sizeof name) || strcmp(name, "first") ||
               pthread_kill(main_thread, 0) || pthread_kill(main_thread, SIGRTMIN) ||
               pthread_sigqueue(main_thread, SIGRTMIN, (union sigval){.sival_int = 1});
  pthread_mutex_lock(&other);
  is_there = failed ? -1 : 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&other);
  return unused;
}
static int asks_main(void) {
  struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGRTMIN, &action, 0);
  main_thread = pthread_self();
  pthread_t thread;
  pthread_create(&thread, 0, ask_main, 0);
  pthread_mutex_lock(&other);
  while (!is_there) pthread_cond_wait(&changed, &other);
  pthread_mutex_unlock(&other);
  pthread_join(thread, 0);
  if (raise(SIGRTMIN)) return 20;
  return is_there != 1 ? 21 : signals != 12 ? 22 : who != main_thread ? 23 : 0;
}
// The main thread ends before another, which joins it, and dies with a lock.
static void *join_main(void *unused) {
  if (pthread_join(main_thread, 0)) _exit(20);
  add_one(0);
  _exit(count == 1 ? 0 : 21);
  return unused;
}
static void main_dies(int when) {
  pthread_t thread;
  make(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
  main_thread = pthread_self();
  if (when == 0) pthread_mutex_lock(&lock);
  pthread_create(&thread, 0, join_main, 0);
  if (when == 1) pthread_mutex_lock(&lock);
  pthread_exit(0);
}

// Who dies with a robust mutex is told to those that wait for it, with and without a condition.
static void *die_with_lock(void *unused) {
  pthread_mutex_lock(&lock);
  is_there = 1;
  pthread_cond_broadcast(&changed);
  sched_yield();
  return unused;
}
static int dies(int type, int protocol) {
  pthread_t threads[3];
  make(&lock, type, PTHREAD_MUTEX_ROBUST, protocol);
  pthread_create(&threads[0], 0, die_with_lock, 0);
  for (int i = 1; i < 3; i++) pthread_create(&threads[i], 0, add_one, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  int error = pthread_mutex_lock(&lock);
  if (error == EOWNERDEAD) pthread_mutex_consistent(&lock);
  return count == 2 && (error == 0 || error == EOWNERDEAD) && pthread_mutex_unlock(&lock) == 0 ? 0 : 20;
}
static int dies_while_waited(void) {
  pthread_t thread;
  make(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
  pthread_mutex_lock(&lock);
  pthread_create(&thread, 0, die_with_lock, 0);
  int error = 0;
  while (!is_there && !error) error = pthread_cond_wait(&changed, &lock);
  if (error && error != EOWNERDEAD) return 20;
  if (!is_there) return 21;
  if (error == EOWNERDEAD && pthread_mutex_consistent(&lock)) return 22;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
// Nobody makes it good: from then on nobody has it.
static void *leave_broken(void *result) {
  int error = pthread_mutex_lock(&lock);
  *(int *)result = error;
  if (error == EOWNERDEAD) pthread_mutex_unlock(&lock);
  return 0;
}
static int is_lost(void) {
  pthread_t threads[3];
  int errors[2];
  make(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
  pthread_create(&threads[0], 0, die_with_lock, 0);
  pthread_join(threads[0], 0);
  for (int i = 0; i < 2; i++) pthread_create(&threads[1 + i], 0, leave_broken, &errors[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[1 + i], 0);
  return errors[0] + errors[1] == EOWNERDEAD + ENOTRECOVERABLE ? 0 : 20;
}

// Readers come after writers that wait, where that was asked for: whoever reads twice then waits for itself.
static pthread_rwlock_t writers_first;
static void *write_once(void *unused) {
  pthread_rwlock_wrlock(&writers_first);
  count++;
  pthread_rwlock_unlock(&writers_first);
  return unused;
}
static void *read_twice(void *unused) {
  pthread_rwlock_rdlock(&writers_first);
  pthread_rwlock_rdlock(&writers_first);
  pthread_rwlock_unlock(&writers_first);
  pthread_rwlock_unlock(&writers_first);
  return unused;
}
static int prefers(int kind) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, kind);
  pthread_rwlock_init(&writers_first, &attributes);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, read_twice, 0);
  pthread_create(&threads[1], 0, write_once, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return count == 1 ? 0 : 20;
}
// A writer that has waited until its limit keeps no reader any longer.
static void *write_in_time(void *unused) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec++;
  if (pthread_rwlock_timedwrlock(&writers_first, &limit) == 0) pthread_rwlock_unlock(&writers_first);
  return unused;
}
static void *read_once(void *unused) {
  pthread_rwlock_rdlock(&writers_first);
  count++;
  pthread_rwlock_unlock(&writers_first);
  return unused;
}
static int gives_up(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&writers_first, &attributes);
  pthread_t threads[2];
  pthread_rwlock_rdlock(&writers_first);
  pthread_create(&threads[0], 0, write_in_time, 0);
  pthread_create(&threads[1], 0, read_once, 0);
  pthread_join(threads[1], 0);
  pthread_rwlock_unlock(&writers_first);
  pthread_join(threads[0], 0);
  return count == 1 ? 0 : 20;
}
// Two locks, one of them tried for by each: the cycle goes through those that were got by trying.
static pthread_spinlock_t spin;
static void *try_spin(void *unused) {
  if (pthread_spin_trylock(&spin)) return unused;
  pthread_rwlock_rdlock(&table);
  pthread_rwlock_unlock(&table);
  pthread_spin_unlock(&spin);
  return unused;
}
static void *try_to_write(void *unused) {
  if (pthread_rwlock_trywrlock(&table)) return unused;
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
  pthread_rwlock_unlock(&table);
  return unused;
}
static int tries(void) {
  pthread_t threads[2];
  pthread_spin_init(&spin, 0);
  pthread_create(&threads[0], 0, try_spin, 0);
  pthread_create(&threads[1], 0, try_to_write, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return pthread_spin_destroy(&spin);
}

int chances(const char *word);  // chances.c

int owners(const char *word) {
  if (!strcmp(word, "main-has-recursive")) return main_has_recursive(PTHREAD_PRIO_NONE);
  if (!strcmp(word, "main-has-inheriting")) return main_has_recursive(PTHREAD_PRIO_INHERIT);
  if (!strcmp(word, "main-has-checked")) return main_has_checked();
  if (!strcmp(word, "main-writes")) return main_writes();
  if (!strcmp(word, "asks-main")) return asks_main();
  if (!strcmp(word, "main-dies-early")) main_dies(0);
  if (!strcmp(word, "main-dies-late")) main_dies(1);
  if (!strcmp(word, "owner-dies")) return dies(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
  if (!strcmp(word, "checked-owner-dies")) return dies(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
  if (!strcmp(word, "inheriting-owner-dies")) return dies(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
  if (!strcmp(word, "owner-dies-while-waited")) return dies_while_waited();
  if (!strcmp(word, "is-lost")) return is_lost();
  if (!strcmp(word, "readers-first")) return prefers(PTHREAD_RWLOCK_PREFER_WRITER_NP);
  if (!strcmp(word, "writers-first")) return prefers(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  if (!strcmp(word, "writer-gives-up")) return gives_up();
  if (!strcmp(word, "cycle-of-tries")) return tries();
  return chances(word);
}
