// numbers.c: the numbers of process and main thread. A run is a fork of the server, but to the program nothing has happened: it, or a
// library, may have kept the numbers it had before. So they stay what they were, and are translated on the way to the kernel.
#include "face.h"

#include <grp.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/uio.h>

static int shown, real;  // the server's number, and the run's; both 0 before there is a run

void sbx_number_run(int before, int now) {
  shown = before;
  real = now;
}
int sbx_real_number(int number) { return shown && number == shown ? real : number; }
static int shown_number(int number) { return shown && number == real ? shown : number; }
void sbx_forget_numbers(void) { shown = real = 0; }

// --- the main thread's number in the C library ---

// The C library keeps it in the thread's own block, writes it into each mutex and reader-writer lock that the thread has, and compares. A
// fork writes the new one there and forgets the robust mutexes that the thread has; what was locked before would be another's.
static uint32_t *kept_number;  // where it is kept; null: not found, and then nothing is changed
static pthread_t main_thread;
static struct robust_list_head *robust;
static void *robust_first, *robust_last;
// The number is within this part of the block, which is longer.
enum { WORDS_OF_BLOCK = 256 };

// The list leads both ways; the kernel knows one.
static void **robust_last_of(struct robust_list_head *head) { return (void **)head - 1; }

void sbx_keep_main_thread(void) {
  uint32_t own = (uint32_t)CALL(SYS_gettid, 0, 0, 0, 0, 0, 0), *words = (uint32_t *)pthread_self();
  size_t size;
  for (int i = 0; i < WORDS_OF_BLOCK && !kept_number; i++) if (words[i] == own) kept_number = &words[i];
  main_thread = pthread_self();
  if (CALL(SYS_get_robust_list, 0, &robust, &size, 0, 0, 0) || size != sizeof *robust) robust = 0;
  if (!robust) return;
  robust_first = robust->list.next;
  robust_last = *robust_last_of(robust);
}

// In the run, right after the fork.
void sbx_restore_main_thread(void) {
  if (!kept_number || *kept_number != (uint32_t)real) { kept_number = 0; return; }
  *kept_number = (uint32_t)shown;
  if (!robust) return;
  robust->list.next = robust_first;
  *robust_last_of(robust) = robust_last;
}

// The kernel marks the robust mutexes that a thread has when it ends, by the number that it knows.
void sbx_main_thread_ends(void) {
  if (!kept_number || !robust || pthread_self() != main_thread) return;
  // The lowest bit says that a mutex is one with priority inheritance.
  for (struct robust_list *one = robust->list.next; (KEY(one) & ~1ull) != KEY(&robust->list);) {
    one = (struct robust_list *)(KEY(one) & ~1ull);
    uint32_t *word = (uint32_t *)((char *)one + robust->futex_offset);
    if ((*word & FUTEX_TID_MASK) == (uint32_t)shown) *word = (*word & ~(uint32_t)FUTEX_TID_MASK) | (uint32_t)real;
    one = one->next;
  }
}

// The process has the number as well, and keeps it: the kernel clears the word when the thread has done all it does.
int sbx_main_thread_is_gone(void) { return kept_number && __atomic_load_n(kept_number, __ATOMIC_RELAXED) == 0; }

void sbx_show_number(uint32_t *word) {
  if (shown && (*word & FUTEX_TID_MASK) == (uint32_t)real) *word = (*word & ~(uint32_t)FUTEX_TID_MASK) | (uint32_t)shown;
}

// What gives the kernel the number that the C library keeps finds the kernel's there.
static void keep_real(pthread_t thread, int number) {
  if (kept_number && shown && (thread == main_thread || !thread)) *kept_number = (uint32_t)number;
}
#define WITH_KERNELS_NUMBER(result, name, parameters, arguments, thread) \
  EXPORT result name parameters { \
    keep_real(thread, real); \
    result value = REAL(name) arguments; \
    keep_real(thread, shown); \
    return value; \
  }
WITH_KERNELS_NUMBER(int, pthread_kill, (pthread_t t, int n), (t, n), t)
WITH_KERNELS_NUMBER(int, pthread_sigqueue, (pthread_t t, int n, const union sigval v), (t, n, v), t)
WITH_KERNELS_NUMBER(int, pthread_cancel, (pthread_t t), (t), t)
WITH_KERNELS_NUMBER(int, pthread_getcpuclockid, (pthread_t t, clockid_t *c), (t, c), t)
WITH_KERNELS_NUMBER(int, pthread_getschedparam, (pthread_t t, int *restrict p, struct sched_param *restrict o), (t, p, o), t)
WITH_KERNELS_NUMBER(int, pthread_setschedparam, (pthread_t t, int p, const struct sched_param *o), (t, p, o), t)
WITH_KERNELS_NUMBER(int, pthread_setschedprio, (pthread_t t, int p), (t, p), t)
WITH_KERNELS_NUMBER(int, pthread_getname_np, (pthread_t t, char *b, size_t n), (t, b, n), t)
// These go to all threads.
WITH_KERNELS_NUMBER(int, setuid, (uid_t u), (u), 0)
WITH_KERNELS_NUMBER(int, setgid, (gid_t g), (g), 0)
WITH_KERNELS_NUMBER(int, seteuid, (uid_t u), (u), 0)
WITH_KERNELS_NUMBER(int, setegid, (gid_t g), (g), 0)
WITH_KERNELS_NUMBER(int, setreuid, (uid_t r, uid_t e), (r, e), 0)
WITH_KERNELS_NUMBER(int, setregid, (gid_t r, gid_t e), (r, e), 0)
WITH_KERNELS_NUMBER(int, setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s), 0)
WITH_KERNELS_NUMBER(int, setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s), 0)
WITH_KERNELS_NUMBER(int, setgroups, (size_t n, const gid_t *l), (n, l), 0)

int sbx_set_name(pthread_t thread, const char *name) {
  keep_real(thread, real);
  int error = REAL(pthread_setname_np)(thread, name);
  keep_real(thread, shown);
  return error;
}

EXPORT pid_t getpid(void) { return shown_number((int)CALL(SYS_getpid, 0, 0, 0, 0, 0, 0)); }
EXPORT pid_t gettid(void) { return sbx_self ? (pid_t)sbx_self->tid : shown_number((int)CALL(SYS_gettid, 0, 0, 0, 0, 0, 0)); }

static int checked(long result) {
  if (result >= 0) return (int)result;
  errno = (int)-result;
  return -1;
}
EXPORT int kill(pid_t process, int number) {
  int group = process < -1 ? -sbx_real_number(-process) : sbx_real_number(process);
  return checked(CALL(SYS_kill, group, number, 0, 0, 0, 0));
}
EXPORT int tgkill(pid_t process, pid_t thread, int number) {
  return checked(CALL(SYS_tgkill, sbx_real_number(process), sbx_real_number(thread), number, 0, 0, 0));
}
EXPORT int setpriority(__priority_which_t which, id_t who, int niceness) {
  return REAL(setpriority)(which, (id_t)sbx_real_number((int)who), niceness);
}
EXPORT int getpriority(__priority_which_t which, id_t who) { return REAL(getpriority)(which, (id_t)sbx_real_number((int)who)); }
EXPORT ssize_t process_vm_readv(pid_t process, const struct iovec *here, unsigned long count, const struct iovec *there,
                                unsigned long others, unsigned long flags) {
  long result = CALL(SYS_process_vm_readv, sbx_real_number(process), here, count, there, others, flags);
  if (result >= 0) return (ssize_t)result;
  errno = (int)-result;
  return -1;
}

SANITIZED_AGAIN
