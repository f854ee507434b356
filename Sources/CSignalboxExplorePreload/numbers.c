// numbers.c: the numbers of process and main thread. A run is a fork of the server, but to the program nothing has happened: it, or a
// library, may have kept the numbers it had before. So they stay what they were, and are translated on the way to the kernel.
#include "face.h"

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
